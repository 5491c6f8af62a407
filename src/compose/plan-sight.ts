import type { KubepkgError } from '../api/errors.ts';
import { ANNOTATION, API_VERSION } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { World } from '../domain/decide/world.ts';
import { withAssumedReleases, withOperatorAtWork } from '../domain/plan/assumed-releases.ts';
import { HEALTHY } from '../domain/plan/releases.ts';
import { releaseKey } from '../domain/decide/world.ts';
import { BackendWatches } from '../engine/backend-watches.ts';
import { CRD, CrdBook } from '../engine/crd-book.ts';
import { Deliveries } from '../engine/deliveries.ts';
import type { EngineDeps } from '../engine/engine-deps.ts';
import { gather } from '../engine/gather.ts';
import { Journal } from '../engine/journal.ts';
import { PlatformValues } from '../engine/platform-values.ts';
import { Preparations } from '../engine/preparations.ts';
import type { ReleaseAnswer, ReleaseQuestion } from '../engine/release-book.ts';
import type { Sight } from '../engine/sight.ts';
import { attempt, ifPossible } from './plan-attempt.ts';
import { MANY, type StillCluster } from './still-cluster.ts';

/** Records of Helm, by which two of the backends know their releases. */
export const RECORDS = {
  apiVersion: 'v1',
  kind: 'Secret',
  labelSelector: 'owner=helm',
  fieldSelector: 'type=helm.sh/release.v1',
  metadataOnly: true,
} as const;

/** The engine's eyes without its hands. */
export interface PlanSight {
  readonly sight: Sight;
  /** What stood against looking at releases, by `namespace/name`. */
  readonly unreadable: ReadonlyMap<string, KubepkgError>;
  readonly journal: Journal;
}

const nothing = (): void => undefined;

/** Everything that is shared between the packages is asked for here, once. */
export async function openSight(
  deps: EngineDeps & { readonly cluster: StillCluster },
  many: number,
): Promise<PlanSight> {
  const { cluster, clock, options } = deps;
  const kinds = ['Package', 'PackageSource', 'PackageRevision'].map((kind) => ({ apiVersion: API_VERSION, kind }));
  await Promise.all(kinds.map((selection) => cluster.take(selection)));
  // What may not be listed as a whole is asked for release by release.
  if (many >= MANY) await ifPossible(() => cluster.take(RECORDS), undefined);
  const journal = new Journal(cluster, { onPackage: nothing, onSource: nothing, onRevision: nothing });
  const platform = new PlatformValues(options.valuesSecret, nothing);
  await Promise.all([journal.start(), platform.start(cluster)]);
  const unreadable = new Map<string, KubepkgError>();
  const sight: Sight = {
    deps,
    journal,
    book: { ask: (question) => look(question, unreadable), markRelease: nothing, markUnlessPresent: nothing },
    deliveries: new Deliveries(clock),
    preparations: new Preparations(deps),
    // Nobody waits for news.
    watches: new BackendWatches({ cluster, backends: new Map(), onChange: nothing }),
    watchingSince: 0,
    savedValues: new Set(),
    crds: new CrdBook(cluster, nothing),
    platform,
    settledNamespaces: new Set(),
  };
  return { sight, unreadable, journal };
}

/** Only its record is read: what is delivered counts as ready, as everything does that a plan waits for. */
async function look(
  { backend, target, component }: ReleaseQuestion,
  unreadable: Map<string, KubepkgError>,
): Promise<ReleaseAnswer> {
  const unobserved = { status: 'unobserved', message: 'not read', notes: [] } as const;
  const { value: observation, error } = await attempt(() => backend.observe(target));
  if (error === undefined) return { observation, health: component === undefined ? unobserved : HEALTHY };
  unreadable.set(releaseKey(target), error);
  return { observation: { state: 'unknown', message: error.message }, health: HEALTHY };
}

/** The world of a package as it would be, while the operator does what it has begun. */
export async function gatherWorld(
  { sight, unreadable }: PlanSight,
  pkg: Package,
  cluster: StillCluster,
): Promise<World> {
  const first = await gather(sight, pkg);
  await cluster.settled();
  const world = first.crds?.kind === 'unread' ? await gather(sight, pkg) : first;
  const surplusPrivileges = await markedNamespaces(cluster, world.surplusPrivileges ?? []);
  const assumed = withAssumedReleases({ ...world, surplusPrivileges }, new Set(unreadable.keys()));
  return withOperatorAtWork(assumed);
}

/** Of a namespace whose level is not kubepkg's, nothing is taken back. */
async function markedNamespaces(cluster: StillCluster, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const namespace = await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name }, { metadataOnly: true });
      return namespace?.metadata.annotations?.[ANNOTATION.podSecurity] === undefined ? [] : [name];
    }),
  );
  return found.flat();
}

/** Every CRD of the cluster, without what grows with its schema. */
export const CRD_METADATA = { ...CRD, metadataOnly: true } as const;
