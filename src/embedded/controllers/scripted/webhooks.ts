import type { Clock } from '../../../ports/system.ts';
import type { Admission } from '../../model/api.ts';
import { StatusError } from '../../model/status-error.ts';
import { matchesObject } from '../../scenario/match.ts';
import type { Scenario, Webhook, WebhookFailure } from '../../scenario/types.ts';
import type { Judge } from '../hooks.ts';
import type { Operators } from './operators.ts';

/** Refuses what the webhooks of the scenario refuse at this moment. */
export function webhookJudge(
  clock: Clock,
  { operators, scenario }: { readonly operators: Operators; readonly scenario: () => Scenario },
): Judge {
  const firstRefusals = new Map<Webhook, number>();
  return (request) => {
    const { webhooks, onUsed } = scenario();
    const webhook = webhooks.find((each) => concerns(each, request) && isRefusing(each));
    if (webhook === undefined) return;
    onUsed?.(webhook);
    throw refusal(webhook);
  };

  function isRefusing(webhook: Webhook): boolean {
    const now = clock.now();
    if (webhook.operator === undefined) {
      const first = firstRefusals.get(webhook) ?? now;
      firstRefusals.set(webhook, first);
      return webhook.until === undefined || now < first + webhook.until;
    }
    const state = operators.get(webhook.operator);
    if (state === undefined) return false;
    return state.since === undefined || webhook.until === undefined || now < state.since + webhook.until;
  }
}

function concerns({ match, operations }: Webhook, { operation, resource, target, object, before }: Admission): boolean {
  if (!operations.includes(operation) || target.subresource !== undefined) return false;
  const { name = '' } = (object?.metadata ?? before?.metadata ?? {}) as { readonly name?: string };
  const { group, version, kind } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return matchesObject(match, { apiVersion, kind, namespace: target.namespace ?? '', name });
}

const CALL_FAULTS: Readonly<Record<Exclude<WebhookFailure, 'denied'>, string>> = {
  'connection-refused': 'dial tcp 10.96.0.9:443: connect: connection refused',
  'unknown-authority': 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  timeout: 'context deadline exceeded',
};

function refusal({ name, failure, message, operator }: Webhook): StatusError {
  if (failure === 'denied') {
    return new StatusError('Forbidden', `admission webhook "${name}" denied the request: ${message}`);
  }
  const { name: service = 'webhook', namespace = 'default' } = operator ?? {};
  const call = `Post "https://${service}.${namespace}.svc:443/validate?timeout=10s": ${CALL_FAULTS[failure]}`;
  return new StatusError(
    'InternalError',
    `Internal error occurred: failed calling webhook "${name}": failed to call webhook: ${call}`,
    { causes: [{ reason: '', message: `failed calling webhook "${name}": failed to call webhook: ${call}` }] },
  );
}
