import { type KubeObject, refOf } from '../../../src/api/kube.ts';
import type { ReleaseTarget } from '../../../src/ports/backend.ts';
import type { WriteRequest } from '../../../src/ports/cluster.ts';
import { isNewOrder, type Order, orderIn } from '../outside/orders.ts';
import { type Place, placeOf, readRecord, recordAt, type ReleaseRecord } from '../record.ts';
import type { Stage } from '../stage.ts';
import { BelongingsObserver } from './belongings.ts';
import { ClockObserver } from './clocks.ts';
import { ControllerObserver } from './controllers.ts';
import { HookObserver } from './hooks.ts';
import { OrderObserver } from './order.ts';
import { asRevision, runningRevision } from './revisions.ts';
import { TransactionObserver } from './transactions.ts';
import { WordsObserver } from './words.ts';

/** Bystanders that see what the cluster shows, whatever delivers, and know the rules. */
export class Observers {
  readonly clocks: ClockObserver;
  readonly belongings: BelongingsObserver;
  readonly #world: Stage;
  readonly #order: OrderObserver;
  readonly #hooks: HookObserver;
  readonly #controllers: ControllerObserver;
  readonly #transactions: TransactionObserver;
  readonly #words: WordsObserver;

  constructor(world: Stage) {
    this.#world = world;
    this.clocks = new ClockObserver(world);
    this.belongings = new BelongingsObserver(world);
    this.#order = new OrderObserver(world);
    this.#hooks = new HookObserver(world);
    this.#controllers = new ControllerObserver(world);
    this.#transactions = new TransactionObserver(world);
    this.#words = new WordsObserver(world);
  }

  /** `after` is undefined for what is gone. */
  see(before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.#seeOrder(before, after);
    if (after === undefined) {
      if (before !== undefined) this.belongings.gone(before);
      return;
    }
    const record = readRecord(after);
    if (record !== undefined) this.#seeRecord(placeOf(after), readRecord(before), record);
    if (after.kind === 'Job') this.#hooks.count();
    if (after.kind === 'Package' || after.kind === 'PackageRevision') this.#words.see(before, after);
    const revision = asRevision(after);
    if (revision === undefined) return;
    this.#tell(asRevision(before)?.status?.phase, revision);
    this.#order.revisionChanged(asRevision(before), revision);
    this.#hooks.revisionChanged(asRevision(before), revision);
    this.#controllers.revisionChanged(asRevision(before), revision);
    this.#transactions.revisionChanged(revision);
  }

  /** An order is on its way: from here on nothing can take it back. */
  sends(request: WriteRequest): void {
    const { cluster } = this.#world;
    if (!('object' in request)) return;
    const order = orderIn(request.object);
    if (order === undefined || !isNewOrder(cluster.get(refOf(request.object)), request.object)) return;
    this.belongings.deliveryBegins(order, recordAt(cluster, order));
  }

  /** What a controller is told: by the operator, unless people are at work at this very moment. */
  #seeOrder(before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (this.#world.ledger.peopleAct) return;
    const [former, order] = [orderIn(before), orderIn(after)];
    if (former !== undefined && !isGoing(before) && isGoing(after)) {
      this.#removalBegins(former, recordAt(this.#world.cluster, former));
    }
    if (order !== undefined && after !== undefined && isNewOrder(before, after)) this.#ordered(order);
  }

  #ordered(order: Order): void {
    const { cluster, ledger } = this.#world;
    ledger.reach(`order to ${order.by}`);
    this.belongings.ordered(order, recordAt(cluster, order));
    this.#asked(order, recordAt(cluster, order));
  }

  #seeRecord(place: Place, before: ReleaseRecord | undefined, after: ReleaseRecord): void {
    const { ledger } = this.#world;
    const { package: pkg = '', component, token, delivery, by } = after;
    const target = { package: pkg, component, ...place };
    if (hasBegun(before, after)) {
      if (by === 'helm') this.#deliveredHere({ ...target, token }, before);
      else this.#controllers.workBegins({ ...target, token, by }, before);
    }
    if (before?.delivery === delivery) return;
    if (delivery === 'delivered' && token !== undefined) ledger.completed.set(token, ledger.now());
    if (delivery === 'removing' && by === 'helm') this.#removalBegins(target, before);
  }

  #deliveredHere(
    release: ReleaseTarget & { readonly token: string | undefined },
    known: ReleaseRecord | undefined,
  ): void {
    this.belongings.deliveryBegins(release, known);
    this.#asked(release, known);
  }

  /** The operator has asked for a delivery: it begins, or a controller is told. */
  #asked(release: ReleaseTarget & { readonly token: string | undefined }, known: ReleaseRecord | undefined): void {
    const { cluster, ledger } = this.#world;
    const { package: pkg, component, namespace, releaseName, token = '' } = release;
    const revision = runningRevision(cluster, pkg);
    ledger.reach(known === undefined ? 'install begun' : 'upgrade begun');
    this.#order.deliveryBegins({ ...release, token });
    if (revision === undefined) return;
    const { name, uid = '' } = revision.metadata;
    const place = { namespace, releaseName };
    ledger.begun.push({
      ...place,
      package: pkg,
      component,
      token,
      revision: name,
      revisionUid: uid,
      at: ledger.now(),
    });
    this.#hooks.deliveryBegins(release);
    const isHook = (revision.spec.hooks ?? []).some((hook) => hook.name === component);
    if (!isHook) this.#transactions.deliveryBegins(pkg, revision);
  }

  #removalBegins(target: ReleaseTarget, known: ReleaseRecord | undefined): void {
    this.#world.ledger.reach('removal begun');
    this.belongings.removalBegins(target, known);
    this.#hooks.removalBegins(target);
  }

  #tell(former: string | undefined, { metadata, spec, status }: NonNullable<ReturnType<typeof asRevision>>): void {
    const { phase = 'created', message = '' } = status ?? {};
    if (former === status?.phase) return;
    const { restoredFrom = 0 } = spec;
    this.#world.ledger.reach(`${restoredFrom > 0 ? 'restoring' : 'forward'} revision ${phase}`);
    const restored = restoredFrom > 0 ? `, restoring ${String(restoredFrom)}` : '';
    this.#world.trace.add('journal', `${metadata.name} (${spec.version}${restored}) ${phase}: ${message}`);
  }
}

function isGoing(object: KubeObject | undefined): boolean {
  return object === undefined || object.metadata.deletionTimestamp !== undefined;
}

function hasBegun(before: ReleaseRecord | undefined, { delivery, revision }: ReleaseRecord): boolean {
  return delivery === 'pending' && (before?.delivery !== 'pending' || before.revision !== revision);
}
