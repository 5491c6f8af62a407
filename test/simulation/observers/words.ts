import type { Condition, KubeObject } from '../../../src/api/kube.ts';
import type { RevisionComponent } from '../../../src/api/package-revision.ts';
import { asArray, at } from '../../../src/lib/json.ts';
import type { Stage } from '../stage.ts';
import { recordAt } from '../record.ts';
import { isEdited, whyUnready } from './order.ts';
import { revisionsOf } from './revisions.ts';

export function conditionsIn(object: KubeObject | undefined): readonly Condition[] {
  return asArray(at(object, 'status', 'conditions')) as readonly Condition[];
}

export function conditionIn(object: KubeObject | undefined, type: string): Condition | undefined {
  return conditionsIn(object).find((condition) => condition.type === type);
}

/** Longer than events are held back. */
const RECENT_MS = 60_000;

/** I10 and I11: what is said is no secret, and it is true. */
export class WordsObserver {
  readonly #world: Stage;

  constructor(world: Stage) {
    this.#world = world;
  }

  see(before: KubeObject | undefined, after: KubeObject): void {
    const { scribe } = this.#world;
    scribe.inspect(`the status of ${after.kind} ${after.metadata.name}`, after['status'] ?? null);
    if (after.kind === 'Package') this.#readySaid(before, after);
    else scribe.inspect(`the spec of revision ${after.metadata.name}`, after['spec'] ?? null);
  }

  #readySaid(before: KubeObject | undefined, after: KubeObject): void {
    const { trace } = this.#world;
    const [former, ready] = [conditionIn(before, 'Ready'), conditionIn(after, 'Ready')];
    if (ready === undefined || (former?.message === ready.message && former.status === ready.status)) return;
    if (former?.reason !== ready.reason) this.#world.ledger.reach(`says ${ready.reason}`);
    trace.add('status', `${after.metadata.name} Ready=${ready.status} ${ready.reason}: ${ready.message}`);
    if (ready.status === 'True' && former?.status !== 'True') this.#becameReady(after);
  }

  #becameReady(pkg: KubeObject): void {
    const { name } = pkg.metadata;
    const applied = revisionsOf(this.#world.cluster, name).findLast(({ status }) => status?.phase === 'Applied');
    if (applied === undefined) {
      this.#world.ledger.violate('I11', `${name} is Ready, and no revision is applied`);
      return;
    }
    for (const component of applied.spec.components ?? []) {
      if (this.#isNews(component)) continue;
      const why = whyUnready(this.#world, component);
      if (why === undefined) continue;
      this.#world.ledger.violate('I11', `${name} is Ready with ${applied.metadata.name}: ${component.name}: ${why}`);
    }
  }

  /** Somebody has just changed it by hand, or deleted it, and word of that may be late: in the end it is told. */
  #isNews(component: RevisionComponent): boolean {
    const { cluster, ledger } = this.#world;
    const record = recordAt(cluster, component);
    const isChanged = record?.delivery !== 'delivered' || isEdited(record);
    return isChanged && ledger.touchedByHand(component, ledger.now() - RECENT_MS);
  }
}
