import type { ComponentProgress, PackageRevision } from '../../../src/api/package-revision.ts';
import { parseTime } from '../../../src/lib/time.ts';
import { ours } from '../places.ts';
import type { World } from '../world.ts';
import { nameOfRevision, runningRevision } from './revisions.ts';

/** What every wait has after an outage, as promised. */
const FRESH_MS = 60_000;
/** For the requests that a verdict takes; more while they may fail. */
const SLACK_MS = { calm: 10_000, rough: 240_000 };

/** I12: no deadline passes without a verdict while the operator runs. */
export class ClockObserver {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** From time to time. */
  look(isCalm: boolean): void {
    const { process, universe, cluster } = this.#world;
    if (process?.alive !== true || process.reading || this.#world.scheduler.now() - process.startedAt < FRESH_MS) return;
    for (const { name } of universe) {
      const pkg = cluster.get(ours('Package', name));
      const revision = runningRevision(cluster, name);
      if (pkg === undefined || revision === undefined || isHeld(pkg)) continue;
      const waits = [...(revision.status?.components ?? []), ...(revision.status?.hooks ?? [])];
      for (const progress of waits) this.#judge(revision, progress, isCalm ? SLACK_MS.calm : SLACK_MS.rough);
    }
  }

  #judge(revision: PackageRevision, progress: ComponentProgress, slack: number): void {
    if (progress.state !== 'Submitted' || progress.startedAt === undefined) return;
    const { scheduler, process, ledger } = this.#world;
    const started = parseTime(progress.startedAt);
    const recorded = progress.deadline === undefined ? started : parseTime(progress.deadline);
    const deadline = Math.max(recorded, started + this.#longestTimeout(revision.spec.package, started));
    const fresh = (process?.startedAt ?? 0) + FRESH_MS;
    if (scheduler.now() <= Math.max(deadline, fresh) + slack) return;
    const late = String(Math.round((scheduler.now() - deadline) / 1000));
    ledger.violate('I12', `${nameOfRevision(revision)}: ${progress.name} is ${late} s past its deadline without a verdict`);
  }

  /** That was ever granted while it ran. */
  #longestTimeout(pkg: string, since: number): number {
    const own = this.#world.editor.timeouts.filter((entry) => entry.package === pkg);
    const first = own.findLastIndex(({ at }) => at <= since);
    return Math.max(0, ...own.slice(Math.max(0, first)).map(({ ms }) => ms));
  }
}

function isHeld(pkg: { readonly metadata: { readonly deletionTimestamp?: string }; readonly [field: string]: unknown }): boolean {
  const spec = pkg['spec'] as { readonly suspend?: boolean } | undefined;
  return pkg.metadata.deletionTimestamp !== undefined || spec?.suspend === true;
}
