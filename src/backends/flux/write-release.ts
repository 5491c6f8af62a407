import { isCode } from '../../api/errors.ts';
import { refuseStopped } from '../../helm/refuse-stopped.ts';
import { type KubeObject, refOf } from '../../api/kube.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { again } from './again.ts';
import { ensureCompanion, sweepCompanions } from './companions.ts';
import { companionsIn, isSuspended } from './facts.ts';
import { HELM_RELEASE, helmReleaseRef, STAMP } from './names.ts';
import { movedOn } from './observe.ts';
import { type FluxObjects, ownedBy } from './translate.ts';

interface Writing {
  readonly release: DesiredRelease;
  readonly objects: FluxObjects;
  /** Further annotations, which a later delivery leaves alone. */
  readonly notes: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Right before Flux is told: fails when it must not be. */
  readonly lastLook: () => Promise<void>;
}

/**
 * The HelmRelease is there first, suspended: what belongs to it names it as its owner and goes with it, whoever removes
 * it, and nothing is left behind by a process that dies in between. Then it is replaced whole. What the spec before
 * used stays until the next delivery, as a turn of helm-controller may be at work with it.
 */
export async function writeRelease(writing: Writing, known: KubeObject | undefined, cluster: Cluster): Promise<void> {
  const { release, objects } = writing;
  const owner = known ?? (await createStub(writing, cluster));
  const companions = [objects.source, objects.values];
  for (const companion of companions) await ensureCompanion(ownedBy(companion, owner), cluster);
  const used = [...companions.map((object) => refOf(object)), ...companionsIn(owner)];
  await sweepCompanions(release, used, cluster);
  await again(() => replaceWhole(writing, owner, cluster));
}

async function createStub(writing: Writing, cluster: Cluster): Promise<KubeObject> {
  try {
    return await cluster.write({ verb: 'create', object: stub(writing) });
  } catch (error) {
    if (isCode(error, 'ApiAlreadyExists')) throw movedOn(writing.release);
    throw error;
  }
}

/** Of its attempt nothing may happen yet, which it says itself. */
function stub({ release, objects }: Writing): KubeObject {
  const { labels, annotations, spec } = objects.helmRelease;
  const { releaseName: name, namespace, token, digest } = release;
  const { [STAMP.instructedAt]: instructedAt = '' } = annotations;
  const notes = {
    [STAMP.attempt]: token,
    [STAMP.stopped]: token,
    [STAMP.digest]: digest,
    [STAMP.instructedAt]: instructedAt,
  };
  return {
    ...HELM_RELEASE,
    metadata: { name, namespace, labels, annotations: notes },
    spec: { ...spec, suspend: true },
  };
}

async function replaceWhole(writing: Writing, owner: KubeObject, cluster: Cluster): Promise<void> {
  const [live] = await Promise.all([cluster.read(helmReleaseRef(writing.release)), writing.lastLook()]);
  if (live === undefined || !isSameAttempt(live, owner)) throw movedOn(writing.release);
  refuseStopped(writing.signal, 'Flux was instructed');
  await cluster.write({ verb: 'replace', object: replacement(live, writing) });
}

/** Nobody instructed it otherwise since it was looked at, suspended it or is removing it. */
function isSameAttempt(live: KubeObject, owner: KubeObject): boolean {
  const attemptOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[STAMP.attempt];
  return (
    live.metadata.uid === owner.metadata.uid &&
    live.metadata.deletionTimestamp === undefined &&
    attemptOf(live) === attemptOf(owner) &&
    isSuspended(live) === isSuspended(owner)
  );
}

/** Labels, annotations and finalizers of others stay; what was noted for a former attempt does not. */
function replacement(live: KubeObject, { objects, notes }: Writing): KubeObject {
  const { labels, annotations, spec } = objects.helmRelease;
  const ours: readonly string[] = Object.values(STAMP);
  const others = Object.entries(live.metadata.annotations ?? {}).filter(([key]) => !ours.includes(key));
  const former = asString(at(asArray(at(live, 'status', 'history'))[0], 'digest')) ?? '';
  return {
    ...HELM_RELEASE,
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...labels },
      annotations: { ...Object.fromEntries(others), ...annotations, ...notes, [STAMP.former]: former },
    },
    spec,
  };
}
