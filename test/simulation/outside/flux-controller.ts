import { type KubeObject, nameOf, type ObjectRef, refOf } from '../../../src/api/kube.ts';
import { CONTROLLER_FINALIZER, HELM_RELEASE, REQUEST, STAMP } from '../../../src/backends/flux/names.ts';
import { asArray, asNumber, asString, at, isRecord } from '../../../src/lib/json.ts';
import { render } from '../charts.ts';
import { amendRecord, dropRecord, recordAt, type ReleaseRecord } from '../record.ts';
import {
  applyObject,
  beginWork,
  completeWork,
  deleteObject,
  type Delivery,
  failWork,
  placeName,
  removalsOf,
} from '../release-work.ts';
import type { Stage } from '../stage.ts';
import {
  configOf,
  ended,
  handled,
  isForced,
  isGivenUp,
  isReset,
  isWanted,
  newestIn,
  type Taken,
  withoutFailures,
} from './flux-taken.ts';
import { Controller, type ControllerLife } from './controller.ts';
import { contentOf, orderIn } from './orders.ts';
import {
  type NewCondition,
  type Status,
  statusOf,
  withConditions,
  withFinalizer,
  withoutFinalizer,
  writeStatus,
} from './turns.ts';

const RETRIES_MS = [1000, 3000, 6000, 12_000, 25_000, 50_000] as const;

/** Carries out HelmReleases the way Flux's helm-controller does, write by write. */
export class FluxController {
  readonly controller: Controller;
  readonly #stage: Stage;
  #releases = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.controller = new Controller(stage, {
      name: 'flux',
      kind: HELM_RELEASE.kind,
      turn: (life, ref) => this.#turn(life, ref),
      notices: isChange,
    });
  }

  async #turn(life: ControllerLife, ref: ObjectRef): Promise<number | undefined> {
    const live = this.#stage.cluster.get(ref);
    if (live === undefined) return undefined;
    if (live.metadata.deletionTimestamp !== undefined) return this.#remove(life, live);
    if (!isHeld(live)) {
      await life.step(`takes up ${nameOf(ref)}`, () => {
        const now = this.#stage.cluster.get(ref);
        if (now !== undefined) this.#stage.cluster.put(withFinalizer(now, CONTROLLER_FINALIZER));
      });
    }
    const taken = this.#take(ref);
    if (taken === undefined) return undefined;
    if (at(this.#stage.cluster.get(ref), 'spec', 'suspend') === true) return this.#pass(life, taken);
    return this.#reconcile(life, taken);
  }

  #take(ref: ObjectRef): Taken | undefined {
    const { cluster, shelf, chaos } = this.#stage;
    const live = cluster.get(ref);
    const order = orderIn(live);
    if (live === undefined || order === undefined) return undefined;
    const { annotations = {}, generation = 0 } = live.metadata;
    const chart = shelf.ofContent(contentOf(live));
    if (chart === undefined) return undefined;
    const { configDigest, ...config } = configOf(live);
    return {
      ref,
      generation,
      requestedAt: annotations[REQUEST.requestedAt],
      resetAt: annotations[REQUEST.resetAt],
      forceAt: annotations[REQUEST.forceAt],
      configDigest,
      chartVersion: annotations[STAMP.chart] ?? '',
      dependsOn: asString(at(asArray(at(live, 'spec', 'dependsOn'))[0], 'name')),
      delivery: { ...order, ...config, chart },
      isFine: chaos.rng('outside').chance(0.4),
    };
  }

  /** Suspended: nothing is done, and yet generation and token count as seen. */
  async #pass(life: ControllerLife, taken: Taken): Promise<undefined> {
    await this.#write(life, taken, 'passes over', (status) => ended(status, taken));
    return undefined;
  }

  async #reconcile(life: ControllerLife, taken: Taken): Promise<number | undefined> {
    const isNew = asNumber(statusOf(this.#stage.cluster.get(taken.ref))['observedGeneration']) !== taken.generation;
    await this.#write(life, taken, 'begins with', (status, live) =>
      this.#with(live, status, {
        set: [['Reconciling', 'True', 'Progressing', 'Fulfilling prerequisites']],
        drop: ['Stalled'],
      }),
    );
    if (taken.dependsOn !== undefined) return this.#awaitOther(life, taken, taken.dependsOn);
    if (isNew && this.#stage.chaos.strikes('delivery', 0.5)) return this.#missSource(life, taken);
    await this.#unlock(life, taken);
    const action = this.#actionFor(taken);
    if (action === 'none') return this.#rest(life, taken);
    if (action === 'stalled') return this.#stall(life, taken);
    await this.#plan(life, taken);
    if (taken.delivery.chart.end === 'render') return this.#cannotBegin(life, taken, 'template: app/a.yaml:1: bad');
    if (this.#stage.chaos.strikes('delivery', 0.3))
      return this.#cannotBegin(life, taken, 'etcdserver: request timed out');
    return this.#deliver(life, taken);
  }

  /** Nothing is begun before a HelmRelease that another one depends on is ready, and this one never comes. */
  async #awaitOther(life: ControllerLife, taken: Taken, name: string): Promise<undefined> {
    await this.#write(life, taken, 'waits for another one with', (status, live) =>
      handled(
        this.#with(live, status, { set: [['Ready', 'False', 'DependencyNotReady', `dependency '${name}' not found`]] }),
        taken,
      ),
    );
    return undefined;
  }

  /** A registry that does not answer: waited for, without an end. */
  async #missSource(life: ControllerLife, taken: Taken): Promise<number> {
    await this.#write(life, taken, 'lacks the source of', (status, live) =>
      handled(
        this.#with(live, status, { set: [['Ready', 'False', 'SourceNotReady', 'the chart is not fetched yet']] }),
        taken,
      ),
    );
    return this.#stage.chaos.rng('outside').int(1, 90) * 1000;
  }

  /** What an earlier life was in the middle of. */
  async #unlock(life: ControllerLife, taken: Taken): Promise<void> {
    const { cluster } = this.#stage;
    const record = recordAt(cluster, taken.delivery);
    if (record?.delivery !== 'pending') return;
    this.#redo(record);
    await this.#write(life, taken, 'unlocks', (status, live) => {
      failWork(cluster, taken.delivery, 'it was interrupted');
      return this.#with(live, status, { set: [['Ready', 'False', 'PendingRelease', 'a record is pending']] });
    });
  }

  #actionFor(taken: Taken): 'release' | 'stalled' | 'none' {
    const status = statusOf(this.#stage.cluster.get(taken.ref));
    const record = recordAt(this.#stage.cluster, taken.delivery);
    if (isForced(taken, status) || record === undefined || record.uninstalled === true) return 'release';
    const newest = newestIn(status);
    const isNoted = record.revision === newest.version;
    if (record.delivery === 'failed') return isNoted && isGivenUp(taken, status) ? 'stalled' : 'release';
    if (isNoted) return isWanted(taken, newest) ? 'none' : 'release';
    this.#redo(record);
    return 'release';
  }

  /** It died between the record and the word that it is done. */
  #redo({ token }: ReleaseRecord): void {
    if (token !== undefined) this.#stage.ledger.redone.add(token);
  }

  /** Nothing to do: what runs is what is wanted. */
  async #rest(life: ControllerLife, taken: Taken): Promise<undefined> {
    await this.#write(life, taken, 'has nothing to do for', (status, live) => ({
      ...ended(
        this.#with(live, status, {
          set: [['Ready', 'True', 'UpgradeSucceeded', 'it is deployed']],
          drop: ['Reconciling'],
        }),
        taken,
      ),
      lastAttemptedGeneration: taken.generation,
    }));
    return undefined;
  }

  async #stall(life: ControllerLife, taken: Taken): Promise<undefined> {
    const stalled: NewCondition = ['Stalled', 'True', 'RetriesExceeded', 'no attempt is left'];
    await this.#write(life, taken, 'gives up', (status, live) =>
      ended(this.#with(live, status, { set: [stalled], drop: ['Reconciling'] }), taken),
    );
    return undefined;
  }

  async #plan(life: ControllerLife, taken: Taken): Promise<void> {
    const text = `Running '${this.#verbOf(taken).toLowerCase()}' action with timeout of 10m0s`;
    const set: readonly NewCondition[] = [
      ['Ready', 'Unknown', 'Progressing', text],
      ['Reconciling', 'True', 'Progressing', text],
    ];
    if (taken.isFine) {
      await this.#write(life, taken, 'looks at', (status, live) => this.#with(live, status, { set }));
    }
    await this.#write(life, taken, 'plans for', (status, live) => {
      const isFirst = status['lastAttemptedGeneration'] !== taken.generation || isReset(taken, status);
      return {
        ...this.#with(live, isFirst ? withoutFailures(status) : status, { set }),
        lastAttemptedGeneration: taken.generation,
        lastAttemptedRevision: taken.chartVersion,
        lastAttemptedConfigDigest: taken.configDigest,
        ...(taken.resetAt === undefined ? {} : { lastHandledResetAt: taken.resetAt }),
        ...(isForced(taken, status) ? { lastHandledForceAt: taken.forceAt } : {}),
      };
    });
  }

  /** Leaves no record, and is tried again without an end. */
  async #cannotBegin(life: ControllerLife, taken: Taken, text: string): Promise<number> {
    let failures = 0;
    await this.#write(life, taken, 'cannot begin', (status, live) => {
      failures = (asNumber(status['failures']) ?? 0) + 1;
      const set = this.#failed(taken, this.#textOf(taken, text));
      return { ...handled(this.#with(live, status, { set }), taken), failures };
    });
    return RETRIES_MS[Math.min(failures, RETRIES_MS.length) - 1] ?? 50_000;
  }

  async #deliver(life: ControllerLife, taken: Taken): Promise<number | undefined> {
    const { cluster, chaos } = this.#stage;
    const { delivery } = taken;
    if (!this.#hasNamespace(delivery.namespace)) return 10_000;
    await life.step(`begins release ${placeName(delivery)}`, () => {
      beginWork(cluster, delivery);
    });
    await life.pause(delivery.chart.seconds * 1000);
    const { end } = delivery.chart;
    if (end === 'immutable') return this.#break(life, taken, 'field is immutable');
    for (const object of render(delivery.chart, delivery)) {
      await life.step(`applies ${nameOf(refOf(object))}`, () => {
        applyObject(cluster, object);
      });
    }
    if (end === 'broken') return this.#break(life, taken, 'Deployment "app" is invalid: spec');
    if (chaos.strikes('delivery', 0.5)) return this.#break(life, taken, 'etcdserver: request timed out');
    await life.step(`ends release ${placeName(delivery)}`, () => completeWork(cluster, delivery));
    return this.#succeed(life, taken);
  }

  #hasNamespace(name: string): boolean {
    const found = this.#stage.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name });
    return found !== undefined && found.metadata.deletionTimestamp === undefined;
  }

  async #break(life: ControllerLife, taken: Taken, text: string): Promise<undefined> {
    const { cluster } = this.#stage;
    await life.step(`fails release ${placeName(taken.delivery)}`, () => {
      failWork(cluster, taken.delivery, text);
    });
    const set = this.#failed(taken, this.#textOf(taken, text));
    if (taken.isFine) await this.#write(life, taken, 'fails', (status, live) => this.#with(live, status, { set }));
    await this.#write(life, taken, 'records the failure of', (status, live) => ({
      ...this.#with(live, status, { set }),
      history: this.#historyOf(taken, status, 'failed'),
      failures: 1,
      upgradeFailures: 1,
    }));
    return this.#stall(life, taken);
  }

  async #succeed(life: ControllerLife, taken: Taken): Promise<undefined> {
    const reason = `${this.#verbOf(taken)}Succeeded`;
    const set: readonly NewCondition[] = [
      ['Ready', 'True', reason, 'it is deployed'],
      ['Released', 'True', reason, 'it is deployed'],
    ];
    if (taken.isFine) {
      await this.#write(life, taken, 'says ready', (status, live) => this.#with(live, status, { set }));
    }
    await this.#write(life, taken, 'records', (status, live) => ({
      ...this.#with(live, status, { set }),
      history: this.#historyOf(taken, status, 'deployed'),
    }));
    if (taken.isFine) {
      await this.#write(life, taken, 'is done with', (status, live) =>
        this.#with(live, status, { set: [], drop: ['Reconciling'] }),
      );
    }
    await this.#write(life, taken, 'ends', (status, live) =>
      ended(this.#with(live, status, { set: [], drop: ['Reconciling'] }), taken),
    );
    return undefined;
  }

  /** Suspended, it leaves the release where it is. */
  async #remove(life: ControllerLife, live: KubeObject): Promise<undefined> {
    if (!isHeld(live)) return undefined;
    const { cluster } = this.#stage;
    const order = orderIn(live);
    if (order !== undefined && at(live, 'spec', 'suspend') !== true) {
      const keeps = at(live, 'spec', 'uninstall', 'keepHistory') === true;
      const record = recordAt(cluster, order);
      await this.#uninstall(life, record, order, keeps);
    } else if (order !== undefined) {
      amendRecord(cluster, order, () => ({ orphaned: true }));
    }
    await life.step(`lets ${nameOf(refOf(live))} go`, () => {
      const now = cluster.get(refOf(live));
      if (now !== undefined) cluster.put(withoutFinalizer(now, CONTROLLER_FINALIZER));
    });
    return undefined;
  }

  async #uninstall(
    life: ControllerLife,
    record: ReleaseRecord | undefined,
    order: Pick<Delivery, 'namespace' | 'releaseName'>,
    keeps: boolean,
  ): Promise<void> {
    const { cluster } = this.#stage;
    if (record === undefined || record.uninstalled === true) return;
    await life.step(`uninstalls ${placeName(order)}`, () => {
      amendRecord(cluster, order, () => ({ delivery: 'removing', message: 'it is uninstalled' }));
    });
    for (const item of removalsOf(record)) {
      await life.step(`deletes ${nameOf(item)}`, () => deleteObject(cluster, item));
    }
    await life.step(`has uninstalled ${placeName(order)}`, () => {
      if (keeps) amendRecord(cluster, order, () => ({ uninstalled: true, everDelivered: false }));
      else dropRecord(cluster, order);
    });
  }

  #write(
    life: ControllerLife,
    { ref }: Taken,
    what: string,
    change: (status: Status, live: KubeObject) => Status,
  ): Promise<void> {
    return life.step(`${what} ${nameOf(ref)}`, () => {
      writeStatus(this.#stage.cluster, ref, change);
    });
  }

  #with(
    live: KubeObject,
    status: Status,
    change: { readonly set: readonly NewCondition[]; readonly drop?: readonly string[] },
  ): Status {
    return withConditions(status, live, { ...change, now: this.#stage.scheduler.now() });
  }

  #failed(taken: Taken, text: string): readonly NewCondition[] {
    const reason = `${this.#verbOf(taken)}Failed`;
    return [
      ['Ready', 'False', reason, text],
      ['Released', 'False', reason, text],
    ];
  }

  #verbOf({ delivery }: Taken): 'Install' | 'Upgrade' {
    return recordAt(this.#stage.cluster, delivery)?.everDelivered === true ? 'Upgrade' : 'Install';
  }

  #textOf(taken: Taken, text: string): string {
    const { delivery, chartVersion } = taken;
    const verb = this.#verbOf(taken).toLowerCase();
    return `Helm ${verb} failed for release ${placeName(delivery)} with chart app@${chartVersion}: ${text}`;
  }

  /** Cut to the newest one and those that it stands on. */
  #historyOf(taken: Taken, status: Status, state: 'deployed' | 'failed'): readonly unknown[] {
    this.#releases += 1;
    const former = asArray(status['history']).map((entry) =>
      isRecord(entry) && entry['status'] === 'deployed' && state === 'deployed'
        ? { ...entry, status: 'superseded' }
        : entry,
    );
    const newest = {
      version: recordAt(this.#stage.cluster, taken.delivery)?.revision ?? 1,
      status: state,
      digest: `sha256:release-${String(this.#releases)}`,
      configDigest: taken.configDigest,
      chartVersion: taken.chartVersion,
    };
    return [newest, ...former].slice(0, 3);
  }
}

/** Of its spec, of the requests on it, or its end. */
function isChange(before: KubeObject | undefined, after: KubeObject): boolean {
  if (before === undefined) return true;
  const [old, now] = [before.metadata, after.metadata];
  if (old.generation !== now.generation || old.deletionTimestamp !== now.deletionTimestamp) return true;
  return old.annotations?.[REQUEST.requestedAt] !== now.annotations?.[REQUEST.requestedAt];
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(CONTROLLER_FINALIZER) === true;
}
