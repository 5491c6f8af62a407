import type { ComponentProgress, PackageRevision } from '../../../src/api/package-revision.ts';
import { isRestoring } from '../../../src/domain/decide/views.ts';
import { parseTime } from '../../../src/lib/time.ts';
import { ours } from '../places.ts';
import type { Stage } from '../stage.ts';
import { nameOfRevision, runningRevision } from './revisions.ts';

/** What every wait has after an outage, as promised. */
const FRESH_MS = 60_000;
/** For the requests that a verdict takes; more while they may fail. */
const SLACK_MS = { calm: 10_000, rough: 240_000 };
/** A controller is told to stop first, and has so long to say that it has. */
const STOPPING_MS = 30_000;

/** I12: no deadline passes without a verdict while the operator runs. */
export class ClockObserver {
  readonly #world: Stage;
  /** When each package was last seen to be held: its clocks go on once the operator has heard of the end of that. */
  readonly #heldAt = new Map<string, number>();

  constructor(world: Stage) {
    this.#world = world;
  }

  /** From time to time. */
  look(isCalm: boolean): void {
    if (!this.#isAtWork()) return;
    const slack = isCalm ? SLACK_MS.calm : SLACK_MS.rough;
    for (const { name } of this.#world.universe) {
      const revision = this.#runningOf(name);
      if (revision === undefined) continue;
      for (const progress of waitsOf(revision)) this.#judge(revision, progress, slack);
    }
  }

  #isAtWork(): boolean {
    const { process, scheduler } = this.#world;
    if (process?.alive !== true || process.reading) return false;
    return scheduler.now() - process.startedAt >= FRESH_MS;
  }

  /** Undefined also while its clocks may stand still. */
  #runningOf(name: string): PackageRevision | undefined {
    const pkg = this.#world.cluster.get(ours('Package', name));
    if (pkg === undefined) return undefined;
    if (!isHeld(pkg)) return runningRevision(this.#world.cluster, name);
    this.#heldAt.set(name, this.#world.scheduler.now());
    return undefined;
  }

  #judge(revision: PackageRevision, progress: ComponentProgress, slack: number): void {
    const { scheduler, process, ledger } = this.#world;
    const deadline = this.#deadlineOf(revision, progress);
    if (deadline === undefined) return;
    const fresh = (process?.startedAt ?? 0) + FRESH_MS;
    const heldAt = this.#heldAt.get(revision.spec.package) ?? 0;
    const stopping = revision.spec.backend === 'helm' ? 0 : STOPPING_MS;
    if (scheduler.now() <= Math.max(deadline, fresh, heldAt) + slack + stopping) return;
    const late = String(Math.round((scheduler.now() - deadline) / 1000));
    ledger.violate(
      'I12',
      `${nameOfRevision(revision)}: ${progress.name} is ${late} s past its deadline without a verdict`,
    );
  }

  /** Undefined: it has no clock at the moment. */
  #deadlineOf(revision: PackageRevision, progress: ComponentProgress): number | undefined {
    const { state, startedAt, awaitedSince, deadline } = progress;
    if (state !== 'Submitted' || startedAt === undefined || waitsForItsTurn(revision, progress)) return undefined;
    const started = parseTime(awaitedSince ?? startedAt);
    const recorded = deadline === undefined ? started : parseTime(deadline);
    return Math.max(recorded, started + this.#longestTimeout(revision.spec.package, started));
  }

  /** That was ever granted while it ran. */
  #longestTimeout(pkg: string, since: number): number {
    const own = this.#world.editor.timeouts.filter((entry) => entry.package === pkg);
    const first = own.findLastIndex(({ at }) => at <= since);
    return Math.max(0, ...own.slice(Math.max(0, first)).map(({ ms }) => ms));
  }
}

function waitsOf({ status }: PackageRevision): readonly ComponentProgress[] {
  return [...(status?.components ?? []), ...(status?.hooks ?? []), ...(status?.removals ?? [])];
}

/** A rollback delivers long before it judges: until then only those before it have a clock. */
function waitsForItsTurn(revision: PackageRevision, { awaitedSince, backendRevision }: ComponentProgress): boolean {
  return isRestoring(revision) && awaitedSince === undefined && backendRevision !== undefined;
}

function isHeld(pkg: {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly [field: string]: unknown;
}): boolean {
  const spec = pkg['spec'] as { readonly suspend?: boolean } | undefined;
  return pkg.metadata.deletionTimestamp !== undefined || spec?.suspend === true;
}
