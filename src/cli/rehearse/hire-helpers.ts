import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { asKubepkgError, KubepkgError } from '../../api/errors.ts';
import type { FromHelper, Helper, HelperEars, HelperTask, ToHelper } from './helper.ts';
import { rulesOf } from '../../embedded/scenario/index.ts';
import type { Recording } from '../../compose/rehearsal/rehearsals.ts';
import type { RehearsalCase, RehearsalResult } from './rehearsal-case.ts';

/** Each takes 200 MB and more. */
const MOST = 3;
/** What upgrades leave behind is short-lived, and much of it. */
const YOUNG_MB = 96;

/** One for each processor that would be idle; `program` is this one, which serves as a helper in another thread. */
export function hireHelpers(program: URL, task: HelperTask, ears: HelperEars): readonly Helper[] {
  const length = Math.min(MOST, availableParallelism() - 1);
  return Array.from({ length }, () => {
    const thread = new Worker(program, {
      workerData: task,
      argv: process.argv.slice(2),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    return new HelperThread(thread, task, ears);
  });
}

interface Waiting {
  readonly resolve: (result: RehearsalResult) => void;
  readonly reject: (error: Error) => void;
}

/** What is used of a `Worker`. */
export interface Thread {
  on(event: 'message', listener: (message: FromHelper) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  postMessage(message: ToHelper): void;
}

/** The near end of a thread that plays upgrades. */
export class HelperThread implements Helper {
  readonly #thread: Thread;
  readonly #rules: readonly object[];
  readonly #ears: HelperEars;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #asked = 0;
  #failure: Error | undefined;

  constructor(thread: Thread, { scenario }: Pick<HelperTask, 'scenario'>, ears: HelperEars) {
    this.#thread = thread;
    this.#rules = rulesOf(scenario);
    this.#ears = ears;
    thread.on('message', (message: FromHelper) => {
      this.#hear(message);
    });
    thread.on('error', (error) => {
      this.#fail(asKubepkgError(error));
    });
    this.#ended = new Promise((resolve) => {
      thread.on('exit', () => {
        this.#fail(new KubepkgError('Internal', 'a thread that rehearses has ended before its time'));
        resolve();
      });
    });
  }

  play(what: RehearsalCase): Promise<RehearsalResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#asked += 1;
    const number = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#tell({ kind: 'play', number, what });
    });
  }

  learn(recording: Recording): void {
    this.#tell({ kind: 'learn', recording });
  }

  end(): Promise<void> {
    this.#tell({ kind: 'end' });
    return this.#ended;
  }

  #tell(message: ToHelper): void {
    this.#thread.postMessage(message);
  }

  #hear(message: FromHelper): void {
    if (message.kind === 'log') this.#ears.onLog(message.line);
    else if (message.kind === 'used') this.#hearOfRule(message.rule);
    else this.#hearOfUpgrade(message);
  }

  #hearOfRule(index: number): void {
    const rule = this.#rules[index];
    if (rule !== undefined) this.#ears.onUsed(rule);
  }

  #hearOfUpgrade(message: Extract<FromHelper, { readonly number: number }>): void {
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if (message.kind === 'played') waiting?.resolve(message.result);
    else {
      const { code, message: text, hint } = message.error;
      waiting?.reject(new KubepkgError(code, text, hint === undefined ? {} : { hint }));
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
