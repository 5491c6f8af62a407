import type { KubeObject } from '../../../api/kube.ts';
import { asArray, at } from '../../../lib/json.ts';
import { broughtCrds, definesKind } from './crds.ts';
import { eachComponent, eachObject, someOf } from './each-object.ts';
import type { PlanFacts } from './facts.ts';
import { removedApi } from './removed-apis.ts';

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Objects in an API version that Kubernetes has removed, and this cluster does not serve. */
export const findRemovedApis = eachObject(({ after, facts }) => {
  const removed = removedApi(after);
  if (removed === undefined || !isUnserved(after, facts)) return undefined;
  return {
    message: `${labelOf(after)} is not served by this cluster: Kubernetes removed it in 1.${String(removed.since)}`,
    remedy: `use a version of the chart that writes it as ${removed.replacement}`,
  };
});

/** Objects in an API version that this cluster still serves, and a later one does not. */
export const findDeprecatedApis = eachObject(({ after, facts }) => {
  const removed = removedApi(after);
  if (removed === undefined || isUnserved(after, facts)) return undefined;
  return {
    message: `${labelOf(after)} is served by this cluster, but not by Kubernetes 1.${String(removed.since)} and later`,
    remedy: `before the cluster is upgraded, use a version of the chart that writes it as ${removed.replacement}`,
  };
});

/** Objects of a kind that nobody serves yet. */
export const findUnservedKinds = eachObject(({ after, facts }) => {
  if (removedApi(after) !== undefined || !isUnserved(after, facts) || isBrought(after, facts)) return undefined;
  return {
    message: `${labelOf(after)} is not served yet, and no chart of the package defines it: it is waited for`,
    remedy: 'require the package that brings it, or see that an earlier component makes it',
  };
});

/** Releases whose recorded manifest cannot be read against this cluster any more: helm compares with it. */
export const findUnservedRecords = eachComponent(({ component, recorded }, facts) => {
  const unserved = recorded.filter((ref) => isUnserved(ref, facts));
  if (unserved.length === 0) return undefined;
  const names = [...new Set(unserved.map((ref) => `${labelOf(ref)} (${ref.name})`))];
  return {
    message: `release ${component.namespace}/${component.releaseName} has on record what this cluster no longer serves: ${someOf(names)}; every upgrade of it fails`,
    remedy: 'replace the API version in the record, such as with the helm plugin mapkubeapis, then upgrade',
  };
});

function isUnserved(object: Kind, { cluster }: PlanFacts): boolean {
  return cluster.unserved.some(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
}

/** Whatever version of it: a CRD that lacks the version is refused by the API server soon enough. */
function isBrought(object: KubeObject, { components }: PlanFacts): boolean {
  const version = object.apiVersion.replace(/.*\//, '');
  return components
    .flatMap(broughtCrds)
    .some(
      (crd) =>
        definesKind(crd, object) && asArray(at(crd, 'spec', 'versions')).some((each) => at(each, 'name') === version),
    );
}

function labelOf({ apiVersion, kind }: Kind): string {
  return `${kind} of ${apiVersion}`;
}
