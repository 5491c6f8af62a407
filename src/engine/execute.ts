import { asKubepkgError, describeError, isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ANNOTATION, API_VERSION, FINALIZER, LABEL } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { Evidence, PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import { timeoutOf } from '../domain/decide/deadline.ts';
import type { Action, FailedMember } from '../domain/decide/decision.ts';
import { ADOPTED } from '../domain/decide/surroundings.ts';
import { componentsOf, everyMember, isRestoring } from '../domain/decide/views.ts';
import { releaseKey, type World } from '../domain/decide/world.ts';
import type { PodRef } from '../domain/release/component-view.ts';
import { withEvidence } from '../domain/release/evidence.ts';
import { revisionName, withVersions } from '../domain/release/snapshot.ts';
import { assertNever } from '../lib/assert-never.ts';
import { parseTime } from '../lib/time.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import { executeOnCrds } from './crds.ts';
import { deliver, type DeliverRequest, handBackRelease, removeRelease, stopRelease, unlockRelease } from './deliver.ts';
import { collectEvidence } from './evidence.ts';
import type { Hands } from './hands.ts';
import { haltJobs } from './hook-jobs.ts';
import { ensureNamespace, restoreNamespace } from './namespaces.ts';
import { recordedDesired } from './platform-values.ts';
import { completeRevision, takeOverRevision } from './takeover.ts';
import { type NamedValues, readValues, saveValues } from './values.ts';

/** `again`: look anew at once; `pause`: only an event can change anything. */
export type Executed = 'again' | 'pause';

/** Does one action. What takes long goes on in the background and wakes the package when it ends. */
export async function execute(hands: Hands, world: World, action: Action): Promise<Executed> {
  const { name } = world.package.metadata;
  switch (action.kind) {
    case 'add-finalizer':
      await patchFinalizers(hands, name, (known) => [...known, FINALIZER]);
      return 'again';
    case 'prepare':
      return prepare(hands, world, action);
    case 'create-revision':
      await createRevision(hands, world, action);
      return 'again';
    case 'save-values':
      await saveRevisionValues(hands, world, action.revision);
      return 'again';
    case 'drop-annotations':
      await dropAnnotations(hands, world.package, action.annotations);
      return 'again';
    case 'take-over':
      await takeOverRevision(hands, action);
      return 'again';
    case 'complete-revision':
      await completeFormer(hands, world, action.revision);
      return 'again';
    case 'record':
      await recordStep(hands, world, action);
      return 'again';
    case 'deliver':
      return startDelivery(hands, world, action);
    case 'stop':
      return stop(hands, world, action.target);
    case 'hand-back':
      return inPlace(hands, name, () => handBackRelease(hands, backendOf(hands, world, action.target), action.target));
    case 'unlock':
      return inPlace(hands, name, () => unlockRelease(hands, backendOf(hands, world, action.target), action.target));
    case 'uninstall':
      return inPlace(hands, name, async () => {
        if (action.status !== undefined && action.revision !== undefined) {
          await record(hands, action.revision, action.status);
        }
        const timeoutMs = timeoutOf(world.package);
        removeRelease(hands, backendOf(hands, world, action.target), { ...action, timeoutMs });
      });
    case 'replace-pod':
      await deletePod(hands, action.pod);
      return 'pause';
    case 'claim-crds':
    case 'release-crds':
    case 'delete-crd':
      await executeOnCrds(hands, name, action);
      return 'again';
    case 'restore-namespace':
      await restoreNamespace(hands, world, action.namespace);
      return 'again';
    case 'end-adoption':
      await endAdoption(hands, world.package, action.revision);
      return 'again';
    case 'prune':
      await letGo(hands, action.revision);
      await deleteRevision(hands, action.revision);
      return 'again';
    case 'release-revision':
      await letGo(hands, action.revision);
      return 'again';
    case 'release-finalizer':
      await patchFinalizers(hands, name, (known) => known.filter((finalizer) => finalizer !== FINALIZER));
      return 'pause';
    default:
      return assertNever(action, 'action');
  }
}

/** A process of ours is killed; a controller is told. */
function stop(hands: Hands, world: World, target: ReleaseTarget): Promise<Executed> | Executed {
  if (hands.deliveries.view(target).kind !== 'running') {
    const observation = world.releases[releaseKey(target)]?.observation;
    const token = observation?.state === 'present' ? (observation.token ?? '') : '';
    return inPlace(hands, world.package.metadata.name, () => {
      stopRelease(hands, backendOf(hands, world, target), { target, token });
    });
  }
  hands.deliveries.stop(target);
  return 'pause';
}

/** One that took its place meanwhile has another UID, and is left alone. */
async function deletePod({ deps }: Hands, { namespace, name, uid }: PodRef): Promise<void> {
  try {
    await deps.cluster.write({ verb: 'delete', ref: { apiVersion: 'v1', kind: 'Pod', namespace, name }, uid });
  } catch (error) {
    if (!isCode(error, 'ApiNotFound', 'ApiConflict')) throw error;
  }
}

/** A list of finalizers is replaced whole: it is made from the newest one that is known, and names its version. */
async function patchFinalizers(
  { journal }: Hands,
  name: string,
  change: (known: readonly string[]) => readonly string[],
): Promise<void> {
  const metadata = journal.rawPackage(name)?.metadata;
  const finalizers = change(metadata?.finalizers ?? []);
  await patchPackage(journal, name, { finalizers, resourceVersion: metadata?.resourceVersion });
}

async function patchPackage(journal: Hands['journal'], name: string, metadata: object): Promise<void> {
  const ref = { apiVersion: API_VERSION, kind: 'Package', name };
  await journal.write({ verb: 'merge-patch', ref, patch: { metadata } });
}

function prepare(hands: Hands, world: World, { hooks }: Extract<Action, { kind: 'prepare' }>): Executed {
  const { resolution } = world;
  if (resolution?.kind !== 'resolved')
    throw new KubepkgError('Internal', 'a desired state that cannot be resolved was to be prepared');
  const { name } = world.package.metadata;
  const { desired } = resolution;
  const components = hooks ? [...desired.hooks, ...desired.components] : desired.components;
  hands.preparations.start({ ...desired, components }, () => {
    hands.wake(name);
  });
  return 'again';
}

/** The name is the lock: a second one of the same number is refused by the API server. */
async function createRevision(
  hands: Hands,
  world: World,
  { spec, annotations }: Extract<Action, { kind: 'create-revision' }>,
): Promise<void> {
  const { name, uid = '' } = world.package.metadata;
  const metadata = {
    name: revisionName(name, spec.revision),
    labels: { [LABEL.package]: name },
    annotations,
    finalizers: [FINALIZER],
    ownerReferences: [
      { apiVersion: API_VERSION, kind: 'Package', name, uid, controller: true, blockOwnerDeletion: true },
    ],
  };
  try {
    await hands.journal.write({
      verb: 'create',
      object: { apiVersion: API_VERSION, kind: 'PackageRevision', metadata, spec },
    });
  } catch (error) {
    if (isCode(error, 'ApiAlreadyExists', 'ApiConflict')) await letLeftoverGo(hands, metadata.name, uid);
    throw error;
  }
}

/** A revision of a former Package of that name, which nobody else will let go any more. */
async function letLeftoverGo(hands: Hands, name: string, owner: string): Promise<void> {
  const metadata = hands.journal.rawRevision(name)?.metadata;
  if (metadata === undefined || metadata.ownerReferences?.some(({ uid }) => uid === owner) === true) return;
  await letGo(hands, name);
  await deleteRevision(hands, name);
}

async function saveRevisionValues(hands: Hands, world: World, name: string): Promise<void> {
  const { deps, savedValues } = hands;
  const revision = findRevision(world, name);
  await ensureNamespace(deps.cluster, deps.options.namespace);
  const values = await lossOf(() => valuesOf(deps, world, revision));
  if (values instanceof KubepkgError) {
    await failUnsaved(hands, revision, values);
    return;
  }
  await saveValues(deps.cluster, revision, values);
  savedValues.add(revision.metadata.uid ?? '');
}

/** What cannot be had for good is an outcome, and no reason to try for ever. */
async function lossOf<T>(work: () => Promise<T>): Promise<T | KubepkgError> {
  try {
    return await work();
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class === 'transient' || error.class === 'bug') throw error;
    return error;
  }
}

/** A rollback whose values are gone is not completed, and says so. */
async function failUnsaved(hands: Hands, revision: PackageRevision, error: KubepkgError): Promise<void> {
  const { code } = error;
  const message = describeError(error);
  const status = { ...revision.status, phase: 'Failed', message, failure: { code, message } };
  await record(hands, revision.metadata.name, status);
}

/** A rollback takes them over from the revision that it restores; any other revision has them from what is wanted. */
async function valuesOf(
  { cluster, artifacts }: Hands['deps'],
  world: World,
  revision: PackageRevision,
): Promise<readonly NamedValues[]> {
  const { restoredFrom = 0, fromVersion: from, version: to } = revision.spec;
  if (restoredFrom > 0) {
    const restored = world.revisions.find(({ spec }) => spec.revision === restoredFrom);
    const components = restored === undefined ? [] : componentsOf(restored);
    return Promise.all(components.map(async (each) => ({ name: each.name, values: await readValues(cluster, each) })));
  }
  const { resolution } = world;
  if (resolution?.kind !== 'resolved') {
    throw new KubepkgError('Internal', `the values of revision ${revision.metadata.name} are not at hand`);
  }
  const { components, hooks } = await recordedDesired(artifacts, revision, resolution.desired);
  return [...components, ...withVersions(hooks, { from, to })];
}

async function completeFormer(hands: Hands, world: World, name: string): Promise<void> {
  const revision = findRevision(world, name);
  await completeRevision(hands, world, { revision, backend: backendNamed(hands, revision.spec.backend) });
}

/** False: what is asked now is not what was decided on, and is looked at first. */
async function dropAnnotations({ journal }: Hands, pkg: Package, names: readonly string[]): Promise<boolean> {
  const { name, annotations: decidedOn } = pkg.metadata;
  const newest = journal.rawPackage(name)?.metadata;
  if (names.some((each) => newest?.annotations?.[each] !== decidedOn?.[each])) return false;
  const annotations = Object.fromEntries(names.map((each) => [each, null]));
  await patchPackage(journal, name, { annotations, resourceVersion: newest?.resourceVersion });
  return true;
}

/** The evidence of a failure is kept before anything is undone; a hook that failed does not go on. */
async function recordStep(hands: Hands, world: World, action: Extract<Action, { kind: 'record' }>): Promise<void> {
  const { failed, revision, status } = action;
  // What is in the way of a release is somebody else's: neither looked into nor stopped.
  if (failed === undefined || world.releases[releaseKey(failed.target)]?.observation.state === 'foreign') {
    await record(hands, revision, status);
    return;
  }
  const { deps } = hands;
  const { target, part } = failed;
  const backend = backendOf(hands, world, target);
  const evidence = await evidenceOf(hands, world, { revision: findRevision(world, revision), failed, backend });
  const why = status.failure?.code ?? 'ComponentFailed';
  if (part === 'hooks') await haltJobs(deps.cluster, await backend.inventory(target, 'begun'), why);
  await record(hands, revision, evidence === undefined ? status : withEvidence(status, evidence));
}

interface Failed {
  readonly revision: PackageRevision;
  readonly failed: FailedMember;
  readonly backend: DeliverRequest['backend'];
}

/** Undefined: no revision tells any more what the component was like. */
async function evidenceOf(
  { deps }: Hands,
  world: World,
  { revision, failed: { target, part }, backend }: Failed,
): Promise<Evidence | undefined> {
  const component = memberAt(world, revision, target);
  if (component === undefined) return undefined;
  const options = { cluster: deps.cluster, namespace: deps.options.namespace };
  return collectEvidence(options, { revision, component, isHook: part === 'hooks', target, backend });
}

async function record(hands: Hands, name: string, status: unknown): Promise<void> {
  await hands.journal.writeStatus(rawRevision(hands, name), status);
}

/** The step is in the journal before the backend is asked; a place is held from before that on, so its clock starts then. */
async function startDelivery(
  hands: Hands,
  world: World,
  action: Extract<Action, { kind: 'deliver' }>,
): Promise<Executed> {
  const revision = findRevision(world, action.revision);
  const component = findMember(revision, action.component);
  const request: DeliverRequest = {
    action,
    component,
    adopt: revision.spec.adopt ?? false,
    timeoutMs: timeoutOf(world.package),
    rollback: isRestoring(revision),
    hookSince: hookSince(revision, action),
    packageUid: world.package.metadata.uid ?? '',
    revisionUid: revision.metadata.uid ?? '',
    backend: backendNamed(hands, revision.spec.backend),
  };
  return inPlace(hands, world.package.metadata.name, async () => {
    if (action.status !== undefined) await record(hands, action.revision, action.status);
    deliver(hands, request);
  });
}

/** When the revision came to that hook, which may be now; undefined: it is none. */
function hookSince(
  { status: before }: PackageRevision,
  { status = before, component }: Extract<Action, { kind: 'deliver' }>,
): DeliverRequest['hookSince'] {
  const [former, progress] = [before, status].map((each) => each?.hooks?.find(({ name }) => name === component));
  if (progress?.startedAt === undefined) return undefined;
  return (former?.attempt ?? 0) === 0 ? 'now' : parseTime(progress.startedAt);
}

/** Starts something that holds a place in the pool, from before its start until its end. */
async function inPlace(hands: Hands, pkg: string, start: () => Promise<void> | void): Promise<Executed> {
  if (!hands.pool.reserve(pkg)) return 'pause';
  try {
    await start();
  } catch (error) {
    hands.pool.release();
    throw error;
  }
  return 'again';
}

/** First from the Package, then noted: whoever sets it again later means the next revision. */
async function endAdoption(hands: Hands, pkg: Package, revision: string): Promise<void> {
  if (!(await dropAnnotations(hands, pkg, [ANNOTATION.adopt]))) return;
  const ref = { apiVersion: API_VERSION, kind: 'PackageRevision', name: revision };
  const patch = { metadata: { annotations: { [ANNOTATION.adopt]: ADOPTED } } };
  await hands.journal.write({ verb: 'merge-patch', ref, patch });
}

async function letGo(hands: Hands, name: string): Promise<void> {
  const { metadata } = rawRevision(hands, name);
  const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  const ref = { apiVersion: API_VERSION, kind: 'PackageRevision', name };
  await hands.journal.write({
    verb: 'merge-patch',
    ref,
    patch: { metadata: { finalizers, resourceVersion: metadata.resourceVersion } },
  });
}

async function deleteRevision(hands: Hands, name: string): Promise<void> {
  const { uid } = rawRevision(hands, name).metadata;
  const ref = { apiVersion: API_VERSION, kind: 'PackageRevision', name };
  try {
    await hands.journal.write({ verb: 'delete', ref, uid });
  } catch (error) {
    if (!isCode(error, 'ApiNotFound')) throw error;
  }
}

function findRevision(world: World, name: string): PackageRevision {
  const revision = world.revisions.find((candidate) => candidate.metadata.name === name);
  if (revision === undefined)
    throw new KubepkgError('Internal', `revision ${name} is not among the revisions that were read`);
  return revision;
}

/** Also of a former revision: a rollback takes away what the target does not have, and may fail to. */
function memberAt(world: World, revision: PackageRevision, target: ReleaseTarget): RevisionComponent | undefined {
  const owners = [revision, ...[...world.revisions].reverse()];
  const members = owners.flatMap((owner) => everyMember(owner));
  return members.find((each) => each.name === target.component && releaseKey(each) === releaseKey(target));
}

function findMember(revision: PackageRevision, name: string): RevisionComponent {
  const member = everyMember(revision).find((candidate) => candidate.name === name);
  if (member === undefined) throw new KubepkgError('Internal', `${revision.metadata.name} has no component ${name}`);
  return member;
}

function rawRevision(hands: Hands, name: string): KubeObject {
  const object = hands.journal.rawRevision(name);
  if (object === undefined) throw new KubepkgError('ApiNotFound', `PackageRevision ${name} is gone`);
  return object;
}

function backendOf(hands: Hands, world: World, target: ReleaseTarget): DeliverRequest['backend'] {
  return backendNamed(hands, world.releases[releaseKey(target)]?.backend);
}

function backendNamed(hands: Hands, name: string | undefined): DeliverRequest['backend'] {
  const id = name ?? hands.deps.options.defaultBackend;
  const backend = hands.deps.backends.get(id);
  if (backend === undefined)
    throw new KubepkgError('InvalidConfiguration', `backend ${id} is not one of this operator's backends`);
  return backend;
}
