import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import type { Cluster, WriteRequest } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import { sameJson } from '../../embedded/model/same-json.ts';
import type { Deed, Recording, UsersWrite } from './recording.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

export interface RelivingPlace {
  readonly simulated: Pick<SimulatedCluster, 'api' | 'repeat'>;
  readonly clock: Clock;
  readonly cluster: Cluster;
  /** Number of the step with which it is over. */
  readonly until: number;
  readonly onOver: () => void;
}

interface Waiting {
  readonly before: number;
  readonly go: () => void;
}

/**
 * What was recorded happens once more, each deed when it was done. The user alone lives through it, and has to do what was
 * done: it then has the effect that it had.
 */
export class Reliving {
  readonly #recording: Recording;
  readonly #place: RelivingPlace;
  readonly #end: number;
  #done = 0;
  #usersWrites = 0;
  #waiting: readonly Waiting[] = [];
  #awaitsUser = false;
  #isOver = false;

  constructor(recording: Recording, place: RelivingPlace) {
    this.#recording = recording;
    this.#place = place;
    this.#end = recording.marks[place.until - 1] ?? 0;
    this.#plan();
  }

  /** A write of the user's comes between the same deeds of others as before. */
  async write(request: WriteRequest): Promise<KubeObject> {
    const recorded = this.#recording.usersWrites[this.#usersWrites];
    this.#usersWrites += 1;
    await this.#turnOf(recorded);
    const answer = this.#isOver || recorded === undefined ? undefined : this.#repeat(recorded, request);
    return answer ?? this.#place.cluster.write(request);
  }

  #turnOf(recorded: UsersWrite | undefined): Promise<void> {
    return new Promise((go) => {
      const before = recorded?.before ?? Infinity;
      this.#waiting = [...this.#waiting, { before, go }];
      this.#wake();
    });
  }

  #wake(): void {
    const revision = this.#place.simulated.api.revision();
    const isDue = ({ before }: Waiting): boolean => this.#isOver || before <= revision;
    const due = this.#waiting.filter(isDue);
    this.#waiting = this.#waiting.filter((each) => !isDue(each));
    for (const { go } of due) go();
  }

  #repeat({ request, after, answer }: UsersWrite, now: WriteRequest): KubeObject | undefined {
    if (!sameJson(request, now)) {
      throw new KubepkgError(
        'Internal',
        'the upgrade does not go the same way once more: its user writes something else',
      );
    }
    for (let deed = this.#next(); deed !== undefined && isDone(deed, after); deed = this.#next()) this.#do(deed);
    if (this.#awaitsUser) this.#plan();
    return answer;
  }

  #next(): Deed | undefined {
    return this.#recording.deeds[this.#done];
  }

  #do({ what }: Deed): void {
    this.#done += 1;
    this.#place.simulated.repeat(what);
  }

  /** Milliseconds until the next deed, or the end. */
  #pause(): number {
    const { clock, until } = this.#place;
    const next = this.#done < this.#end ? this.#next() : this.#recording.steps[until - 1];
    return (next?.time ?? 0) - clock.now();
  }

  #plan(): void {
    this.#awaitsUser = false;
    this.#place.clock.after(this.#pause(), () => {
      // What was to be done by now, the user may have done.
      if (this.#pause() > 0) this.#plan();
      else this.#go();
    });
  }

  #go(): void {
    const deed = this.#done < this.#end ? this.#next() : undefined;
    if (deed === undefined) {
      this.#finish();
      return;
    }
    this.#awaitsUser = this.#isUsers(deed);
    if (this.#awaitsUser) return;
    this.#do(deed);
    this.#wake();
    this.#plan();
  }

  #isUsers({ what }: Deed): boolean {
    if (!('change' in what)) return false;
    const { revision } = what.change;
    return this.#recording.usersWrites.some(({ before, after }) => before < revision && revision <= after);
  }

  #finish(): void {
    this.#isOver = true;
    this.#wake();
    this.#place.onOver();
  }
}

function isDone({ what }: Deed, revision: number): boolean {
  return 'change' in what && what.change.revision <= revision;
}
