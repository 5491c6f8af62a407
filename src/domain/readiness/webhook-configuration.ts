import type { KubeObject } from '../../api/kube.ts';
import { at, isRecord } from '../../lib/json.ts';
import { recordsOf, textOf } from './fields.ts';
import {
  type KindRule,
  progressing,
  ready,
  type ReadinessContext,
  type RelatedQuery,
  type Verdict,
} from './verdict.ts';

const SERVICE_LABEL = 'kubernetes.io/service-name';

interface Webhook {
  readonly name: string;
  readonly namespace: string;
  readonly service: string;
  readonly hasCABundle: boolean;
}

/** A webhook served by a Service of its own release can be called: a ready endpoint is there, and a CA to trust it by. */
export const webhookConfiguration: KindRule = {
  alwaysObserved: false,
  assess(object, context) {
    const own = webhooksOf(object).filter((webhook) => isSibling(webhook, context));
    const faults = own.map((webhook) => faultOf(webhook, context)).filter((fault) => fault !== undefined);
    return faults[0] ?? ready(own.length === 0 ? 'exists' : 'its webhooks can be called');
  },
  related(object) {
    const services = new Map(webhooksOf(object).map((webhook) => [`${webhook.namespace}/${webhook.service}`, webhook]));
    return [...services.values()].map(endpointQuery);
  },
};

function webhooksOf(object: KubeObject): readonly Webhook[] {
  return recordsOf(object, 'webhooks')
    .filter((webhook) => isRecord(at(webhook, 'clientConfig', 'service')))
    .map((webhook) => ({
      name: textOf(webhook, 'name'),
      namespace: textOf(webhook, 'clientConfig', 'service', 'namespace'),
      service: textOf(webhook, 'clientConfig', 'service', 'name'),
      hasCABundle: textOf(webhook, 'clientConfig', 'caBundle') !== '',
    }));
}

function endpointQuery({ namespace, service }: Webhook): RelatedQuery {
  const labelSelector = `${SERVICE_LABEL}=${service}`;
  const selection = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace, labelSelector };
  return { kind: 'selected', purpose: 'verdict', selection };
}

function isSibling(webhook: Webhook, context: ReadinessContext): boolean {
  return context.siblings.some(
    ({ apiVersion, kind, metadata }) =>
      apiVersion === 'v1' &&
      kind === 'Service' &&
      metadata.name === webhook.service &&
      metadata.namespace === webhook.namespace,
  );
}

function faultOf(webhook: Webhook, context: ReadinessContext): Verdict | undefined {
  const service = `Service ${webhook.namespace}/${webhook.service}`;
  if (!webhook.hasCABundle) return progressing('NoCABundle', `webhook ${webhook.name} has no caBundle yet`);
  const slices = context.related.filter(
    ({ kind, metadata }) =>
      kind === 'EndpointSlice' &&
      metadata.namespace === webhook.namespace &&
      metadata.labels?.[SERVICE_LABEL] === webhook.service,
  );
  if (slices.some(hasReadyEndpoint)) return undefined;
  return progressing('NoEndpoint', `webhook ${webhook.name}: ${service} has no ready endpoint`);
}

/** An endpoint that does not say whether it is ready counts as ready: that is what the API means by it. */
function hasReadyEndpoint(slice: KubeObject): boolean {
  return recordsOf(slice, 'endpoints').some((endpoint) => at(endpoint, 'conditions', 'ready') !== false);
}
