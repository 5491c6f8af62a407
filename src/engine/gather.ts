import { isCode } from '../api/errors.ts';
import { ANNOTATION } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { PackageSource } from '../api/package-source.ts';
import { everyMember, inProgress } from '../domain/decide/views.ts';
import type { World } from '../domain/decide/world.ts';
import { unresolvable, type Resolution } from '../domain/resolve/desired.ts';
import { platformValuesOf } from '../domain/resolve/platform-values.ts';
import { resolvePackage } from '../domain/resolve/resolve-package.ts';
import type { Backend } from '../ports/backend.ts';
import type { EngineDeps } from './engine-deps.ts';
import { backendsOf, findStrays, observeReleases } from './gather-releases.ts';
import { gatherNeighbours } from './requirements.ts';
import type { Sight } from './sight.ts';
import { viewSurroundings } from './surroundings.ts';

/** All that the decision may look at, read once. */
export async function gather(sight: Sight, pkg: Package): Promise<World> {
  const { journal, deps } = sight;
  const { name } = pkg.metadata;
  const revisions = journal.revisions(pkg);
  const resolution = resolve(sight, pkg);
  const desired = resolution?.kind === 'resolved' ? resolution.desired : undefined;
  const world: World = {
    now: deps.clock.now(),
    watchingSince: sight.watchingSince,
    package: pkg,
    resolution,
    sourceGeneration: journal.sourceGeneration(name),
    revisions,
    preparation: desired === undefined ? { kind: 'none' } : sight.preparations.view(name, desired.digest),
    valuesSaved: false,
    unmetRequirements: [],
    conflicts: [],
    leavingDependents: [],
    dependencies: {},
    releases: {},
    strays: [],
    valuesNamespace: deps.options.namespace,
  };
  await Promise.all(backendsOf(sight, world).map((id) => sight.watches.need(id)));
  const strays = await findStrays(sight, world);
  const releases = await observeReleases(sight, { ...world, strays });
  const valuesSaved = await areValuesSaved(sight, world);
  const surroundings = await viewSurroundings(sight, world);
  // Last: whether a revision may start is asked as late as can be.
  const neighbours = await gatherNeighbours(sight, world);
  return { ...world, ...surroundings, ...neighbours, strays, now: deps.clock.now(), releases, valuesSaved };
}

function resolve(sight: Sight, pkg: Package): Resolution | undefined {
  const { journal, deps, platform } = sight;
  const source = journal.source(pkg.metadata.name);
  if (source === undefined) return undefined;
  if (!source.ok) return unresolvable('InvalidConfiguration', source.error.message);
  const values = platform.view();
  const resolution = resolvePackage(pkg, source.value, {
    defaultBackend: deps.options.defaultBackend,
    platformValues: values.kind === 'known' ? values.values : undefined,
  });
  if (resolution.kind === 'unresolvable') return resolution;
  const { backend } = resolution.desired;
  const chosen = deps.backends.get(backend);
  if (chosen !== undefined) return secretsObstacle(sight, chosen, source.value) ?? resolution;
  const known = [...deps.backends.keys()].join(', ');
  return unresolvable(
    'InvalidConfiguration',
    `spec.backend "${backend}" is not one of this operator's backends (${known})`,
  );
}

/** A backend that shows values to whoever may look at its objects gets none that come from a Secret. */
function secretsObstacle(
  { platform }: Sight,
  { id, capabilities }: Backend,
  source: PackageSource,
): Resolution | undefined {
  const view = platform.view();
  const values = platformValuesOf(source, view.kind === 'known' ? view.values : undefined);
  if (capabilities.secretValues || values === undefined || Object.keys(values).length === 0) return undefined;
  return unresolvable(
    'InvalidConfiguration',
    `the package gets values of the platform's Secret, which backend ${id} would show in its own objects: let the operator write them there, leave them out with annotation ${ANNOTATION.skipPlatformValues}=true on the PackageSource, or choose another backend`,
  );
}

/** Asked once for a revision: what is saved stays saved as long as the revision. */
async function areValuesSaved(sight: Sight, world: World): Promise<boolean> {
  const current = inProgress(world);
  const ref =
    current === undefined
      ? undefined
      : everyMember(current).find(({ valuesRef }) => valuesRef !== undefined)?.valuesRef;
  const uid = current?.metadata.uid;
  if (ref === undefined || uid === undefined || sight.savedValues.has(uid)) return true;
  const secret = await readMetadata(sight, ref);
  const saved = secret?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  if (saved) sight.savedValues.add(uid);
  return saved;
}

async function readMetadata(
  { deps }: Sight,
  ref: { readonly namespace: string; readonly name: string },
): ReturnType<EngineDeps['cluster']['read']> {
  try {
    const { namespace, name } = ref;
    return await deps.cluster.read({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { metadataOnly: true });
  } catch (error) {
    if (isCode(error, 'ApiNotFound')) return undefined;
    throw error;
  }
}
