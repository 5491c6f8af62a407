import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import type { Cluster, WriteRequest } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
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
 * What was recorded happens once more, each deed when it was done. The user alone lives through it: what they do has to
 * have the same effect as it had.
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
    const { cluster } = this.#place;
    const recorded = this.#recording.usersWrites[this.#usersWrites];
    this.#usersWrites += 1;
    await this.#turnOf(recorded);
    const written = cluster.write(request);
    if (!this.#isOver && recorded !== undefined) this.#passOver(recorded);
    return written;
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

  /** The user has done it. */
  #passOver({ after }: UsersWrite): void {
    const revision = this.#place.simulated.api.revision();
    if (revision !== after) {
      const versions = `${String(revision)} and not ${String(after)}`;
      throw new KubepkgError(
        'Internal',
        `the upgrade does not go the same way once more: resource version ${versions}`,
      );
    }
    while (this.#isDone(this.#recording.deeds[this.#done])) this.#done += 1;
    if (!this.#awaitsUser) return;
    this.#awaitsUser = false;
    this.#plan();
  }

  #isDone(deed: Deed | undefined): boolean {
    return (
      deed !== undefined && 'change' in deed.what && deed.what.change.revision <= this.#place.simulated.api.revision()
    );
  }

  #plan(): void {
    const { clock, until } = this.#place;
    const { deeds, steps } = this.#recording;
    const next = this.#done < this.#end ? deeds[this.#done] : steps[until - 1];
    clock.after((next?.time ?? 0) - clock.now(), () => {
      this.#go();
    });
  }

  #go(): void {
    const deed = this.#recording.deeds[this.#done];
    if (this.#done >= this.#end || deed === undefined) {
      this.#finish();
      return;
    }
    this.#awaitsUser = this.#isUsers(deed);
    if (this.#awaitsUser) return;
    this.#done += 1;
    this.#place.simulated.repeat(deed.what);
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
