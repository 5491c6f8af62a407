import type { PackageRevision } from '../../../src/api/package-revision.ts';
import type { DesiredRelease, ReleaseTarget } from '../../../src/ports/backend.ts';
import { ours } from '../places.ts';
import type { Stage } from '../stage.ts';
import { nameOfRevision, runningRevision } from './revisions.ts';

/** I2 and I3: a hook runs once in a revision that moves to another version, and before everything else. */
export class HookObserver {
  readonly #world: Stage;
  readonly #runs = new Map<string, number>();
  #seen = 0;

  constructor(world: Stage) {
    this.#world = world;
  }

  deliveryBegins(release: DesiredRelease): void {
    const revision = runningRevision(this.#world.cluster, release.package);
    if (revision === undefined) return;
    if (isHook(revision, release.component)) this.#hookBegins(revision, release);
    else this.#othersBegin(revision, release);
  }

  removalBegins(target: ReleaseTarget): void {
    const revision = runningRevision(this.#world.cluster, target.package);
    if (revision === undefined || isHook(revision, target.component)) return;
    const isPlanned = (revision.spec.components ?? []).some(({ name }) => name === target.component);
    if (isPlanned) this.#othersBegin(revision, target);
  }

  /** Looks at the Jobs that have started since. */
  count(): void {
    const { jobs } = this.#world.ledger;
    for (const { owner, token } of jobs.slice(this.#seen)) {
      const begun = this.#world.ledger.begunWith(token);
      const key = `${begun?.revisionUid ?? ''} ${owner}`;
      const runs = (this.#runs.get(key) ?? 0) + 1;
      this.#runs.set(key, runs);
      if (runs > 1)
        this.#world.ledger.violate('I2', `hook ${owner} ran ${String(runs)} times in ${begun?.revision ?? '?'}`);
    }
    this.#seen = jobs.length;
  }

  #hookBegins(revision: PackageRevision, { component }: DesiredRelease): void {
    const { spec } = revision;
    const moves = spec.fromVersion !== undefined && spec.fromVersion !== spec.version && (spec.restoredFrom ?? 0) === 0;
    if (moves) return;
    const from = spec.fromVersion ?? 'nothing';
    this.#world.ledger.violate('I2', `${nameOfRevision(revision)} runs hook ${component} coming from ${from}`);
  }

  #othersBegin(revision: PackageRevision, { component }: ReleaseTarget): void {
    const pkg = this.#world.cluster.get(ours('Package', revision.spec.package));
    // A removal is no upgrade.
    if (pkg?.metadata.deletionTimestamp !== undefined) return;
    for (const hook of revision.spec.hooks ?? []) {
      if (this.#hasSucceeded(revision, hook.name)) continue;
      const text = `${nameOfRevision(revision)}: ${component} is changed before hook ${hook.name} has succeeded`;
      this.#world.ledger.violate('I3', text);
    }
  }

  #hasSucceeded(revision: PackageRevision, hook: string): boolean {
    const { ledger } = this.#world;
    const owner = `${revision.spec.package}/${hook}`;
    return ledger.jobs.some(
      (run) =>
        run.owner === owner &&
        run.ended === 'well' &&
        ledger.begunWith(run.token)?.revisionUid === revision.metadata.uid,
    );
  }
}

function isHook(revision: PackageRevision, component: string): boolean {
  return (revision.spec.hooks ?? []).some(({ name }) => name === component);
}
