import type { KubeObject } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import type { Forecast } from '../domain/plan/forecast.ts';
import type { CrdPlan, NamespacePlan, PermissionPlan } from '../domain/plan/plan.ts';
import { CRD } from '../engine/crd-book.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import type { Cluster } from '../ports/cluster.ts';
import { crdsOf } from './plan-facts.ts';
import { ifPossible } from './plan-attempt.ts';
import { CRD_METADATA } from './plan-sight.ts';
import { resourceOf, type Unread } from './plan-unread.ts';

export interface ToDeliver {
  readonly component: RevisionComponent;
  readonly isInstalled: boolean;
  readonly chart: FetchedChart | undefined;
}

interface Surroundings {
  readonly cluster: Cluster;
  readonly unread: Unread;
}

/** The CRDs of the cluster by name, with their resource versions; undefined where they cannot be listed. */
export type KnownCrds = ReadonlyMap<string, string>;

export async function knownCrds({ cluster, unread }: Surroundings): Promise<KnownCrds | undefined> {
  const list = await ifPossible(() => cluster.list(CRD_METADATA), undefined, unread.note(CRD));
  return list && new Map(list.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? '']));
}

/** Helm itself never touches a CRD of a `crds` folder on an upgrade; what kubepkg does is in the component's declaration. */
export async function crdPlans(
  forecast: Forecast,
  toDeliver: readonly ToDeliver[],
  known: KnownCrds | undefined,
): Promise<readonly CrdPlan[]> {
  const inCharts = await Promise.all(toDeliver.map((each) => crdsOfChart(each, known)));
  const passing = forecast.steps.flatMap((step): readonly CrdPlan[] => {
    if (step.kind === 'claim-crds') return step.crds.map((name) => ({ name, action: 'claim' }));
    if (step.kind === 'release-crds') return step.crds.map((name) => ({ name, action: 'release' }));
    return [];
  });
  return [...inCharts.flat(), ...passing];
}

async function crdsOfChart(
  { component, isInstalled, chart }: ToDeliver,
  known: KnownCrds | undefined,
): Promise<readonly CrdPlan[]> {
  if (chart === undefined) return [];
  const names = (await crdsOf(chart)).map(({ metadata }) => metadata.name);
  const { upgradeCRDs = 'Skip' } = component;
  const policy = !isInstalled && upgradeCRDs === 'Skip' ? 'Create' : upgradeCRDs;
  return names.map((name) => ({ name, component: component.name, action: crdAction(policy, known?.has(name)) }));
}

/** `isThere` undefined: nobody knows. */
function crdAction(policy: 'Skip' | 'Create' | 'CreateReplace', isThere: boolean | undefined): CrdPlan['action'] {
  if (isThere === undefined) return 'unknown';
  if (isThere) return policy === 'CreateReplace' ? 'replace' : 'leave';
  return policy === 'Skip' ? 'not-created' : 'create';
}

export async function namespacePlans(
  surroundings: Surroundings,
  toDeliver: readonly ToDeliver[],
): Promise<readonly NamespacePlan[]> {
  const names = [...new Set(toDeliver.map(({ component }) => component.namespace))].sort();
  return Promise.all(
    names.map(async (name) => {
      const found = await readNamespace(surroundings, name);
      const wantsPrivileged = toDeliver.some(
        ({ component }) => component.namespace === name && component.privileged === true,
      );
      const level = found?.metadata.labels?.['pod-security.kubernetes.io/enforce'];
      return { name, exists: found !== undefined, setsPrivileged: wantsPrivileged && level !== 'privileged' };
    }),
  );
}

/** What may not be looked at is taken to be there: nothing is promised that may not happen. */
async function readNamespace({ cluster, unread }: Surroundings, name: string): Promise<KubeObject | undefined> {
  const kind = { apiVersion: 'v1', kind: 'Namespace' };
  const ref = { ...kind, name };
  return ifPossible(() => cluster.read(ref, { metadataOnly: true }), { ...kind, metadata: { name } }, unread.note(ref));
}

/** The kinds that are written, where the backend can tell. */
export async function permissionPlans(
  cluster: Cluster,
  objects: readonly KubeObject[],
): Promise<readonly PermissionPlan[]> {
  const namespaces = new Map<string, Set<string>>();
  for (const { apiVersion, kind, metadata } of objects) {
    const resource = await resourceOf(cluster, apiVersion, kind);
    const known = namespaces.get(resource) ?? new Set();
    if (metadata.namespace !== undefined) known.add(metadata.namespace);
    namespaces.set(resource, known);
  }
  const plans = [...namespaces].map(([resource, names]) => ({ resource, namespaces: [...names].sort() }));
  return plans.sort((a, b) => (a.resource < b.resource ? -1 : 1));
}
