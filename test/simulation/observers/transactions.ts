import type { PackageRevision } from '../../../src/api/package-revision.ts';
import { compareVersions } from '../compare-versions.ts';
import type { Stage } from '../stage.ts';
import { isRunning, nameOfRevision, revisionsOf } from './revisions.ts';

interface Submitted {
  readonly version: string;
  readonly revision: number;
}

/** I4 and I5: one revision at a time, and never back over a version that does not declare itself safe. */
export class TransactionObserver {
  readonly #world: Stage;
  /** What has been submitted of each package (by its UID), in the order of revisions. */
  readonly #submitted = new Map<string, Submitted[]>();
  readonly #judged = new Set<string>();

  constructor(world: Stage) {
    this.#world = world;
  }

  revisionChanged(after: PackageRevision): void {
    const running = revisionsOf(this.#world.cluster, after.spec.package).filter((revision) => isRunning(revision));
    if (running.length > 1) {
      const names = running.map((revision) => nameOfRevision(revision)).join(' and ');
      this.#world.ledger.violate('I5', `in progress at once: ${names}`);
    }
  }

  deliveryBegins(pkg: string, revision: PackageRevision): void {
    const owner = revision.metadata.ownerReferences?.[0]?.uid ?? pkg;
    const known = this.#submitted.get(owner) ?? [];
    const { uid = '' } = revision.metadata;
    if (!this.#judged.has(uid)) this.#judge(revision, known);
    this.#judged.add(uid);
    const { version, revision: number } = revision.spec;
    this.#submitted.set(owner, [...known, { version, revision: number }]);
  }

  /** At the first thing that it does. */
  #judge(revision: PackageRevision, known: readonly Submitted[]): void {
    const { spec } = revision;
    const revisions = revisionsOf(this.#world.cluster, spec.package);
    const target = restoredVersion(revision, revisions);
    const since = known.filter(({ revision: number }) => number >= baseOf(revision, revisions));
    const over = since.filter(({ version }) => compareVersions(version, target) > 0);
    const { forced } = this.#world.editor;
    const unsafe = over.find(
      ({ version }) => !this.#isSafe(spec.package, version) && !forced.has(`${spec.package} ${version}`),
    );
    if (unsafe === undefined) return;
    const text = `${nameOfRevision(revision)} goes back to ${target} over ${unsafe.version}, which is not safe`;
    this.#world.ledger.violate('I4', text);
  }

  #isSafe(pkg: string, version: string): boolean {
    const plan = this.#world.universe.find(({ name }) => name === pkg);
    return plan?.versions.find((candidate) => candidate.version === version)?.safe === true;
  }
}

function restoredVersion({ spec }: PackageRevision, revisions: readonly PackageRevision[]): string {
  const restored = revisions.find((revision) => revision.spec.revision === spec.restoredFrom);
  return restored?.spec.version ?? spec.version;
}

/** Number of the revision from which on everything that was submitted is gone back over. */
function baseOf({ spec }: PackageRevision, revisions: readonly PackageRevision[]): number {
  if ((spec.restoredFrom ?? 0) > 0) return spec.restoredFrom ?? 0;
  const earlier = revisions.filter((revision) => revision.spec.revision < spec.revision);
  const applied = earlier.findLast((revision) => revision.status?.appliedAt !== undefined);
  return applied?.spec.revision ?? 0;
}
