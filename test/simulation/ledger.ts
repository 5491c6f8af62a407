import type { KubeObject } from '../../src/api/kube.ts';
import { asString } from '../../src/lib/json.ts';
import { OWNER, TOKEN } from './places.ts';
import type { Place } from './record.ts';
import { placeName } from './release-work.ts';
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
  readonly at: number;
  ended: 'well' | 'badly' | undefined;
}

export interface Begun extends Place {
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
  /** When the record of the delivery with a token last came to say that it is done. */
  readonly completed = new Map<string, number>();
  /** Tokens of deliveries that a controller has begun anew since it died in the middle. */
  readonly redone = new Set<string>();
  /** When a life of the operator ended. */
  readonly deaths: number[] = [];
  /** People are at work in the cluster at this very moment. */
  peopleAct = false;
  /** When somebody last had a hand in what delivers a release. */
  readonly #hands = new Map<string, number>();
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
    const owner = asString(annotations[OWNER]) ?? '';
    const token = asString(annotations[TOKEN]) ?? '';
    this.reach('hook runs');
    this.jobs.push({ owner, token, uid, at: this.now(), ended: undefined });
  }

  jobEnded(job: KubeObject, well: boolean): void {
    const run = this.jobs.find(({ uid }) => uid === job.metadata.uid);
    if (run !== undefined) run.ended = well ? 'well' : 'badly';
  }

  begunWith(token: string): Begun | undefined {
    return this.begun.findLast((begun) => begun.token === token);
  }

  /** What the operator asked for last. */
  lastBegunAt({ namespace, releaseName }: Place): Begun | undefined {
    return this.begun.findLast((begun) => begun.namespace === namespace && begun.releaseName === releaseName);
  }

  byHand(place: Place, act: () => void): void {
    this.#hands.set(placeName(place), this.now());
    this.peopleAct = true;
    act();
    this.peopleAct = false;
  }

  touchedByHand(place: Place, since: number): boolean {
    return (this.touchedAt(place) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  touchedAt(place: Place): number | undefined {
    return this.#hands.get(placeName(place));
  }
}
