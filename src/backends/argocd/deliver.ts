import { asKubepkgError, isCode, KubepkgError } from '../../api/errors.ts';
import { refuseStopped } from '../../helm/refuse-stopped.ts';
import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import { isTaken } from '../../domain/release/observation.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { DesiredRelease, ReleaseObservation, SubmitOutcome } from '../../ports/backend.ts';
import { APPLICATION, applicationRef, readApplication } from './application.ts';
import { examine, type Examined } from './examine.ts';
import { observeWith } from './observe.ts';
import { operationInProgress } from './operation.ts';
import { prepare } from './prepare.ts';
import { rewrite } from './rewrite.ts';
import { historyLimit } from './size.ts';
import { endOperation } from './stop.ts';
import type { ArgoCdTools } from './tools.ts';
import { translateApplication } from './translate.ts';

/** Found while nothing was written yet. */
const REFUSALS = [
  'ValuesInvalid',
  'ArchiveInvalid',
  'OwnershipConflict',
  'ImmutableField',
  'ApiInvalid',
  'ReleaseTooLarge',
] as const;
const ACCEPTED: SubmitOutcome = { kind: 'accepted' };

export interface DeliveryRequest {
  /** What the decision was taken on. */
  readonly observed: ReleaseObservation;
  readonly signal: AbortSignal;
}

/** Looks once more, so that nothing is done on old knowledge, then tells Argo CD what to sync. */
export async function deliver(
  release: DesiredRelease,
  { observed, signal }: DeliveryRequest,
  tools: ArgoCdTools,
): Promise<SubmitOutcome> {
  const ref = applicationRef(release, tools.options.namespace);
  const live = await tools.cluster.read(ref);
  const standing = await observeWith(release, live, tools);
  const settled = judge(release, observed, standing) ?? (await makeWay(live, tools));
  if (settled !== undefined) return settled;
  const examined = await tryExamine(release, { live, signal }, tools);
  if (examined instanceof KubepkgError) return { kind: 'refused', error: examined };
  const location = await tools.charts.locate(release.chart, signal);
  await prepare(release, { examined, live, signal }, tools);
  const { options, clock } = tools;
  if (standing.state === 'absent' && (await isTakenMeanwhile(release, tools))) return changed(release);
  const instruction = { release, location, objects: examined.objects, options, now: clock.now() };
  const write = (newest: KubeObject | undefined): KubeObject => {
    refuseStopped(signal, 'Argo CD was told anything');
    return translateApplication(instruction, unlessMoved(live, newest));
  };
  await rewrite(ref, write, tools.cluster);
  return ACCEPTED;
}

/** Somebody has installed a release of that name while the chart was examined. */
async function isTakenMeanwhile(release: DesiredRelease, tools: ArgoCdTools): Promise<boolean> {
  return (await observeWith(release, undefined, tools)).state !== 'absent';
}

/** Argo CD may write its status at any time; what was examined must still hold. */
function unlessMoved(examined: KubeObject | undefined, newest: KubeObject | undefined): KubeObject | undefined {
  const [before, now] = [examined, newest].map((object) => (object === undefined ? undefined : essenceOf(object)));
  if (before === now) return newest;
  const name = nameOf(refOf(newest ?? examined ?? { ...APPLICATION, metadata: { name: '' } }));
  throw new KubepkgError('ApiConflict', `${name} changed since it was looked at`);
}

/** What a status that Argo CD writes by itself does not change. */
function essenceOf(application: KubeObject): string {
  const { token, wanted, newest, deletedAt } = readApplication(application);
  const { uid } = application.metadata;
  const { token: occupant, by } = operationInProgress(application) ?? {};
  return stableJson({ uid, token, wanted, id: newest?.id, deletedAt, occupant, by });
}

/** What ends a delivery before it begins. */
function judge(
  release: DesiredRelease,
  decidedOn: ReleaseObservation,
  live: ReleaseObservation,
): SubmitOutcome | undefined {
  const name = `release ${release.namespace}/${release.releaseName}`;
  if (isInstructed(live, release.token)) return ACCEPTED;
  if (hasChanged(decidedOn, live)) return changed(release);
  if (isTaken(live, release)) return refused(live.state === 'foreign' ? live.message : name);
  if (live.state === 'unknown') return failed('ApiConflict', `${name} cannot be judged: ${live.message}`);
  const isGoing = live.state === 'present' && ['draining', 'removing'].includes(live.delivery);
  return isGoing ? failed('ReleaseLocked', `${name} is locked: ${live.message}`) : undefined;
}

/** Argo CD has been told by this very attempt, and it has not failed. */
function isInstructed(live: ReleaseObservation, token: string): boolean {
  return live.state === 'present' && live.token === token && ['delivered', 'underway'].includes(live.delivery);
}

/** A controller goes on meanwhile; what may not change is who has the release, and what was delivered last. */
function hasChanged(before: ReleaseObservation, live: ReleaseObservation): boolean {
  if (before.state !== live.state) return true;
  return before.state === 'present' && live.state === 'present' && before.revision !== live.revision;
}

/** Argo CD runs one operation at a time. One of ours is ended; somebody else's ends by itself. */
async function makeWay(live: KubeObject | undefined, tools: ArgoCdTools): Promise<SubmitOutcome | undefined> {
  const operation = live === undefined ? undefined : operationInProgress(live);
  if (live === undefined || operation === undefined) return undefined;
  const name = nameOf(refOf(live));
  if (operation.token === undefined) {
    return failed('ReleaseLocked', `${name}: an operation started by ${operation.by} is in progress`);
  }
  await endOperation(refOf(live), tools);
  return failed('ReleaseLocked', `${name}: the operation of an earlier attempt is being stopped`);
}

async function tryExamine(
  release: DesiredRelease,
  { live, signal }: { readonly live: KubeObject | undefined; readonly signal: AbortSignal },
  tools: ArgoCdTools,
): Promise<Examined | KubepkgError> {
  const hasRun = live !== undefined && readApplication(live).newest !== undefined;
  try {
    historyLimit(release);
    return await examine(release, { live, mode: hasRun ? 'upgrade' : 'install', signal }, tools);
  } catch (error) {
    if (isCode(error, ...REFUSALS)) return error;
    throw asKubepkgError(error);
  }
}

function refused(message: string): SubmitOutcome {
  const hint = 'remove it, choose another release name, or adopt it with the annotation kubepkg.dev/adopt';
  return { kind: 'refused', error: new KubepkgError('OwnershipConflict', message, { hint }) };
}

function changed({ namespace, releaseName }: DesiredRelease): SubmitOutcome {
  return failed('ApiConflict', `release ${namespace}/${releaseName} changed since it was looked at`);
}

function failed(code: 'ApiConflict' | 'ReleaseLocked', message: string): SubmitOutcome {
  return { kind: 'failed', error: new KubepkgError(code, message) };
}
