import { KubepkgError } from '../../src/api/errors.ts';
import type { CliHost, Cluster, LocalLife, Output } from '../../src/cli/host.ts';
import { runCli } from '../../src/cli/main.ts';
import type { OperatorFlags } from '../../src/cli/operator-flags.ts';
import type { PushRequest } from '../../src/compose/artifacts.ts';
import { type Authoring, createAuthoring } from '../../src/compose/authoring.ts';
import type { ClusterTarget } from '../../src/compose/cluster.ts';
import type { PlanSettings } from '../../src/compose/create-plan.ts';
import type { PlanRequest, PlanResult } from '../../src/compose/planning.ts';
import type { LiveRelease } from '../../src/compose/live-values.ts';
import { CliCluster } from './cli-cluster.ts';
import { ArmedClock } from './armed-clock.ts';

/** A terminal or a pipe that keeps what was written. */
export class CapturedOutput implements Output {
  isTerminal = false;
  columns = 100;
  rows = 30;
  text = '';
  readonly #listeners = new Set<() => void>();
  readonly #readers = new Set<() => void>();

  write(text: string): void {
    this.text += text;
    for (const read of [...this.#readers]) read();
  }

  /** Resolves once it has shown a text. */
  shows(text: string): Promise<void> {
    return new Promise((resolve) => {
      const read = (): void => {
        if (!this.text.includes(text)) return;
        this.#readers.delete(read);
        resolve();
      };
      this.#readers.add(read);
      read();
    });
  }

  size(): { columns: number; rows: number } {
    return { columns: this.columns, rows: this.rows };
  }

  onResize(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  resize(columns: number, rows: number): void {
    Object.assign(this, { columns, rows });
    for (const listener of this.#listeners) listener();
  }
}

type CliPlan = (settings: PlanSettings, request: PlanRequest) => Promise<PlanResult>;

/** The command line in this process, with everything outside of it made up. */
export class CliWorld {
  readonly cluster = new CliCluster();
  readonly clock = new ArmedClock();
  readonly stdout = new CapturedOutput();
  readonly stderr = new CapturedOutput();
  readonly files = new Map<string, string>();
  readonly env: Record<string, string> = {};
  readonly connections: ClusterTarget[] = [];
  readonly pushes: PushRequest[] = [];
  /** What takes the place of parts of the commands for authors; the rest works on the real disk. */
  authoring: Partial<Authoring> = {};
  readonly operators: OperatorFlags[] = [];
  /** What becomes of an operator inside of a command. */
  localOperator: 'leads' | 'waits' | 'ends' | 'fails' = 'leads';
  /** What such an operator tells the command, before anything else. */
  tellLocal: (life: LocalLife) => void = () => undefined;
  /** Helm releases, by `namespace/name`. */
  readonly liveReleases = new Map<string, LiveRelease>();
  stdin = '';
  /** Answers to questions; without one there is no terminal to ask on. */
  answer: string | undefined;
  asked = 0;
  connectFailure: KubepkgError | undefined;
  /** What would be done; a test that plans says so. */
  plan: CliPlan = () => Promise.reject(new KubepkgError('Internal', 'nothing is planned in this test'));
  /** A test that rehearses says how. */
  rehearse: CliHost['withRehearsals'] = () =>
    Promise.reject(new KubepkgError('Internal', 'nothing is rehearsed in this test'));
  /** Who rehearses beside this thread. */
  hireHelpers: CliHost['hireHelpers'] = () => Promise.resolve([]);
  /** What is connected to instead of `cluster`. */
  other: Cluster | undefined;
  serverVersion: () => Promise<string> = () => Promise.resolve('v1.36.3');
  readonly #interrupt = new AbortController();

  /** Gives back the exit code. */
  run(...argv: readonly string[]): Promise<number> {
    return runCli(argv, this.host());
  }

  interrupt(): void {
    this.#interrupt.abort();
  }

  host(): CliHost {
    return {
      version: '1.2.3',
      env: this.env,
      stdout: this.stdout,
      stderr: this.stderr,
      clock: this.clock,
      interrupted: this.#interrupt.signal,
      readFile: (path) => this.#readFile(path),
      readStdin: () => Promise.resolve(this.stdin),
      ask: () => {
        this.asked += 1;
        return Promise.resolve(this.answer);
      },
      connect: (target) => {
        this.connections.push(target);
        if (this.connectFailure !== undefined) return Promise.reject(this.connectFailure);
        return Promise.resolve({
          cluster: this.other ?? this.cluster,
          serverVersion: this.serverVersion,
          close: () => undefined,
        });
      },
      pushTree: (request) => {
        this.pushes.push(request);
        const digest = `sha256:${'0'.repeat(64)}`;
        return Promise.resolve({ digest, reference: `${request.reference}@${digest}`, sizeBytes: 1, files: 1 });
      },
      authoring: () => Promise.resolve({ ...createAuthoring({ clock: this.clock, env: this.env }), ...this.authoring }),
      liveRelease: (_cluster, { namespace, releaseName }) =>
        Promise.resolve(this.liveReleases.get(`${namespace}/${releaseName}`)),
      plan: async (_place, settings, request) => this.plan(settings, await request),
      runCommand: runCli,
      withRehearsals: (settings, use) => this.rehearse(settings, use),
      hireHelpers: (task, ears) => this.hireHelpers(task, ears),
      writeFile: (path, text) => {
        this.files.set(path, text);
        return Promise.resolve();
      },
      runOperator: (flags) => {
        this.operators.push(flags);
        return Promise.resolve(0);
      },
      runLocalOperator: (flags, life) => this.#runLocally(flags, life),
    };
  }

  /** Leads at once, unless somebody else does, and ends when it is told to. */
  async #runLocally(flags: OperatorFlags, life: LocalLife): Promise<number> {
    const { stop, onLeading } = life;
    this.operators.push(flags);
    this.tellLocal(life);
    if (this.localOperator === 'leads') onLeading();
    if (this.localOperator === 'fails') throw new KubepkgError('KubeconfigInvalid', 'there is no such context');
    if (!stop.aborted && this.localOperator !== 'ends') {
      await new Promise((resolve) => {
        stop.addEventListener('abort', resolve);
      });
    }
    return 0;
  }

  #readFile(path: string): Promise<string> {
    const text = this.files.get(path);
    if (text !== undefined) return Promise.resolve(text);
    const code = [...this.files.keys()].some((file) => file.startsWith(`${path}/`)) ? 'EISDIR' : 'ENOENT';
    return Promise.reject(Object.assign(new Error(`${code}: ${path}`), { code }));
  }
}
