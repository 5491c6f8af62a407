import { stableJson } from '../../lib/stable-json.ts';
import { formatSeconds } from '../../lib/time.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost, Clock, Cluster, Output } from '../host.ts';
import { type PackageReport, reportOn } from '../report/package-report.ts';
import type { Paint } from '../text/paint.ts';
import { type HookLine, HookLogs } from './hook-logs.ts';
import { PackageFollower } from './package-follower.ts';
import { createDisplay, disturbanceNote, type ProgressDisplay } from './progress-display.ts';

export interface WatchPackages {
  readonly cluster: Cluster;
  /** Absent: all, those included that are yet to come. */
  readonly names: readonly string[] | undefined;
  readonly paint: Paint;
  /** One JSON object a line for each change. */
  readonly json: boolean;
}

/** Shows packages until the user interrupts, or those that were named are gone. */
export function watchPackages(host: CliHost, { cluster, names, paint, json }: WatchPackages): Promise<ExitCode> {
  return new Promise((resolve) => {
    const display = json ? new JsonDisplay(host.clock, host.stdout) : createDisplay(host, host.stdout, paint);
    const hooks = new HookLogs({
      cluster,
      clock: host.clock,
      onLine: (line) => {
        display.log(line);
      },
    });
    const finish = (code: ExitCode): void => {
      host.interrupted.removeEventListener('abort', onInterrupt);
      follower.stop();
      hooks.stop();
      display.close();
      resolve(code);
    };
    const onInterrupt = (): void => {
      finish(EXIT.interrupted);
    };
    const follower = new PackageFollower(cluster, names, () => {
      if (!follower.synced) return;
      const { existing } = follower;
      const packages = existing.map((name) => ({ name, ...follower.get(name) }));
      hooks.look(packages);
      display.show(
        packages.map((one) => reportOn(one.name, one)),
        disturbanceNote(follower.disturbance),
      );
      if (names !== undefined && existing.length === 0) finish(EXIT.ok);
    });
    host.interrupted.addEventListener('abort', onInterrupt);
    if (host.interrupted.aborted) onInterrupt();
    else follower.start();
  });
}

/** The whole report of a package each time that it changes; `state` is `Removed` in its last one. */
class JsonDisplay implements ProgressDisplay {
  readonly #clock: Clock;
  readonly #output: Output;
  #shown: ReadonlyMap<string, string> = new Map();

  constructor(clock: Clock, output: Output) {
    this.#clock = clock;
    this.#output = output;
  }

  show(reports: readonly PackageReport[]): void {
    const next = new Map(reports.map((report) => [report.name, stableJson(report)]));
    for (const report of reports) {
      if (this.#shown.get(report.name) !== next.get(report.name)) this.#write(report);
    }
    for (const name of this.#shown.keys()) if (!next.has(name)) this.#write({ name, state: 'Removed' });
    this.#shown = next;
  }

  log({ package: name, hook, text }: HookLine): void {
    this.#write({ name, hook, line: text });
  }

  close(): void {
    this.#shown = new Map();
  }

  #write(change: object): void {
    this.#output.write(`${JSON.stringify({ time: formatSeconds(this.#clock.now()), ...change })}\n`);
  }
}
