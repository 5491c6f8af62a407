import type { KubeObject } from '../../api/kube.ts';
import type { Cluster, WriteRequest } from '../../ports/cluster.ts';
import type { SimulatedCluster, SimulatedContent, SimulatedDeed } from './simulated-cluster.ts';
import type { Step } from './steps.ts';

/** Everything on a stage at one moment. */
export interface StageSnapshot {
  readonly content: SimulatedContent;
  readonly now: number;
}

/** Something that changed, and when. */
export interface Deed {
  readonly time: number;
  readonly what: SimulatedDeed;
}

/** A write of the user's: the revisions of the store before and after it, the same where it changed nothing. */
export interface UsersWrite {
  readonly before: number;
  readonly after: number;
  readonly request: WriteRequest;
  /** Absent: it was refused. */
  answer?: KubeObject;
}

/** What happened on a stage from one moment on. */
export interface Recording {
  readonly from: StageSnapshot;
  /** How many operators had begun by then. */
  readonly lives: number;
  readonly deeds: readonly Deed[];
  readonly usersWrites: readonly UsersWrite[];
  readonly steps: readonly Step[];
  /** How many deeds had been done when each step had been taken. */
  readonly marks: readonly number[];
}

export interface RecorderPlace {
  readonly simulated: SimulatedCluster;
  readonly now: () => number;
  readonly lives: number;
}

/** Notes what changes, whoever does it. */
export class Recorder {
  readonly #place: RecorderPlace;
  readonly #from: StageSnapshot;
  readonly #deeds: Deed[] = [];
  readonly #usersWrites: UsersWrite[] = [];
  readonly #steps: Step[] = [];
  readonly #marks: number[] = [];
  readonly #stop: () => void;

  constructor(place: RecorderPlace) {
    const { simulated, now } = place;
    this.#place = place;
    this.#from = { content: simulated.content(), now: now() };
    this.#stop = simulated.observe((what) => {
      this.#deeds.push({ time: now(), what });
    });
  }

  mark(step: Step): void {
    this.#steps.push(step);
    this.#marks.push(this.#deeds.length);
  }

  /** What it changes is changed when this returns: the cluster is in this process. */
  write(cluster: Cluster, request: WriteRequest): Promise<KubeObject> {
    const { api } = this.#place.simulated;
    const before = api.revision();
    const written = cluster.write(request);
    const noted: UsersWrite = { before, after: api.revision(), request };
    this.#usersWrites.push(noted);
    return written.then((answer) => {
      noted.answer = answer;
      return answer;
    });
  }

  end(): Recording {
    this.#stop();
    const { lives } = this.#place;
    return {
      from: this.#from,
      lives,
      deeds: this.#deeds,
      usersWrites: this.#usersWrites,
      steps: this.#steps,
      marks: this.#marks,
    };
  }
}
