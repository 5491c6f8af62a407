import type { KubeObject } from '../../../src/api/kube.ts';
import type { ComponentProgress, PackageRevision, RevisionComponent } from '../../../src/api/package-revision.ts';
import { parseTime } from '../../../src/lib/time.ts';
import type { ReleaseTarget } from '../../../src/ports/backend.ts';
import type { Begun } from '../ledger.ts';
import { type Deliverer, recordAt, type ReleaseRecord } from '../record.ts';
import { placeName } from '../release-work.ts';
import type { Stage } from '../stage.ts';
import { contentOf, isOnHold, orderIn, ordersAt } from '../outside/orders.ts';
import { isRunning, nameOfRevision, revisionsOf } from './revisions.ts';

interface Work extends ReleaseTarget {
  readonly by: Deliverer;
  readonly token: string | undefined;
}

/**
 * What a controller begins of its own, some time after it was told, must still be wanted (P22); and what it is kept
 * from by somebody has not failed before its time is over (P9).
 */
export class ControllerObserver {
  readonly #world: Stage;

  constructor(world: Stage) {
    this.#world = world;
  }

  workBegins(work: Work, known: ReleaseRecord | undefined): void {
    const { ledger } = this.#world;
    ledger.reach(`${work.by} begins`);
    const begun = work.token === undefined ? undefined : ledger.begunWith(work.token);
    // What somebody did by hand since, the operator has not asked for.
    if (begun === undefined || ledger.touchedByHand(work, begun.at)) return;
    // What a controller died in the middle of, or does not remember to have done, it does again, and asks nobody.
    if (ledger.redone.has(begun.token)) return;
    this.#judgeMoment(work, begun);
    const isDone = (ledger.completed.get(begun.token) ?? 0) >= begun.at && known?.token === work.token;
    if (isDone) {
      ledger.violate('J2', `${whatOf(work)}: a delivery that was complete is begun again by its controller`);
    }
  }

  #judgeMoment(work: Work, begun: Begun): void {
    const revision = revisionsOf(this.#world.cluster, work.package).find(
      ({ metadata }) => metadata.uid === begun.revisionUid,
    );
    if (revision !== undefined && (isRunning(revision) || isOutOfSight(revision))) return;
    const { phase = 'gone' } = revision?.status ?? {};
    const text = `${whatOf(work)} is delivered by its controller, and ${begun.revision} is ${phase}`;
    this.#world.ledger.violate('P22', text);
  }

  /** Somebody who suspends something wants it to wait. */
  revisionChanged(before: PackageRevision | undefined, after: PackageRevision): void {
    for (const progress of [...(after.status?.hooks ?? []), ...(after.status?.components ?? [])]) {
      const component = memberOf(after, progress.name);
      if (component === undefined || progress.state !== 'Failed' || stateIn(before, progress.name) === 'Failed')
        continue;
      this.#judgeFailure(after, progress, component);
    }
  }

  #judgeFailure(revision: PackageRevision, progress: ComponentProgress, component: RevisionComponent): void {
    const { cluster, ledger } = this.#world;
    // What was delivered once may have failed before it was held.
    if ((progress.backendRevision ?? 0) > 0 || ledger.now() >= parseTime(progress.deadline ?? '')) return;
    const held = ordersAt(cluster, component).find((order) => isOnHold(order));
    if (held === undefined || this.#hasFailed(held, component)) return;
    const what = `${progress.name} fails before its deadline, and is only held by somebody`;
    ledger.violate('P9', `${nameOfRevision(revision)}: ${what}`);
  }

  /** It has, or would. */
  #hasFailed(order: KubeObject, component: RevisionComponent): boolean {
    const record = recordAt(this.#world.cluster, component);
    if (record?.delivery === 'failed' && record.token === orderIn(order)?.token) return true;
    return this.#world.shelf.ofContent(contentOf(order))?.end !== 'well';
  }
}

function whatOf(work: Work): string {
  return `release ${placeName(work)} of ${work.package}`;
}

function memberOf({ spec }: PackageRevision, name: string): RevisionComponent | undefined {
  return [...(spec.hooks ?? []), ...(spec.components ?? [])].find((member) => member.name === name);
}

function stateIn(revision: PackageRevision | undefined, name: string): string | undefined {
  const { components = [], hooks = [] } = revision?.status ?? {};
  return [...components, ...hooks].find((progress) => progress.name === name)?.state;
}

/** Nobody could be told to stop what nobody could read, and the journal says so. */
function isOutOfSight({ status }: PackageRevision): boolean {
  return /its release cannot be read/.test(status?.failure?.message ?? '');
}
