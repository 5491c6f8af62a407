import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { identityOf, withDeathSignal } from './processes.ts';
import { controlPlaneFile } from './project-root.ts';
import { FOLDER_PREFIX, OWNER_FILE, sweepAbandoned } from './sweep.ts';

export interface ChildSpec {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly log: string;
  /** SIGKILL for what would take its time and has nothing to save. */
  readonly stopSignal: 'SIGTERM' | 'SIGKILL';
}

export interface ChildExit {
  readonly name: string;
  readonly reason: string;
  readonly log: string;
}

type Event =
  | { readonly event: 'started'; readonly name: string; readonly pid: number }
  | { readonly event: 'failed'; readonly name: string; readonly message: string }
  | { readonly event: 'exited'; readonly name: string; readonly code: number | null; readonly signal: string | null };

/** Speaks to supervisor.mjs, which holds the processes. */
export class Supervisor {
  readonly dir: string;
  readonly pids = new Map<string, number>();
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #specs = new Map<string, ChildSpec>();
  readonly #exits = new Map<string, ChildExit>();
  readonly #gone: Promise<void>;

  constructor(projectRoot: string) {
    sweepAbandoned(tmpdir());
    // Resolved, because Linux reports the resolved path in a process's arguments and macOS's is a link.
    this.dir = mkdtempSync(join(realpathSync(tmpdir()), FOLDER_PREFIX));
    writeOwner(this.dir, process.pid);
    this.#process = spawn(process.execPath, [controlPlaneFile(projectRoot, 'supervisor.mjs'), this.dir], {
      detached: true,
      stdio: 'pipe',
    });
    if (this.#process.pid !== undefined) writeOwner(this.dir, this.#process.pid);
    let complaints = '';
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    this.#gone = once(this.#process, 'exit').then(() => {
      this.#exits.set('supervisor', { name: 'supervisor', reason: complaints || 'no reason given', log: '' });
    });
    // Writing to a supervisor that is gone fails; that it is gone is told by its exit.
    this.#process.stdin.on('error', () => undefined);
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      this.#heed(JSON.parse(line) as Event);
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  start(spec: ChildSpec): void {
    this.#exits.delete(spec.name);
    this.#specs.set(spec.name, spec);
    const env = { ...this.#environment(), ...spec.env };
    this.#send({ op: 'start', ...spec, env, command: withDeathSignal(spec.command) });
  }

  /** As it was started before. */
  startAgain(name: string): void {
    this.start(this.#specOf(name));
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#send({ op: 'signal', name, signal });
  }

  refuseUnknown(name: string): void {
    this.#specOf(name);
  }

  /** How a process ended, while it has not been started again. */
  exitOf(name: string): ChildExit | undefined {
    return this.#exits.get(name);
  }

  exits(): readonly ChildExit[] {
    return [...this.#exits.values()];
  }

  /** Lets the program end although the control plane runs; the control plane then ends with it. */
  detach(): void {
    this.#process.unref();
    const { stdin, stdout, stderr } = this.#process;
    for (const stream of [stdin, stdout, stderr]) (stream as unknown as Socket).unref();
  }

  async shutDown(): Promise<void> {
    this.#process.ref();
    this.#process.stdin.end();
    await this.#gone;
    // Finds nothing, unless the supervisor itself was killed.
    sweepAbandoned(tmpdir());
  }

  #specOf(name: string): ChildSpec {
    const spec = this.#specs.get(name);
    if (spec === undefined) throw new Error(`This control plane was started without ${name}.`);
    return spec;
  }

  // Little, because etcd and the registry take any of their settings from it, and kwok writes into its home.
  #environment(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: this.dir, TMPDIR: this.dir };
  }

  #send(command: object): void {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`);
  }

  #heed(event: Event): void {
    if (event.event === 'started') {
      this.pids.set(event.name, event.pid);
      return;
    }
    this.pids.delete(event.name);
    const { name } = event;
    this.#exits.set(name, { name, reason: describe(event), log: this.#specs.get(name)?.log ?? '' });
  }
}

function describe(event: Exclude<Event, { event: 'started' }>): string {
  if (event.event === 'failed') return event.message;
  return event.signal === null ? `exit code ${String(event.code)}` : `signal ${event.signal}`;
}

function writeOwner(dir: string, pid: number): void {
  writeFileSync(join(dir, OWNER_FILE), JSON.stringify(identityOf(pid)));
}
