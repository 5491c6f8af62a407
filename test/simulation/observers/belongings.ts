import type { KubeObject } from '../../../src/api/kube.ts';
import type { ReleaseTarget } from '../../../src/ports/backend.ts';
import { OWNER, ours } from '../places.ts';
import { allRecords, isOwn, type ReleaseRecord } from '../record.ts';
import { placeName } from '../release-work.ts';
import type { Stage } from '../stage.ts';
import { revisionsOf } from './revisions.ts';

/** I6, I7 and I13: nothing of others is touched, no data is lost, and nothing of ours is forgotten. */
export class BelongingsObserver {
  readonly #world: Stage;
  /** Places where somebody else's release came while the order for ours was on its way. */
  readonly #overtaken = new Set<string>();

  constructor(world: Stage) {
    this.#world = world;
  }

  /** Where helm delivers, at the moment of its first write, which it refuses; elsewhere when the order is sent. */
  deliveryBegins(release: ReleaseTarget, known: ReleaseRecord | undefined): void {
    if (this.#isForeign(release, known)) this.#foreign('written', release);
  }

  /** No API makes one object only while another is missing: what comes after the order was sent is not seen in time. */
  ordered(release: ReleaseTarget, known: ReleaseRecord | undefined): void {
    if (known?.package !== undefined) this.#overtaken.delete(placeName(release));
    else if (known !== undefined) this.#overtaken.add(placeName(release));
  }

  removalBegins(target: ReleaseTarget, known: ReleaseRecord | undefined): void {
    if (this.#isForeign(target, known)) this.#foreign('removed', target);
    this.#overtaken.delete(placeName(target));
  }

  gone(object: KubeObject): void {
    if (object.kind === 'Namespace') this.#world.ledger.violate('I7', `namespace ${object.metadata.name} was deleted`);
    if (object.kind !== 'PersistentVolumeClaim') return;
    const owner = object.metadata.annotations?.[OWNER]?.split('/')[0] ?? '';
    const pkg = this.#world.cluster.get(ours('Package', owner));
    if (pkg === undefined || pkg.metadata.deletionTimestamp !== undefined) return;
    this.#world.ledger.violate('I7', `claim ${object.metadata.name} was deleted, and package ${owner} stays`);
  }

  /** At the end: every release of ours is of a revision that exists. */
  settled(): void {
    const { cluster, ledger } = this.#world;
    for (const { namespace, releaseName, record } of allRecords(cluster)) {
      if (record.package === undefined || record.orphaned === true) continue;
      const isKnown = revisionsOf(cluster, record.package).some(({ spec }) =>
        [...(spec.components ?? []), ...(spec.hooks ?? [])].some(
          (component) => component.namespace === namespace && component.releaseName === releaseName,
        ),
      );
      if (!isKnown) ledger.violate('I13', `no revision knows release ${namespace}/${releaseName} of ${record.package}`);
    }
  }

  #isForeign(release: ReleaseTarget, known: ReleaseRecord | undefined): boolean {
    if (known === undefined || isOwn(known, release)) return false;
    return known.package !== undefined || !this.#overtaken.has(placeName(release));
  }

  #foreign(what: string, { namespace, releaseName, package: pkg }: ReleaseTarget): void {
    this.#world.ledger.violate('I6', `foreign release ${namespace}/${releaseName} is ${what} by package ${pkg}`);
  }
}
