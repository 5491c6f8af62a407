import { isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ANNOTATION, API_VERSION, FINALIZER, LABEL } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { PackageRevision } from '../api/package-revision.ts';
import type { Action } from '../domain/decide/decision.ts';
import { componentsOf } from '../domain/decide/views.ts';
import { releaseKey, type World } from '../domain/decide/world.ts';
import { revisionName } from '../domain/release/snapshot.ts';
import { assertNever } from '../lib/assert-never.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import { deliver, removeRelease, unlockRelease, type DeliverRequest } from './deliver.ts';
import type { Hands } from './hands.ts';
import { ensureNamespace } from './namespaces.ts';
import { saveValues } from './values.ts';

/** `again`: look anew at once; `pause`: only an event can change anything. */
export type Executed = 'again' | 'pause';

/** Does one action. What takes long goes on in the background and wakes the package when it ends. */
export async function execute(hands: Hands, world: World, action: Action): Promise<Executed> {
  const { name } = world.package.metadata;
  switch (action.kind) {
    case 'add-finalizer':
      await patchFinalizers(hands, [...(world.package.metadata.finalizers ?? []), FINALIZER]);
      return 'again';
    case 'prepare':
      return prepare(hands, world);
    case 'create-revision':
      await createRevision(hands, world, action);
      return 'again';
    case 'save-values':
      await saveRevisionValues(hands, world, action.revision);
      return 'again';
    case 'record':
      await record(hands, action.revision, action.status);
      return 'again';
    case 'deliver':
      return startDelivery(hands, world, action);
    case 'stop':
      hands.deliveries.stop(releaseKey(action.target));
      return 'pause';
    case 'unlock':
      return inPlace(hands, name, () => unlockRelease(hands, backendOf(hands, world, action.target), action.target));
    case 'uninstall':
      return inPlace(hands, name, () => removeRelease(hands, backendOf(hands, world, action.target), action.target));
    case 'prune':
      await letGo(hands, action.revision);
      await deleteRevision(hands, action.revision);
      return 'again';
    case 'release-revision':
      await letGo(hands, action.revision);
      return 'again';
    case 'release-finalizer':
      await patchFinalizers(
        hands,
        (world.package.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER),
      );
      return 'pause';
    default:
      return assertNever(action, 'action');
  }

  /** Names the version that it builds on, since a list of finalizers is replaced whole. */
  async function patchFinalizers({ journal }: Hands, finalizers: readonly string[]): Promise<void> {
    // The status that announced this step has just been written, so the version is not the one that was gathered.
    const resourceVersion = journal.rawPackage(name)?.metadata.resourceVersion;
    const ref = { apiVersion: API_VERSION, kind: 'Package', name };
    await journal.write({ verb: 'merge-patch', ref, patch: { metadata: { finalizers, resourceVersion } } });
  }
}

function prepare(hands: Hands, world: World): Executed {
  const { resolution } = world;
  if (resolution?.kind !== 'resolved')
    throw new KubepkgError('Internal', 'a desired state that cannot be resolved was to be prepared');
  const { name } = world.package.metadata;
  hands.preparations.start(resolution.desired, () => {
    hands.wake(name);
  });
  return 'again';
}

/** The name is the lock: a second one of the same number is refused by the API server. */
async function createRevision(
  hands: Hands,
  world: World,
  { spec, digest }: Extract<Action, { kind: 'create-revision' }>,
): Promise<void> {
  const { name, uid = '' } = world.package.metadata;
  const metadata = {
    name: revisionName(name, spec.revision),
    labels: { [LABEL.package]: name },
    annotations: { [ANNOTATION.desiredDigest]: digest, ...retryOf(world.package) },
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

/** The token that its digest was made with. */
function retryOf({ metadata }: Package): Record<string, string> {
  const retry = metadata.annotations?.[ANNOTATION.retry];
  return retry === undefined ? {} : { [ANNOTATION.retry]: retry };
}

async function saveRevisionValues(hands: Hands, world: World, name: string): Promise<void> {
  const revision = findRevision(world, name);
  const { resolution } = world;
  if (resolution?.kind !== 'resolved')
    throw new KubepkgError('Internal', `the values of revision ${name} are not at hand`);
  await ensureNamespace(hands.deps.cluster, hands.deps.options.namespace, false);
  await saveValues(hands.deps.cluster, revision, resolution.desired.components);
  hands.savedValues.add(revision.metadata.uid ?? '');
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
  const component = componentsOf(revision).find((candidate) => candidate.name === action.component);
  if (component === undefined)
    throw new KubepkgError('Internal', `revision ${action.revision} has no component ${action.component}`);
  const request: DeliverRequest = {
    action,
    component,
    adopt: revision.spec.adopt ?? false,
    packageUid: world.package.metadata.uid ?? '',
    revisionUid: revision.metadata.uid ?? '',
    backend: backendNamed(hands, revision.spec.backend),
  };
  return inPlace(hands, world.package.metadata.name, async () => {
    if (action.status !== undefined) await record(hands, action.revision, action.status);
    deliver(hands, request);
  });
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
    await hands.journal.write({ verb: 'delete', ref, ...(uid === undefined ? {} : { uid }) });
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
