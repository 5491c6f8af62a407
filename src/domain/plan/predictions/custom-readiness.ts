import { type KubeObject, nameOf, refOf } from '../../../api/kube.ts';
import { asArray, at, isRecord } from '../../../lib/json.ts';
import { conditionsOf } from '../../readiness/conditions.ts';
import { isCustomKind } from '../../readiness/custom-kinds.ts';
import { schemaIn } from '../diff/object-change.ts';
import { broughtCrds, definesKind, isCrd } from './crds.ts';
import { eachComponent, someOf } from './each-object.ts';
import type { ComponentFacts, ObjectFacts, PlanFacts } from './facts.ts';

const TELLING: readonly string[] = ['Ready', 'Reconciling', 'Stalled'];
/** Groups all of whose kinds have a Ready condition, or nothing to wait for. */
const KNOWN_GROUPS = /^(cert-manager\.io|([\w-]+\.)?toolkit\.fluxcd\.io)$/;
/** Of groups with both, the kinds with nothing to wait for: others read them as their configuration. */
const CONFIGURATION: Readonly<Record<string, RegExp>> = {
  'gateway.networking.k8s.io': /^(GatewayClass|ReferenceGrant|\w+Route|\w+Policy)$/,
  'monitoring.coreos.com': /^(\w+Monitor|Probe|PrometheusRule|ScrapeConfig|AlertmanagerConfig)$/,
};

/** Custom resources of which nobody says when they are ready, and the generic rule cannot either. */
export const findUnjudged = eachComponent((owner, facts) => {
  const unjudged = owner.objects.filter((object) => isUnjudged(object, owner, facts));
  if (unjudged.length === 0) return undefined;
  const names = unjudged.map(({ after }) => nameOf(refOf(after)));
  return {
    message: `contains custom resources and no readyWhen: that they exist is all that is known of ${someOf(names)}`,
    remedy: 'say by install.readyWhen when each is ready: a condition, or an expression on its status',
  };
});

function isUnjudged({ after, live }: ObjectFacts, owner: ComponentFacts, facts: PlanFacts): boolean {
  if (!isCustomKind(after) || isCrd(after) || isKnown(after) || isJudged(after, owner)) return false;
  if (live !== undefined && conditionsOf(live).some(({ type }) => TELLING.includes(type))) return false;
  const crd = [...facts.components.flatMap(broughtCrds), ...facts.cluster.crds].find((each) =>
    definesKind(each, after),
  );
  return crd === undefined || hasStatus(crd, after.apiVersion);
}

function isKnown({ apiVersion, kind }: KubeObject): boolean {
  const group = groupOf(apiVersion);
  return KNOWN_GROUPS.test(group) || CONFIGURATION[group]?.test(kind) === true;
}

function isJudged(object: KubeObject, { component }: ComponentFacts): boolean {
  const group = groupOf(object.apiVersion);
  const isNamed = component.readyWhen.some(
    ({ apiVersion, kind, name }) =>
      groupOf(apiVersion) === group && kind === object.kind && name === object.metadata.name,
  );
  const isChecked = component.healthCheckExprs.some(
    ({ apiVersion, kind }) => groupOf(apiVersion) === group && (kind === '' || kind === object.kind),
  );
  return isNamed || isChecked;
}

/** A kind without a status is configuration: there is nothing to wait for. */
function hasStatus(crd: KubeObject, apiVersion: string): boolean {
  const schema = schemaIn(crd, apiVersion);
  const version = asArray(at(crd, 'spec', 'versions')).find((each) =>
    apiVersion.endsWith(`/${String(at(each, 'name'))}`),
  );
  return at(schema, 'properties', 'status') !== undefined || isRecord(at(version, 'subresources', 'status'));
}

function groupOf(apiVersion: string): string {
  return apiVersion.replace(/\/.*/, '');
}
