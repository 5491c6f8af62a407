import type { CliHost, Cluster } from '../host.ts';
import { type PackageReport, reportOn } from '../report/package-report.ts';
import { HookLogs } from './hook-logs.ts';
import { type Followed, PackageFollower } from './package-follower.ts';
import { disturbanceNote, type ProgressDisplay } from './progress-display.ts';
import { type Awaited, isStale, type Problem, SETTLE_MS, type Verdict, verdictOf } from './verdict.ts';

/** Shown instead of a status that is not about our write. */
const UNSEEN: Followed = { package: undefined, revisions: [] };

export type AwaitEnd = 'settled' | 'timeout' | 'interrupted';

export interface AwaitedPackage extends Followed {
  readonly name: string;
  readonly verdict: Verdict;
  readonly report: PackageReport;
  /** Why it has failed, where its status does not say so. */
  readonly problem?: Problem | undefined;
}

export interface AwaitResult {
  readonly end: AwaitEnd;
  readonly packages: readonly AwaitedPackage[];
}

export interface AwaitRequest {
  readonly cluster: Cluster;
  readonly packages: readonly Awaited[];
  readonly timeoutMs: number;
  readonly display: ProgressDisplay;
}

/** Follows packages until each is ready or has failed, the time is up, or the user interrupts. */
export function awaitPackages(host: CliHost, request: AwaitRequest): Promise<AwaitResult> {
  return new Promise((resolve) => {
    const waiting = new Waiting(host, request, resolve);
    waiting.start();
  });
}

class Waiting {
  readonly #host: CliHost;
  readonly #request: AwaitRequest;
  readonly #resolve: (result: AwaitResult) => void;
  readonly #follower: PackageFollower;
  readonly #hooks: HookLogs;
  readonly #timers: { cancel(): void }[] = [];
  readonly #onInterrupt = (): void => {
    this.#finish('interrupted');
  };
  #done = false;
  /** Revisions that had come to their end before anybody waited, by package: they are no news. */
  #past: ReadonlyMap<string, number> | undefined;

  constructor(host: CliHost, request: AwaitRequest, resolve: (result: AwaitResult) => void) {
    this.#host = host;
    this.#request = request;
    this.#resolve = resolve;
    this.#hooks = new HookLogs({
      cluster: request.cluster,
      clock: host.clock,
      onLine: (line) => {
        request.display.log(line);
      },
    });
    const names = request.packages.map(({ name }) => name);
    this.#follower = new PackageFollower(request.cluster, names, () => {
      this.#look();
    });
  }

  start(): void {
    const { clock, interrupted } = this.#host;
    this.#timers.push(
      clock.after(this.#request.timeoutMs, () => {
        this.#finish('timeout');
      }),
    );
    if (this.#request.packages.some(({ source, judge }) => source !== undefined || judge !== undefined)) {
      this.#timers.push(
        clock.after(SETTLE_MS, () => {
          this.#look();
        }),
      );
    }
    interrupted.addEventListener('abort', this.#onInterrupt);
    if (interrupted.aborted) this.#onInterrupt();
    else this.#follower.start();
  }

  #look(): void {
    if (this.#done || !this.#follower.synced) return;
    const packages = this.#packages();
    this.#hooks.look(packages);
    const note = disturbanceNote(this.#follower.disturbance);
    // One that is to go, and has gone, has nothing to show any more.
    const shown = packages.filter(({ package: pkg, verdict }) => pkg !== undefined || verdict !== 'ready');
    this.#past ??= endedOf(packages);
    this.#request.display.show(
      shown.map(({ report }) => withoutPast(report, this.#past)),
      note,
    );
    if (isSettled(packages.map(({ verdict }) => verdict))) this.#finish('settled');
  }

  #packages(): readonly AwaitedPackage[] {
    const now = this.#host.clock.now();
    return this.#request.packages.map((awaited) => {
      const followed = this.#follower.get(awaited.name);
      const problem = awaited.obstacle?.(followed);
      const verdict = this.#follower.synced ? verdictOf(awaited, followed, now) : 'pending';
      const shown = isStale(awaited, followed, now) ? UNSEEN : followed;
      const report = reportOn(awaited.name, shown);
      return { name: awaited.name, ...followed, verdict: problem === undefined ? verdict : 'failed', report, problem };
    });
  }

  #finish(end: AwaitEnd): void {
    if (this.#done) return;
    this.#done = true;
    for (const timer of this.#timers) timer.cancel();
    this.#host.interrupted.removeEventListener('abort', this.#onInterrupt);
    this.#follower.stop();
    this.#hooks.stop();
    this.#request.display.close();
    this.#resolve({ end, packages: this.#packages() });
  }
}

/** Once one has failed, those that wait, perhaps for it, are not awaited any longer; those in progress are. */
export function isSettled(verdicts: readonly Verdict[]): boolean {
  const failed = verdicts.some((verdict) => verdict === 'failed' || verdict === 'gone');
  return verdicts.every((verdict) => verdict !== 'pending' && (verdict !== 'waiting' || failed));
}

function endedOf(packages: readonly AwaitedPackage[]): ReadonlyMap<string, number> {
  return new Map(
    packages.flatMap(({ name, revisions }) => {
      const newest = revisions.at(-1);
      const isOpen = ['Pending', 'Applying'].includes(newest?.status?.phase ?? 'Pending');
      return newest === undefined || isOpen ? [] : [[name, newest.spec.revision] as const];
    }),
  );
}

function withoutPast(report: PackageReport, past: ReadonlyMap<string, number> | undefined): PackageReport {
  const isPast = report.revision !== undefined && report.revision.number === past?.get(report.name);
  return isPast ? { ...report, revision: undefined } : report;
}
