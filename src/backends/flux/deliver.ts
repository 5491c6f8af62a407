import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { isTaken } from '../../domain/release/observation.ts';
import { writeCrds } from '../../helm/create-crds.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';
import { interpretAnyones, type RecordHead } from '../../helm/interpret.ts';
import { protectData } from '../../helm/protect-data.ts';
import { recreateFinishedJobs } from '../../helm/recreate-jobs.ts';
import type { DesiredRelease, PresentRelease, ReleaseObservation, SubmitOutcome } from '../../ports/backend.ts';
import { type Examined, examine, isRefusal } from './examine.ts';
import { factsOf } from './facts.ts';
import { STAMP } from './names.ts';
import { judgeRecords, look, movedOn, type Sight } from './observe.ts';
import { refuseOtherTarget } from './other-target.ts';
import { isUninstructed, situationOf } from './situation.ts';
import type { FluxTools } from './tools.ts';
import { writeRelease } from './write-release.ts';

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };
const ADOPT_HINT = 'remove it, choose another release name, or adopt it with the annotation kubepkg.dev/adopt';

export interface DeliveryRequest {
  /** What the decision was taken on. */
  readonly observed: ReleaseObservation;
  readonly signal: AbortSignal;
}

/** Looks once more, so that nothing is done on old knowledge, then instructs Flux. */
export async function deliver(
  release: DesiredRelease,
  { observed, signal }: DeliveryRequest,
  tools: FluxTools,
): Promise<SubmitOutcome> {
  const sight = await look(release, tools);
  const heads = await tools.store.heads(release);
  const obstacle = findObstacle(release, observed, sight) ?? findForeign(release, sight, heads);
  if (obstacle !== undefined) return obstacle;
  const mode = modeOf(heads);
  const examined = await refusalOf(() => examine(release, { mode, heads, signal }, tools));
  if (examined instanceof KubepkgError) return { kind: 'refused', error: examined };
  await prepare(release, { mode, heads, examined, signal }, tools);
  const notes = { ...adoptionNote(sight, heads), [STAMP.vanishing]: examined.vanishing };
  const lastLook = (): Promise<void> => refuseNewcomer(release, { sight, heads }, tools);
  await writeRelease({ release, objects: examined.objects, notes, signal, lastLook }, sight.helmRelease, tools.cluster);
  return ACCEPTED;
}

/** P21: while Flux was told nothing for it, whatever release there is, is somebody else's. */
function findForeign(
  release: DesiredRelease,
  { helmRelease }: Sight,
  heads: readonly RecordHead[],
): SubmitOutcome | undefined {
  if (helmRelease === undefined || !isUninstructed(helmRelease)) return undefined;
  const standing = judgeRecords(release, heads);
  return standing.state === 'foreign' && isTaken(standing, release) ? refused(standing.message) : undefined;
}

/** Somebody may have installed a release of that name while the chart was examined. */
async function refuseNewcomer(
  release: DesiredRelease,
  { sight: { helmRelease }, heads }: { readonly sight: Sight; readonly heads: readonly RecordHead[] },
  { store }: FluxTools,
): Promise<void> {
  if (helmRelease !== undefined && !isUninstructed(helmRelease)) return;
  const [newest] = await store.heads(release);
  if (newest?.uid !== heads[0]?.uid) throw movedOn(release);
}

/** What stands against it at this moment, or that it is done already. */
function findObstacle(
  release: DesiredRelease,
  decidedOn: ReleaseObservation,
  { helmRelease, observation: live }: Sight,
): SubmitOutcome | undefined {
  if (isInstructed(live, release.token)) return ACCEPTED;
  if (isOutOfDate(decidedOn, live)) return { kind: 'failed', error: movedOn(release) };
  if (live.state === 'present') return helmRelease === undefined ? undefined : findLock(live, helmRelease);
  if (live.state !== 'foreign') return undefined;
  if (isTaken(live, release)) return refused(live.message);
  const error = helmRelease === undefined ? undefined : refuseOtherTarget(helmRelease, release);
  return error === undefined ? undefined : { kind: 'refused', error };
}

/** It is being removed, or somebody suspended it, and so wants nothing to happen. */
function findLock({ delivery, message }: PresentRelease, helmRelease: KubeObject): SubmitOutcome | undefined {
  const isGoing = delivery === 'draining' || delivery === 'removing';
  const isPaused = delivery === 'underway' && situationOf(factsOf(helmRelease)) === 'paused';
  if (!isGoing && !isPaused) return undefined;
  return { kind: 'failed', error: new KubepkgError('ReleaseLocked', message) };
}

/** This very attempt was written, and not stopped since. */
function isInstructed(live: ReleaseObservation, token: string): boolean {
  if (live.state !== 'present' || live.token !== token) return false;
  return live.delivery === 'delivered' || live.delivery === 'underway';
}

function isOutOfDate(before: ReleaseObservation, live: ReleaseObservation): boolean {
  if (before.state !== live.state) return true;
  if (before.state !== 'present' || live.state !== 'present') return false;
  return before.revision !== live.revision || before.token !== live.token;
}

/** By the release records, whoever made them: the hooks of an installation run until something was delivered. */
function modeOf(heads: readonly RecordHead[]): DeliveryMode {
  const standing = interpretAnyones(heads);
  if (standing.state === 'absent') return 'install';
  return standing.state === 'present' && !standing.everDelivered ? 'replace' : 'upgrade';
}

async function prepare(
  release: DesiredRelease,
  { mode, heads, examined, signal }: PrepareContext,
  tools: FluxTools,
): Promise<void> {
  if (mode === 'upgrade') await protectData(await tools.store.inventory(release, { heads }), tools.cluster);
  await writeCrds(examined.crds, signal, { release, cluster: tools.cluster });
  if (mode !== 'install' && release.recreate !== 'Never') await recreateFinishedJobs(release, heads, tools);
}

interface PrepareContext {
  readonly mode: DeliveryMode;
  readonly heads: readonly RecordHead[];
  readonly examined: Examined;
  readonly signal: AbortSignal;
}

/** Until something of ours is delivered, the release is still somebody else's. */
function adoptionNote(
  { observation, helmRelease }: Sight,
  heads: readonly RecordHead[],
): Readonly<Record<string, string>> {
  const newest = heads[0];
  const isFirst = observation.state === 'foreign' || (helmRelease !== undefined && isUninstructed(helmRelease));
  const isTakeover = isFirst && newest !== undefined && newest.status !== 'uninstalled';
  return isTakeover || isUndelivered(helmRelease, newest) ? { [STAMP.adopted]: String(newest?.revision ?? 0) } : {};
}

function isUndelivered(helmRelease: KubeObject | undefined, newest: RecordHead | undefined): boolean {
  const adopted = helmRelease?.metadata.annotations?.[STAMP.adopted];
  return adopted !== undefined && adopted === String(newest?.revision);
}

async function refusalOf<T>(work: () => Promise<T>): Promise<T | KubepkgError> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}

function refused(message: string): SubmitOutcome {
  return { kind: 'refused', error: new KubepkgError('OwnershipConflict', message, { hint: ADOPT_HINT }) };
}
