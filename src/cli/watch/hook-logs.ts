import { KubepkgError } from '../../api/errors.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { isInProgress } from '../../domain/decide/views.ts';
import type { Clock, Cluster } from '../host.ts';
import type { LogSource } from '../look/pod-logs.ts';
import { oneLine } from '../text/sanitize.ts';
import type { Followed } from './package-follower.ts';

/** One line that a hook has written. */
export interface HookLine {
  readonly package: string;
  readonly hook: string;
  readonly text: string;
}

export interface HookLogsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly onLine: (line: HookLine) => void;
}

const LOOK_MS = 2000;
/** Of what it wrote before it was looked at first. */
const FIRST_LINES = 10;
const TAIL_LINES = 500;

/** Follows what running hooks write, for somebody who watches; what cannot be read is left out. */
export class HookLogs {
  readonly #options: HookLogsOptions;
  readonly #seen = new Map<string, readonly string[]>();
  #running: readonly PackageRevision[] = [];
  #timer: { cancel(): void } | undefined;
  #isStopped = false;

  constructor(options: HookLogsOptions) {
    this.#options = options;
  }

  /** What is known now of the packages that are watched. */
  look(packages: readonly Followed[]): void {
    const wasIdle = this.#running.length === 0;
    this.#running = packages.flatMap(({ revisions }) => revisions.filter(runsHook));
    if (wasIdle && this.#running.length > 0 && this.#timer === undefined) this.#arm();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(LOOK_MS, () => {
      void this.#turn();
    });
  }

  async #turn(): Promise<void> {
    for (const revision of this.#running) await this.#read(revision);
    this.#timer = undefined;
    if (!this.#isStopped && this.#running.length > 0) this.#arm();
  }

  async #read(revision: PackageRevision): Promise<void> {
    try {
      for (const source of await this.#sources(revision)) await this.#readOne(revision.spec.package, source);
    } catch (error) {
      // It is only shown beside what is awaited; kubepkg logs says why it cannot be read.
      if (!(error instanceof KubepkgError)) throw error;
    }
  }

  /** Loaded when a hook runs, which is seldom. */
  async #sources(revision: PackageRevision): Promise<readonly LogSource[]> {
    const { cluster, clock } = this.#options;
    const [{ allMembers }, { logSources, podSelections }, { openSight }] = await Promise.all([
      import('../look/package-scope.ts'),
      import('../look/pod-logs.ts'),
      import('../look/sight.ts'),
    ]);
    const sight = openSight({ clock }, cluster);
    const names = runningHooks(revision);
    const members = allMembers(revision).filter(
      ({ component, part }) => part === 'hooks' && names.includes(component.name),
    );
    return logSources(sight, await podSelections(sight, revision, members), { failed: false, previous: false });
  }

  async #readOne(pkg: string, source: LogSource): Promise<void> {
    const [{ readLog }, { newLines }] = await Promise.all([
      import('../look/log-follower.ts'),
      import('../look/pod-logs.ts'),
    ]);
    const now = (await readLog(this.#options.cluster, source, TAIL_LINES)) ?? [];
    const key = `${source.namespace}/${source.pod}/${source.container}`;
    const before = this.#seen.get(key);
    const lines = before === undefined ? now.slice(-FIRST_LINES) : newLines(before, now);
    if (now.length > 0) this.#seen.set(key, now);
    if (this.#isStopped) return;
    for (const text of lines) this.#options.onLine({ package: pkg, hook: source.component, text: oneLine(text) });
  }
}

function runsHook(revision: PackageRevision): boolean {
  return isInProgress(revision) && runningHooks(revision).length > 0;
}

function runningHooks({ status }: PackageRevision): readonly string[] {
  return (status?.hooks ?? []).filter(({ state }) => state === 'Submitted').map(({ name }) => name);
}
