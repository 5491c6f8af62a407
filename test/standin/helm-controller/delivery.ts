import { formatDuration } from '../../../src/lib/duration.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { ReleaseRecord } from '../../../src/helm/record.ts';
import type { LoadedChart } from './chart.ts';
import { applyCrds } from './crds.ts';
import type { HealthChecks } from './health-checks.ts';
import type { HelmResult } from './helm-runner.ts';
import { chartOf, fullName, withDelivery } from './history.ts';
import { inventoryOf } from './inventory.ts';
import { snapshotOf, type StoredRelease } from './records.ts';
import type { ActionSpec, DeliverySpec } from './spec.ts';
import type { Snapshot } from './status.ts';
import { summarize } from './summarize.ts';
import { type Surroundings, TICK_MS } from './surroundings.ts';
import { awaitObjects, placedObjects } from './wait.ts';
import type { WorkingCopy } from './working-copy.ts';

/** What a turn is about, once all that it needs has been found. */
export interface Request {
  readonly copy: WorkingCopy;
  readonly chart: LoadedChart;
  readonly values: JsonObject;
  readonly configDigest: string;
  readonly checks: HealthChecks;
}

/** Nothing is in helm's storage of what was tried: tried again with growing pauses, without end [08, 09]. */
export class Untraceable extends Error {}

const CRD_TICKS = 60;

/** Installs or upgrades, and says in the working copy how that went. */
export async function deliver(kind: 'install' | 'upgrade', request: Request, around: Surroundings): Promise<void> {
  const { copy } = request;
  copy.update({ lastAttemptedReleaseAction: kind });
  // An install begins a new life; what was remediated before is of no interest in either case [07, 28].
  if (kind === 'install') copy.update({ history: undefined });
  copy.unmark('Remediated');
  const from = kind === 'upgrade' ? await upgradedFrom(copy, around) : undefined;
  const started = around.clock.now();
  const result = await runDelivery(kind, request, around);
  const duration = formatDuration(Math.max(1, around.clock.now() - started));
  copy.update({ lastAttemptedReleaseActionDuration: duration });
  const made = result.recorded === undefined ? undefined : await recordDelivery({ kind, from, request }, around);
  await around.gate.sleep(around.modes().lateStatusMs);
  if (result.failure === undefined && made !== undefined) await succeed(kind, made, { request, around });
  else await fail(kind, result, { request, around });
  summarize(copy);
  if (result.failure === undefined) return;
  if (made === undefined) throw new Untraceable(result.failure);
  const counter = kind === 'install' ? 'installFailures' : 'upgradeFailures';
  copy.update({ [counter]: (copy.status[counter] ?? 0) + 1 });
}

/** The release that helm supersedes: the deployed one, or else the newest. */
async function upgradedFrom({ spec }: WorkingCopy, around: Surroundings): Promise<StoredRelease | undefined> {
  const { storageNamespace, shortReleaseName: name } = spec;
  const stored = await around.records.all({ storageNamespace, name });
  return stored.find(({ record }) => record.status === 'deployed') ?? stored[0];
}

async function runDelivery(
  kind: 'install' | 'upgrade',
  { copy, chart, values, checks }: Request,
  around: Surroundings,
): Promise<HelmResult> {
  const { spec } = copy;
  const action = spec[kind];
  const sabotage = around.takeSabotage(kind);
  if (sabotage?.where === 'before') return { failure: sabotage.message, recorded: undefined, wasCutOff: false };
  try {
    await applyCrds(chart.crds, action.crds, {
      cluster: around.cluster,
      sleep: (ms) => around.gate.sleep(ms),
      tickMs: TICK_MS * around.timing.pauses,
      ticks: CRD_TICKS,
    });
  } catch (error) {
    await around.gate.pass();
    const message = error instanceof Error ? error.message : String(error);
    return { failure: message, recorded: undefined, wasCutOff: false };
  }
  const args = kind === 'install' ? installArgs(copy, chart, around) : upgradeArgs(copy, chart, around);
  const result = await around.helm.run({
    args,
    stdin: JSON.stringify(values),
    ...helmPlace(copy, around),
    ready: (pending) => awaitReady({ action, pending, checks, namespace: spec.releaseNamespace }, around),
    sabotage: sabotage?.message,
  });
  if (result.wasCutOff) await settle(kind === 'install' ? 'Release' : 'Upgrade', result, { copy, around });
  return result;
}

export function helmPlace(
  { spec, ...copy }: WorkingCopy,
  around: Surroundings,
): {
  releaseNamespace: string;
  storageNamespace: string;
  moment: (moment: 'pending' | 'objects' | 'recorded' | 'conditions') => Promise<void>;
} {
  const { releaseNamespace, storageNamespace } = spec;
  const about = { namespace: copy.namespace, name: copy.name };
  return { releaseNamespace, storageNamespace, moment: (moment) => around.moment(moment, about) };
}

/** The record of a helm that was ended in the middle says how it ended, in helm's own words. */
export async function settle(
  word: string,
  result: HelmResult,
  { copy, around }: { readonly copy: WorkingCopy; readonly around: Surroundings },
): Promise<void> {
  const { storageNamespace, shortReleaseName: name } = copy.spec;
  const newest = await around.records.newest({ storageNamespace, name });
  if (newest === undefined || newest.record.version !== result.recorded?.version) return;
  await around.records.settle(newest, 'failed', `${word} "${name}" failed: ${result.failure ?? ''}`);
}

export interface WaitFor {
  readonly action: ActionSpec;
  readonly pending: ReleaseRecord;
  readonly checks: HealthChecks;
  readonly namespace: string;
}

/** With `disableWait` nothing is looked at [29]. */
export async function awaitReady(
  { action, pending, checks, namespace }: WaitFor,
  around: Surroundings,
): Promise<string | undefined> {
  if (!action.waits) return undefined;
  const refs = await placedObjects(pending.manifest, namespace, around.cluster);
  return awaitObjects(refs, {
    cluster: around.cluster,
    clock: around.clock,
    sleep: (ms) => around.gate.sleep(ms),
    tickMs: TICK_MS * around.timing.pauses,
    timeoutMs: action.timeoutMs * around.timing.deadlines,
    waitsForJobs: action.waitsForJobs,
    checks,
    isVague: around.modes().vagueTimeouts,
  });
}

function installArgs(copy: WorkingCopy, chart: LoadedChart, around: Surroundings): readonly string[] {
  const { install } = copy.spec;
  return [
    ...deliveryArgs('install', copy, { chart, around }),
    ...(install.replace ? ['--replace'] : []),
    ...(install.createsNamespace ? ['--create-namespace'] : []),
  ];
}

function upgradeArgs(copy: WorkingCopy, chart: LoadedChart, around: Surroundings): readonly string[] {
  const history = ['--history-max', String(copy.spec.maxHistory)];
  return [...deliveryArgs('upgrade', copy, { chart, around }), '--reset-values', ...history];
}

function deliveryArgs(
  kind: 'install' | 'upgrade',
  { spec }: WorkingCopy,
  { chart, around }: { readonly chart: LoadedChart; readonly around: Surroundings },
): readonly string[] {
  const action: DeliverySpec = spec[kind];
  return [
    kind,
    spec.shortReleaseName,
    chart.path,
    ...['--namespace', spec.releaseNamespace, '--values', '-', '--skip-crds'],
    ...['--timeout', timeoutArg(action, around)],
    // [16, 20]: what others hold is taken from them silently.
    ...['--server-side=true', '--force-conflicts'],
    ...(action.takesOwnership ? ['--take-ownership'] : []),
    ...(action.hooks ? [] : ['--no-hooks']),
    ...(action.validatesSchema ? [] : ['--skip-schema-validation']),
    ...(action.validatesOpenApi ? [] : ['--disable-openapi-validation']),
  ];
}

export function timeoutArg(action: ActionSpec, around: Surroundings): string {
  return `${String(Math.max(1, Math.round(action.timeoutMs * around.timing.deadlines)))}ms`;
}

async function recordDelivery(
  made: { readonly kind: string; readonly from: StoredRelease | undefined; readonly request: Request },
  around: Surroundings,
): Promise<Snapshot | undefined> {
  const { copy, chart } = made.request;
  const { storageNamespace, shortReleaseName: name, releaseNamespace } = copy.spec;
  await around.moment('recorded', { namespace: copy.namespace, name: copy.name });
  const stored = await around.records.all({ storageNamespace, name });
  const newest = stored[0];
  if (newest === undefined) return undefined;
  const snapshot = snapshotOf(newest.record, { action: made.kind, ociDigest: chart.ociDigest });
  const history = copy.status.history ?? [];
  const known = history.find(({ version }) => version === made.from?.record.version);
  const from = stored.find(({ record }) => record.version === made.from?.record.version);
  const formerly =
    known === undefined || from === undefined ? undefined : snapshotOf(from.record, { ociDigest: known.ociDigest });
  const refs = await placedObjects(newest.record.manifest, releaseNamespace, around.cluster);
  copy.update({ history: withDelivery(history, snapshot, formerly), inventory: inventoryOf(refs, chart.crds) });
  return snapshot;
}

interface Ending {
  readonly request: Request;
  readonly around: Surroundings;
}

async function succeed(kind: 'install' | 'upgrade', made: Snapshot, { request, around }: Ending): Promise<void> {
  const reason = kind === 'install' ? 'InstallSucceeded' : 'UpgradeSucceeded';
  const message = `Helm ${kind} succeeded for release ${fullName(made)} with chart ${chartOf(made)}`;
  request.copy.mark({ type: 'Released', status: 'True', reason, message });
  await around.events.write(request.copy.object, { type: 'Normal', reason, message });
}

/** Every failure counts; the message has no `.vN` ("Reasons seen"). */
async function fail(
  kind: 'install' | 'upgrade',
  { failure = '' }: HelmResult,
  { request, around }: Ending,
): Promise<void> {
  const { copy, chart } = request;
  const reason = kind === 'install' ? 'InstallFailed' : 'UpgradeFailed';
  const release = `${copy.spec.releaseNamespace}/${copy.spec.releaseName}`;
  const message = `Helm ${kind} failed for release ${release} with chart ${chart.name}@${chart.version}: ${failure}`;
  copy.update({ failures: (copy.status.failures ?? 0) + 1 });
  copy.mark({ type: 'Released', status: 'False', reason, message });
  await around.events.write(copy.object, { type: 'Warning', reason, message });
}
