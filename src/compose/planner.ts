import type { KubeObject } from '../api/kube.ts';
import { API_VERSION, LABEL } from '../api/names.ts';
import { parsePackage } from '../api/parse.ts';
import { decide } from '../domain/decide/decide.ts';
import { foresee } from '../domain/plan/foresee.ts';
import type { PackagePlan } from '../domain/plan/plan.ts';
import { nextStatus } from '../domain/status/next-status.ts';
import { declaredRequirements, findPackage, indexProviders } from '../engine/package-facts.ts';
import { type GraphNode, orderGraph } from '../lib/graph.ts';
import { asString, at } from '../lib/json.ts';
import { DEFAULT_BACKEND } from './backend-names.ts';
import { clusterIdentity } from './cluster-identity.ts';
import { fetchCharts, type FetchedCharts } from './plan-charts.ts';
import { describePackage } from './plan-package.ts';
import { gatherWorld, openSight, type PlanSight } from './plan-sight.ts';
import type { Foreseen, Planning, PlannerDeps, PlanRequest, PlanResult, WouldBe } from './planning.ts';
import { StillCluster } from './still-cluster.ts';

const NO_CHARTS: FetchedCharts = {
  fetched: new Map(),
  charts: {},
  errors: new Map(),
  findings: [],
  failure: undefined,
};

/** What would be done for each package, in the order in which they would begin. Writes nothing. */
export async function planPackages(deps: PlannerDeps, request: PlanRequest): Promise<PlanResult> {
  const still = new StillCluster(deps.cluster);
  const [cluster, defaultBackend] = await Promise.all([
    clusterIdentity(still),
    deps.options.defaultBackend ?? backendInUse(still),
  ]);
  for (const object of [...request.sources, ...request.packages.map(({ after }) => after)]) still.put(object);
  const recorder = { record: () => undefined };
  const options = { ...deps.options, defaultBackend };
  const engine = { ...deps, options, cluster: still, backends: deps.backends(still), recorder };
  const eyes = await openSight(engine, request.packages.length);
  return { cluster, packages: await planAll({ deps: engine, live: deps.cluster, eyes, request }) };
}

async function planAll(planning: Planning): Promise<readonly PackagePlan[]> {
  const plans: PackagePlan[] = [];
  let open = inOrder(planning.eyes, planning.request.packages);
  while (open.length > 0) {
    const postponed: WouldBe[] = [];
    for (const would of open) {
      const foreseen = await foreseePackage(planning, would);
      if (isForOthers(foreseen) && open.length > 1) postponed.push(would);
      else plans.push(await settle(planning, foreseen));
    }
    // Nobody has got any further: what stands against the first of them stands.
    const [first, ...others] = postponed;
    if (first !== undefined && postponed.length === open.length) {
      plans.push(await settle(planning, await foreseePackage(planning, first)));
      open = others;
    } else open = postponed;
  }
  return plans;
}

/** The operator was told, and says it in every revision that it makes. */
async function backendInUse(still: StillCluster): Promise<string> {
  const { items } = await still.list({ apiVersion: API_VERSION, kind: 'PackageRevision' });
  const newest = [...items].sort((a, b) => madeAt(a) - madeAt(b)).findLast((each) => backendOf(each) !== undefined);
  return (newest === undefined ? undefined : backendOf(newest)) ?? DEFAULT_BACKEND;
}

function madeAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

function backendOf(revision: KubeObject): string | undefined {
  return asString(at(revision, 'spec', 'backend'));
}

async function foreseePackage(planning: Planning, would: WouldBe): Promise<Foreseen> {
  const { deps, eyes } = planning;
  const parsed = parsePackage(would.after);
  if (!parsed.ok) throw parsed.error;
  const world = await gatherWorld(eyes, parsed.value, deps.cluster);
  const { resolution } = world;
  // What follows depends on the charts.
  const first = foresee(world, resolution?.kind === 'resolved' ? { until: 'prepare' } : {});
  const preparing = first.actions.find((action) => action.kind === 'prepare');
  if (preparing === undefined || resolution?.kind !== 'resolved')
    return { would, package: parsed.value, world, forecast: first, charts: NO_CHARTS };
  const { desired } = resolution;
  const components = preparing.hooks ? [...desired.hooks, ...desired.components] : desired.components;
  const sources = { artifacts: deps.artifacts, backend: deps.backends.get(desired.backend) };
  const charts = await fetchCharts(sources, components);
  const ready = charts.failure === undefined ? world : { ...world, preparation: charts.failure };
  const forecast = foresee(ready, { charts: charts.charts });
  return { would, package: parsed.value, world, forecast, charts };
}

/** The others of the plan may be what it waits for. */
function isForOthers({ forecast: { end } }: Foreseen): boolean {
  return end.kind === 'blocked' && ['RequirementsNotMet', 'Conflict', 'CRDOwnershipConflict'].includes(end.reason);
}

/** The plan of one package; for those after it, what it leads to is there. */
async function settle(planning: Planning, foreseen: Foreseen): Promise<PackagePlan> {
  const plan = await describePackage(planning, foreseen);
  const { forecast } = foreseen;
  const decision = decide(forecast.world);
  const still = planning.deps.cluster;
  const name = forecast.package;
  const { package: pkg, revisions } = forecast.world;
  if (decision.kind === 'act') return plan;
  still.put({ ...pkg, status: nextStatus(forecast.world, decision) });
  const owner = { apiVersion: pkg.apiVersion, kind: pkg.kind, name, uid: pkg.metadata.uid ?? '' };
  for (const revision of revisions) {
    const { metadata } = revision;
    const labels = { ...metadata.labels, [LABEL.package]: name };
    const { resourceVersion: _read, ...rest } = metadata;
    still.put({ ...revision, metadata: { ...rest, labels, ownerReferences: metadata.ownerReferences ?? [owner] } });
  }
  return plan;
}

/** Those that others require come first; the rest is as it was asked for. */
function inOrder({ journal }: PlanSight, packages: readonly WouldBe[]): readonly WouldBe[] {
  const names = new Set(packages.map(({ name }) => name));
  const providers = indexProviders(journal);
  const nodes: GraphNode[] = packages.map(({ name }) => {
    const pkg = findPackage(journal, name);
    const required = (pkg === undefined ? [] : declaredRequirements(journal, pkg)).flatMap(
      ({ package: wanted, capability = '' }) => (wanted === undefined ? providers(capability) : [wanted]),
    );
    return { name, dependsOn: [...new Set(required)].filter((other) => other !== name && names.has(other)) };
  });
  const ordering = orderGraph(nodes);
  if (ordering.kind !== 'ordered') return packages;
  return ordering.order.flatMap((name) => packages.find((one) => one.name === name) ?? []);
}
