import type { KubeObject } from '../../src/api/kube.ts';
import { asString } from '../../src/lib/json.ts';
import type { Scheduler } from './scheduler.ts';
import type { Trace } from './trace.ts';

export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

export interface JobRun {
  /** `package/component`. */
  readonly owner: string;
  readonly token: string;
  readonly uid: string;
  ended: 'well' | 'badly' | undefined;
}

export interface Begun {
  readonly kind: 'install' | 'upgrade';
  readonly package: string;
  readonly component: string;
  readonly token: string;
  /** Name and UID of the revision in whose course it was begun. */
  readonly revision: string;
  readonly revisionUid: string;
  readonly at: number;
}

/** What really happened, as bystanders saw it. */
export class Ledger {
  readonly violations: Violation[] = [];
  readonly jobs: JobRun[] = [];
  readonly begun: Begun[] = [];
  /** Tokens of deliveries whose record said `deployed` once. */
  readonly completed = new Set<string>();
  /** How often what was reached, so that nobody takes an idle run for a good one. */
  readonly reached = new Map<string, number>();
  readonly #scheduler: Scheduler;
  readonly #trace: Trace;

  constructor(scheduler: Scheduler, trace: Trace) {
    this.#scheduler = scheduler;
    this.#trace = trace;
  }

  now(): number {
    return this.#scheduler.now();
  }

  reach(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  violate(invariant: string, message: string): void {
    this.violations.push({ invariant, message });
    this.#trace.add('VIOLATION', `${invariant}: ${message}`);
  }

  jobStarted(job: KubeObject): void {
    const { annotations = {}, uid = '' } = job.metadata;
    const owner = asString(annotations['sim.example.org/owner']) ?? '';
    const token = asString(annotations['sim.example.org/token']) ?? '';
    this.reach('hook runs');
    this.jobs.push({ owner, token, uid, ended: undefined });
  }

  jobEnded(job: KubeObject, well: boolean): void {
    const run = this.jobs.find(({ uid }) => uid === job.metadata.uid);
    if (run !== undefined) run.ended = well ? 'well' : 'badly';
  }

  begunWith(token: string): Begun | undefined {
    return this.begun.find((begun) => begun.token === token);
  }
}
