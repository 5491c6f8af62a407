import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { secretValuesOf } from '../../domain/plan/diff/clean.ts';
import { diffObjects } from '../../domain/plan/diff/object-change.ts';
import { at } from '../../lib/json.ts';
import { nameOfRevision } from './compare-revisions.ts';
import { type Comparison, type ComponentChange, isChanged } from './comparison.ts';
import { manifestObjects, readManifests } from './manifests.ts';
import type { Member } from './package-scope.ts';
import type { Sight } from './sight.ts';
import { projectLive } from './project.ts';

export interface LiveQuery {
  readonly revision: PackageRevision;
  readonly members: readonly Member[];
}

interface Pair {
  readonly component: string;
  readonly manifest: KubeObject;
  /** undefined: it could not be read. */
  readonly seen: { readonly live: KubeObject | undefined } | undefined;
}

/** Drift: where objects are not as the revision delivered them, in the fields that it has set. */
export async function compareLive(sight: Sight, { revision, members }: LiveQuery): Promise<Comparison> {
  // Never the live objects as the manifest, which would compare them with themselves.
  const manifests = await readManifests(sight, { revision, isNewest: false, members });
  const pairs = await Promise.all(
    manifests.flatMap((manifest) =>
      manifestObjects(manifest).map((object) => readPair(sight, manifest.component, object)),
    ),
  );
  const secretValues = secretValuesOf(pairs.flatMap(({ manifest, seen }) => [manifest, seen?.live]));
  const changes = pairs.flatMap((pair) => changeOf(pair, secretValues));
  const unread = sight.troubles.texts();
  return { before: nameOfRevision(revision), after: 'what runs', changes: changes.filter(isChanged), unread };
}

async function readPair({ cluster, troubles }: Sight, component: string, manifest: KubeObject): Promise<Pair> {
  const ref = refOf(manifest);
  const seen = await troubles.attempt(nameOf(ref), async () => ({ live: await cluster.read(ref) }));
  return { component, manifest, seen };
}

function changeOf({ component, manifest, seen }: Pair, secretValues: readonly string[]): readonly ComponentChange[] {
  if (seen === undefined) return [];
  const { live } = seen;
  if (live !== undefined) {
    return [{ component, change: diffObjects(manifest, projectLive(manifest, live), { secretValues }) }];
  }
  return mayVanish(manifest) ? [] : [{ component, change: diffObjects(manifest, undefined, { secretValues }) }];
}

/** A Job with a time to live removes itself once it has finished. */
function mayVanish(manifest: KubeObject): boolean {
  return manifest.kind === 'Job' && at(manifest, 'spec', 'ttlSecondsAfterFinished') !== undefined;
}
