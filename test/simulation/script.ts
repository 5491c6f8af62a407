import type { PackageRevision } from '../../src/api/package-revision.ts';
import { at } from '../../src/lib/json.ts';
import { asRevision, isRunning } from './observers/revisions.ts';
import type { Cue, Deed, Scene } from './stories.ts';
import { readRecord } from './record.ts';
import type { World } from './world.ts';

/** What a story has people do, each when its cue has come. */
export class Script {
  readonly #world: World;
  readonly #scenes: readonly Scene[];
  #next = 0;

  constructor(world: World, scenes: readonly Scene[]) {
    this.#world = world;
    this.#scenes = scenes;
  }

  /** From time to time. */
  look(): void {
    const scene = this.#scenes[this.#next];
    if (scene === undefined || !this.#hasCome(scene.cue)) return;
    this.#next += 1;
    this.#world.ledger.reach('scenes');
    this.#do(scene.deed);
  }

  #do(deed: Deed): void {
    if (deed.kind === 'controllers leave') this.#world.outside.leave(deed.minutes * 60_000);
    else this.#world.editor.play(deed.kind === 'version' ? deed.index : undefined);
  }

  #hasCome(cue: Cue): boolean {
    const newest = this.#newest();
    if (newest === undefined) return false;
    switch (cue) {
      case 'settled':
        return newest.spec.revision > this.#next && !isRunning(newest) && !this.#isOwing(newest);
      case 'hook runs':
        return this.#world.cluster.all('Job').some((job) => at(job, 'status', 'active') === 1);
      case 'a controller works':
        return this.#world.cluster.all('Truth').some((object) => readRecord(object)?.delivery === 'pending');
      case 'first is submitted':
        return newest.status?.components?.some(({ state }) => state === 'Submitted') === true;
    }
  }

  #isOwing({ status }: PackageRevision): boolean {
    return status?.rollback?.state === 'Owed';
  }

  #newest(): PackageRevision | undefined {
    const revisions = this.#world.cluster.all('PackageRevision').flatMap((object) => asRevision(object) ?? []);
    return revisions
      .filter(({ spec }) => spec.package === 'alpha')
      .sort((a, b) => a.spec.revision - b.spec.revision)
      .at(-1);
  }
}
