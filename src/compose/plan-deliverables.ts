import type { PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import { timeoutOf } from '../domain/decide/deadline.ts';
import { everyMember, isRestoring, targetOf } from '../domain/decide/views.ts';
import { releaseKey } from '../domain/decide/world.ts';
import type { PredictedFinding } from '../domain/plan/predictions/facts.ts';
import { recordedChart, withVersions } from '../domain/release/snapshot.ts';
import { withAcceptedValues } from '../domain/resolve/platform-values.ts';
import { desiredRelease } from '../engine/desired-release.ts';
import { readValues } from '../engine/values.ts';
import type { JsonObject } from '../lib/json.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import type { Backend, DesiredRelease } from '../ports/backend.ts';
import { attempt } from './plan-attempt.ts';
import type { Foreseen, Planning } from './planning.ts';

/** A component or hook that would be delivered, with all that its delivery takes. */
export interface Deliverable {
  readonly component: RevisionComponent;
  readonly isHook: boolean;
  readonly isInstalled: boolean;
  readonly backend: Backend | undefined;
  readonly chart: FetchedChart | undefined;
  /** Undefined: its chart or its values cannot be had. */
  readonly release: DesiredRelease | undefined;
}

export interface Deliverables {
  readonly list: readonly Deliverable[];
  readonly findings: readonly PredictedFinding[];
}

export async function deliverablesOf(planning: Planning, foreseen: Foreseen): Promise<Deliverables> {
  const { steps, world } = foreseen.forecast;
  const found = new Map<string, { readonly revision: PackageRevision; readonly component: RevisionComponent }>();
  for (const step of steps) {
    if (step.kind !== 'install' && step.kind !== 'upgrade' && step.kind !== 'hook') continue;
    const revision = world.revisions.findLast((each) => memberAt(each, step.release) !== undefined);
    const component = revision === undefined ? undefined : memberAt(revision, step.release);
    if (revision !== undefined && component !== undefined) found.set(step.release, { revision, component });
  }
  const results = await Promise.all([...found.values()].map((each) => deliverable(planning, foreseen, each)));
  return { list: results.map(({ item }) => item), findings: results.flatMap(({ findings }) => findings) };
}

function memberAt(revision: PackageRevision, key: string): RevisionComponent | undefined {
  return everyMember(revision).find((component) => releaseKey(component) === key);
}

interface Placed {
  readonly revision: PackageRevision;
  readonly component: RevisionComponent;
}

async function deliverable(
  planning: Planning,
  foreseen: Foreseen,
  { revision, component }: Placed,
): Promise<{ readonly item: Deliverable; readonly findings: readonly PredictedFinding[] }> {
  const base = baseOf(planning, foreseen, { revision, component });
  const { value: content, error } = await attempt(() => contentOf(planning, foreseen, { revision, component }));
  if (error === undefined) {
    const release = content === undefined ? undefined : releaseOf(foreseen, { revision, component }, content);
    const chart = content?.chart ?? foreseen.charts.fetched.get(component.name);
    return { item: { ...base, chart, release }, findings: [] };
  }
  const finding: PredictedFinding = {
    code: error.code,
    severity: 'warning',
    subject: `component ${component.name}`,
    message: `what it would be delivered with cannot be had: ${error.message}`,
    remedy: error.hint ?? 'plan with an account that may read the Secrets of the operator',
  };
  return { item: { ...base, chart: undefined, release: undefined }, findings: [finding] };
}

function baseOf(
  { deps }: Planning,
  { world }: Foreseen,
  { revision, component }: Placed,
): Omit<Deliverable, 'chart' | 'release'> {
  const observation = world.releases[releaseKey(component)]?.observation;
  return {
    component,
    isHook: (revision.spec.hooks ?? []).includes(component),
    isInstalled: observation?.state === 'present' && observation.everDelivered,
    backend: deps.backends.get(revision.spec.backend ?? deps.options.defaultBackend),
  };
}

interface Content {
  readonly chart: FetchedChart;
  readonly values: JsonObject;
}

/** A revision that is there already has its charts and values in its record; a new one has them from what is wanted. */
async function contentOf(planning: Planning, foreseen: Foreseen, placed: Placed): Promise<Content | undefined> {
  const { revision, component } = placed;
  const { revisions } = foreseen.world;
  const isThere = revisions.some(({ metadata }) => metadata.name === revision.metadata.name);
  if (!isThere && !isRestoring(revision)) return wantedContent(foreseen, placed);
  const recorded = isThere ? component : formerOf(revisions, revision, component);
  const ref = recorded === undefined ? undefined : recordedChart(recorded);
  if (recorded === undefined || ref === undefined) return undefined;
  const { artifacts, cluster } = planning.deps;
  return { chart: await artifacts.fetch(ref), values: await readValues(cluster, recorded) };
}

function wantedContent({ world, charts }: Foreseen, { revision, component }: Placed): Content | undefined {
  const { resolution } = world;
  const chart = charts.fetched.get(component.name);
  if (resolution?.kind !== 'resolved' || chart === undefined) return undefined;
  const accepted = withAcceptedValues(resolution.desired, (name) => charts.charts[name]?.valuesKeys);
  const hooks = withVersions(accepted.hooks, { from: revision.spec.fromVersion, to: revision.spec.version });
  const wanted = [...hooks, ...accepted.components].find(({ name }) => name === component.name);
  return wanted === undefined ? undefined : { chart, values: wanted.values };
}

/** The values of a rollback are those of the revision that it restores. */
function formerOf(
  revisions: readonly PackageRevision[],
  { spec }: PackageRevision,
  component: RevisionComponent,
): RevisionComponent | undefined {
  const restored = revisions.find(({ spec: { revision } }) => revision === spec.restoredFrom);
  return restored === undefined ? undefined : memberAt(restored, releaseKey(component));
}

function releaseOf(
  { package: pkg }: Foreseen,
  { revision, component }: Placed,
  { chart, values }: Content,
): DesiredRelease {
  return desiredRelease(targetOf(revision, component), component, {
    token: 'planned',
    chart,
    values,
    adopt: revision.spec.adopt ?? false,
    rollback: isRestoring(revision),
    timeoutMs: timeoutOf(pkg),
  });
}
