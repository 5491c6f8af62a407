import { type KubeObject, nameOf, type ObjectRef, refKey, refOf } from '../../../src/api/kube.ts';
import {
  APPLICATION,
  isInProgress,
  readApplication,
  SKIP_RECONCILE,
} from '../../../src/backends/argocd/application.ts';
import { NOTE } from '../../../src/backends/argocd/notes.ts';
import { asArray, asNumber, at, isRecord, type JsonObject } from '../../../src/lib/json.ts';
import { stableJson } from '../../../src/lib/stable-json.ts';
import type { InventoryItem } from '../../../src/ports/backend.ts';
import { render } from '../charts.ts';
import { amendRecord, dropRecord, recordAt } from '../record.ts';
import {
  applyObject,
  beginWork,
  completeWork,
  deleteObject,
  type Delivery,
  failWork,
  itemsOf,
  placeName,
  removalsOf,
} from '../release-work.ts';
import type { Stage } from '../stage.ts';
import { Controller, type ControllerLife } from './controller.ts';
import { contentOf, orderIn } from './orders.ts';
import { type Status, statusOf, withConditions, withoutFinalizer, writeStatus } from './turns.ts';

export const CASCADE = 'resources-finalizer.argocd.argoproj.io';

/** An operation as it was begun: what changes of the spec meanwhile is not its concern. */
interface Sync {
  readonly ref: ObjectRef;
  readonly operation: unknown;
  readonly source: unknown;
  readonly delivery: Delivery;
}

/** Carries out operations on Applications the way Argo CD's application controller does. */
export class ArgoCdController {
  readonly controller: Controller;
  readonly #stage: Stage;
  /** Applications that wait for an object to go. */
  readonly #waiting = new Map<string, ObjectRef>();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.controller = new Controller(stage, {
      name: 'argocd',
      kind: APPLICATION.kind,
      turn: (life, ref) => this.#turn(life, ref),
      notices: isChange,
    });
  }

  gone(object: KubeObject): void {
    const key = refKey(refOf(object));
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    this.controller.wake(waiting);
  }

  async #turn(life: ControllerLife, ref: ObjectRef): Promise<number | undefined> {
    const live = this.#stage.cluster.get(ref);
    if (live === undefined) return undefined;
    if (live.metadata.deletionTimestamp !== undefined) return this.#remove(life, live);
    if (readApplication(live).isPaused) return undefined;
    const isForbidden = this.#isForbidden(live);
    if (this.#stage.chaos.rng('outside').chance(0.5)) await this.#compare(life, ref, isForbidden);
    if (!isForbidden) await this.#operate(life, ref);
    await this.#compare(life, ref, isForbidden);
    if (isForbidden) return 30_000;
    return this.#synchronise(life, ref);
  }

  /** The project forbids it for a while. */
  #isForbidden(live: KubeObject): boolean {
    return live['operation'] !== undefined && this.#stage.chaos.strikes('delivery', 0.3);
  }

  /** What the status says of the source that is in the spec: written when there is time for it. */
  async #compare(life: ControllerLife, ref: ObjectRef, isForbidden: boolean): Promise<void> {
    const live = this.#stage.cluster.get(ref);
    if (live === undefined) return;
    const compared = this.#compared(statusOf(live), live, isForbidden);
    if (stableJson(compared) === stableJson(statusOf(live))) return;
    await life.step(`compares ${nameOf(ref)}`, () => {
      writeStatus(this.#stage.cluster, ref, (status, now) => this.#compared(status, now, isForbidden));
    });
  }

  #compared(status: Status, live: KubeObject, isForbidden: boolean): Status {
    const delivery = this.#deliveryOf(live);
    const [source, destination] = [at(live['spec'], 'source'), at(live['spec'], 'destination')];
    const resources = delivery === undefined ? status['resources'] : this.#resourcesOf(delivery);
    const isSynced = stableJson(at(newestIn(status), 'source') ?? null) === stableJson(source ?? null);
    const judged = {
      ...status,
      resources,
      sync: { status: isSynced ? 'Synced' : 'OutOfSync', comparedTo: { source, destination } },
    };
    if (!isForbidden) return withoutCondition(judged, 'InvalidSpecError');
    const text = 'application destination is not permitted in project';
    const { now } = { now: this.#stage.scheduler.now() };
    return withConditions(judged, live, { set: [['InvalidSpecError', 'True', 'InvalidSpecError', text]], now });
  }

  #resourcesOf(delivery: Delivery): readonly unknown[] {
    const wanted = delivery.chart.end === 'render' ? [] : itemsOf(render(delivery.chart, delivery));
    const keys = new Set(wanted.map((item) => refKey(item)));
    const touched = recordAt(this.#stage.cluster, delivery)?.touched ?? [];
    const extra = touched.filter((item) => !keys.has(refKey(item)) && this.#stage.cluster.get(item) !== undefined);
    return [
      ...wanted.map((item) => resourceOf(item)),
      ...extra.map((item) => ({ ...resourceOf(item), requiresPruning: true })),
    ];
  }

  async #operate(life: ControllerLife, ref: ObjectRef): Promise<void> {
    const live = this.#stage.cluster.get(ref);
    const operation = live?.['operation'];
    const delivery = live === undefined ? undefined : this.#deliveryOf(live);
    if (live === undefined || operation === undefined || delivery === undefined) return;
    const { current } = readApplication(live);
    const sync = { ref, operation, source: at(live['spec'], 'source'), delivery };
    if (current !== undefined && isInProgress(current)) this.#resumes(delivery);
    else {
      const state = {
        operation,
        phase: 'Running',
        message: 'waiting for the objects',
        syncResult: { source: sync.source },
      };
      const isBegun = await life.step(`begins ${nameOf(ref)}`, () => this.#begin(ref, operation, state));
      if (!isBegun) return;
    }
    await this.#carryOut(life, sync);
  }

  /** Not when somebody took it back at the last moment. */
  #begin(ref: ObjectRef, operation: unknown, state: unknown): boolean {
    const live = this.#stage.cluster.get(ref);
    if (stableJson(live?.['operation'] ?? null) !== stableJson(operation)) return false;
    writeStatus(this.#stage.cluster, ref, (status) => ({ ...status, operationState: state }));
    return true;
  }

  #resumes(delivery: Delivery): void {
    const record = recordAt(this.#stage.cluster, delivery);
    if (record?.token !== undefined) this.#stage.ledger.redone.add(record.token);
  }

  async #carryOut(life: ControllerLife, sync: Sync): Promise<void> {
    const end = this.#isApplied(sync)
      ? undefined
      : ((await this.#prepare(life, sync)) ?? (await this.#apply(life, sync)));
    if (end === undefined) await this.#succeed(life, sync);
    else await this.#fail(life, sync, end);
  }

  /** By an earlier life, which had no time to say so: applied once more, nothing changes. */
  #isApplied({ delivery }: Sync): boolean {
    const known = recordAt(this.#stage.cluster, delivery);
    const isSame = known?.token === delivery.token && known?.digest === delivery.digest;
    return isSame && delivery.digest !== undefined && known?.delivery === 'delivered';
  }

  /** How it ends before anything is applied; undefined: it goes on. */
  async #prepare(life: ControllerLife, sync: Sync): Promise<End | undefined> {
    const { cluster, scheduler, chaos } = this.#stage;
    const { delivery } = sync;
    if (this.#isTerminating(sync)) return TERMINATED;
    if (delivery.chart.end === 'render') return CANNOT_RENDER;
    if (chaos.strikes('delivery', 0.3)) return CANNOT_LOOK;
    const known = recordAt(cluster, delivery);
    if (known?.delivery !== 'pending' || known.token !== delivery.token) {
      await life.step(`begins release ${placeName(delivery)}`, () => {
        beginWork(cluster, delivery);
      });
    }
    const until = scheduler.now() + delivery.chart.seconds * 1000;
    while (scheduler.now() < until && !this.#isTerminating(sync)) {
      await life.pause(Math.min(5000, until - scheduler.now()));
    }
    return this.#isTerminating(sync) ? TERMINATED : undefined;
  }

  async #apply(life: ControllerLife, sync: Sync): Promise<End | undefined> {
    const { cluster, chaos } = this.#stage;
    const { chart } = sync.delivery;
    if (chart.end === 'immutable') return failure('field is immutable');
    for (const object of render(chart, sync.delivery)) {
      if (this.#isTerminating(sync)) return TERMINATED;
      await life.step(`applies ${nameOf(refOf(object))}`, () => {
        applyObject(cluster, object);
      });
    }
    if (chart.end === 'broken') return failure('Deployment "app" is invalid: spec');
    return chaos.strikes('delivery', 0.5) ? failure('etcdserver: request timed out') : undefined;
  }

  #isTerminating({ ref }: Sync): boolean {
    return at(statusOf(this.#stage.cluster.get(ref)), 'operationState', 'phase') === 'Terminating';
  }

  /** The record of it comes a moment before it ends. */
  async #succeed(life: ControllerLife, sync: Sync): Promise<void> {
    const { cluster } = this.#stage;
    await life.step(`ends release ${placeName(sync.delivery)}`, () => completeWork(cluster, sync.delivery));
    await life.step(`records ${nameOf(sync.ref)}`, () => {
      writeStatus(cluster, sync.ref, (status) => {
        const history = asArray(status['history']);
        const id = (asNumber(at(history.at(-1), 'id')) ?? -1) + 1;
        const initiatedBy = at(sync.operation, 'initiatedBy');
        return { ...status, history: [...history, { id, source: sync.source, initiatedBy }].slice(-5) };
      });
    });
    await this.#end(life, sync, { phase: 'Succeeded', message: 'successfully synced' });
  }

  async #fail(life: ControllerLife, sync: Sync, end: End): Promise<void> {
    const { cluster } = this.#stage;
    if (recordAt(cluster, sync.delivery)?.delivery === 'pending') {
      await life.step(`fails release ${placeName(sync.delivery)}`, () => {
        failWork(cluster, sync.delivery, end.message);
      });
    }
    await this.#end(life, sync, end);
  }

  async #end(life: ControllerLife, { ref, operation, source, delivery }: Sync, end: End): Promise<void> {
    const resources = delivery.chart.end === 'render' ? [] : itemsOf(render(delivery.chart, delivery));
    const syncResult = { source, resources: resources.map((item) => ({ ...resourceOf(item), status: 'Synced' })) };
    await life.step(`is done with ${nameOf(ref)}: ${end.phase}`, () => {
      const { cluster } = this.#stage;
      writeStatus(cluster, ref, (status) => ({ ...status, operationState: { operation, ...end, syncResult } }));
      const live = cluster.get(ref);
      if (live !== undefined) cluster.put({ ...live, operation: undefined });
    });
  }

  /** Where a user wants that: whatever is in the spec is synced when it is not what was synced last. */
  async #synchronise(life: ControllerLife, ref: ObjectRef): Promise<number | undefined> {
    const live = this.#stage.cluster.get(ref);
    if (live === undefined || at(live['spec'], 'syncPolicy', 'automated') === undefined) return undefined;
    if (live['operation'] !== undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
    const status = statusOf(live);
    const source = stableJson(at(live['spec'], 'source') ?? null);
    const tried = at(status, 'operationState', 'syncResult', 'source');
    if (stableJson(at(newestIn(status), 'source') ?? null) === source || stableJson(tried ?? null) === source)
      return undefined;
    await life.step(`syncs ${nameOf(ref)} by itself`, () => {
      const now = this.#stage.cluster.get(ref);
      if (now === undefined || now['operation'] !== undefined) return;
      this.#stage.cluster.put({ ...now, operation: { initiatedBy: { automated: true }, sync: { prune: true } } });
    });
    return 10;
  }

  #deliveryOf(live: KubeObject): Delivery | undefined {
    const order = orderIn(live);
    const source = at(live['spec'], 'source');
    const chart = this.#stage.shelf.ofContent(contentOf(live));
    if (order === undefined || chart === undefined) return undefined;
    const values = at(source, 'helm', 'valuesObject');
    const isEdited = at(values, 'byHand') !== undefined;
    const digest = isEdited ? undefined : live.metadata.annotations?.[NOTE.digest];
    // Our own translation wrote them.
    return { ...order, digest, values: isRecord(values) ? (values as JsonObject) : {}, chart };
  }

  /** Without the finalizer, the objects stay; with it, they go first. */
  async #remove(life: ControllerLife, live: KubeObject): Promise<number | undefined> {
    const { cluster } = this.#stage;
    const order = orderIn(live);
    if (order === undefined || live.metadata.finalizers?.includes(CASCADE) !== true) return undefined;
    const items = removalsOf(recordAt(cluster, order));
    for (const item of items.filter((each) => cluster.get(each)?.metadata.deletionTimestamp === undefined)) {
      if (cluster.get(item) !== undefined)
        await life.step(`deletes ${nameOf(item)}`, () => deleteObject(cluster, item));
    }
    const left = items.find((item) => cluster.get(item) !== undefined);
    if (left !== undefined) {
      this.#waiting.set(refKey(left), refOf(live));
      return 60_000;
    }
    await life.step(`lets ${nameOf(refOf(live))} go`, () => {
      dropRecord(cluster, order);
      const now = cluster.get(refOf(live));
      if (now !== undefined) cluster.put(withoutFinalizer(now, CASCADE));
    });
    return undefined;
  }

  /** Deleted without its objects: nothing knows of them any more. */
  orphan(application: KubeObject): void {
    const order = orderIn(application);
    if (order !== undefined) amendRecord(this.#stage.cluster, order, () => ({ orphaned: true }));
  }
}

interface End {
  readonly phase: 'Succeeded' | 'Failed' | 'Error';
  readonly message: string;
}

const TERMINATED: End = { phase: 'Failed', message: 'Operation terminated' };
const CANNOT_LOOK: End = {
  phase: 'Error',
  message: 'ComparisonError: Failed to load live state: the server is currently unable to handle the request',
};
const CANNOT_RENDER: End = {
  phase: 'Error',
  message:
    'ComparisonError: Failed to load target state: failed to generate manifest for source 1 of 1: template: app/a.yaml: bad',
};

function failure(text: string): End {
  return { phase: 'Failed', message: `one or more objects failed to apply, reason: ${text}` };
}

function newestIn(status: Status): unknown {
  return asArray(status['history']).at(-1);
}

function resourceOf({ apiVersion, kind, namespace, name }: InventoryItem): Readonly<Record<string, unknown>> {
  const slash = apiVersion.indexOf('/');
  return {
    group: apiVersion.slice(0, Math.max(0, slash)),
    version: apiVersion.slice(slash + 1),
    kind,
    namespace,
    name,
  };
}

function withoutCondition(status: Status, type: string): Status {
  const conditions = asArray(status['conditions']);
  if (conditions.length === 0) return status;
  return { ...status, conditions: conditions.filter((condition) => at(condition, 'type') !== type) };
}

/** Of its spec, of what is asked of it, or its end; its own words are no news to it. */
function isChange(before: KubeObject | undefined, after: KubeObject): boolean {
  if (before === undefined) return true;
  const [old, now] = [before.metadata, after.metadata];
  if (old.generation !== now.generation || old.deletionTimestamp !== now.deletionTimestamp) return true;
  if (old.annotations?.[SKIP_RECONCILE] !== now.annotations?.[SKIP_RECONCILE]) return true;
  if (after['operation'] !== undefined && before['operation'] !== after['operation']) return true;
  return phaseOf(after) === 'Terminating' && phaseOf(before) !== 'Terminating';
}

function phaseOf(application: KubeObject): unknown {
  return at(application['status'], 'operationState', 'phase');
}
