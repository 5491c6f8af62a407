import { KubepkgError } from '../../src/api/errors.ts';
import { type KubeObject, nameOf, refKey, refOf } from '../../src/api/kube.ts';
import { LABEL } from '../../src/api/names.ts';
import { at } from '../../src/lib/json.ts';
import type {
  Backend,
  BackendAction,
  BackendWatch,
  DesiredRelease,
  InventoryItem,
  PresentRelease,
  RecordedRelease,
  ReleaseObservation,
  ReleaseTarget,
  SubmitOutcome,
} from '../../src/ports/backend.ts';
import { render } from './charts.ts';
import { PASSING_ERRORS, passingError } from './passing.ts';

import {
  isOwn,
  placeOf,
  putRecord,
  readRecord,
  recordAt,
  RECORD_LABEL,
  recordRef,
  type ReleaseRecord,
} from './record.ts';
import type { Chart } from './universe.ts';
import type { Life, Stage } from './stage.ts';

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };
type Delivery = Extract<BackendAction, { readonly release: DesiredRelease }>;

/** Delivers as helm does: a record that is pending first, then object by object, then the word that it is done. */
export class ModelBackend implements Backend {
  readonly id = 'helm';
  readonly capabilities = { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: false };
  readonly #world: Stage;
  readonly #process: Life;
  readonly #busy = new Set<string>();

  constructor(world: Stage, process: Life) {
    this.#world = world;
    this.#process = process;
  }

  async observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    const record = readRecord(await this.#process.cluster.read(recordRef(target)));
    if (record === undefined) return { state: 'absent' };
    if (!isOwn(record, target)) {
      return { state: 'foreign', message: `release ${placeName(target)} belongs to ${ownerName(record)}` };
    }
    const { revision, token, digest, delivery, everDelivered, message } = record;
    const held = record.uninstalled === true ? this.#heldOf(record) : undefined;
    if (held === undefined) return { state: 'present', revision, token, digest, delivery, everDelivered, message };
    return { state: 'present', revision, token, digest, delivery: 'draining', everDelivered, message: held };
  }

  /** Whether nothing but objects that are on their way is left, and what holds the first of them. */
  #heldOf({ touched }: ReleaseRecord): string | undefined {
    const left = touched.filter((ref) => !holdsData(ref)).flatMap((ref) => this.#world.cluster.get(ref) ?? []);
    const [first] = left;
    if (first === undefined || left.some(({ metadata }) => metadata.deletionTimestamp === undefined)) return undefined;
    return `${nameOf(refOf(first))} is held by finalizer ${first.metadata.finalizers?.[0] ?? ''}`;
  }

  async inventory(
    target: ReleaseTarget,
    which: 'completed' | 'newest' = 'completed',
  ): Promise<readonly InventoryItem[]> {
    const record = readRecord(await this.#process.cluster.read(recordRef(target)));
    if (record === undefined) return [];
    return which === 'newest' || !record.everDelivered ? record.planned : record.inventory;
  }

  async submit(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    const target = 'release' in action ? action.release : action.target;
    const name = placeName(target);
    if (this.#busy.has(name)) this.#world.ledger.violate('W1', `two steps on release ${name} at once`);
    this.#busy.add(name);
    this.#world.trace.add('backend', `${action.kind} ${name} begins`);
    const outcome = await this.#act(action, signal);
    this.#busy.delete(name);
    const end = outcome.kind === 'accepted' ? 'done' : `${outcome.kind}: ${outcome.error.code}`;
    this.#world.trace.add('backend', `${action.kind} ${name} ${end}`);
    return outcome;
  }

  watches(): readonly BackendWatch[] {
    const selection = { apiVersion: 'v1', kind: 'Secret', labelSelector: `${RECORD_LABEL}=true`, metadataOnly: true };
    return [{ selection, owner: ownerOf }];
  }

  preview(): Promise<readonly KubeObject[]> {
    return Promise.reject(new KubepkgError('Unsupported', 'the model has no preview'));
  }

  async releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    const labelSelector = `${RECORD_LABEL}=true,${LABEL.package}=${pkg}`;
    const { items } = await this.#process.cluster.list({ apiVersion: 'v1', kind: 'Secret', labelSelector });
    return items.map((object) => ({
      package: pkg,
      component: object.metadata.labels?.[LABEL.component] ?? '',
      ...placeOf(object),
    }));
  }

  #act(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    switch (action.kind) {
      case 'install':
      case 'upgrade':
        return this.#deliver(action, signal);
      case 'unlock':
        return this.#unlock(action.target, action.observed);
      case 'stop':
      case 'hand-back':
        return Promise.resolve(ACCEPTED);
      case 'uninstall':
        return this.#uninstall(action.target, signal);
    }
  }

  async #deliver(action: Delivery, signal: AbortSignal): Promise<SubmitOutcome> {
    const { release } = action;
    const chart = this.#world.shelf.ofContent(release.chart.path);
    if (chart === undefined) return failed(new KubepkgError('ChartInvalid', `there is no chart ${release.chart.path}`));
    if (this.#world.chaos.strikes('delivery')) return this.#passing();
    if (chart.end === 'render') return failed(new KubepkgError('RenderFailed', 'the chart does not render'));
    const refusal = await this.#begin(action, chart);
    if (refusal !== undefined) return failed(refusal);
    await this.#process.pause(chart.seconds * 1000, signal);
    return this.#write(release, chart, signal);
  }

  #begin({ kind, release }: Delivery, chart: Chart): Promise<KubepkgError | undefined> {
    const { cluster, observers } = this.#world;
    return this.#process.effect(`record ${kind} ${placeName(release)} pending`, () => {
      const known = recordAt(cluster, release);
      const refusal = beginRefusal(kind, known, this.#hasNamespace(release));
      if (refusal !== undefined) return refusal;
      observers.deliveryBegins(kind, release, known);
      const planned = itemsOf(render(chart, release));
      const before = (known?.touched ?? []).filter((ref) => !isAmong(planned, ref));
      putRecord(cluster, release, {
        package: release.package,
        component: release.component,
        content: chart.content,
        values: release.values,
        revision: (known?.revision ?? 0) + 1,
        token: release.token,
        digest: release.digest,
        delivery: 'pending',
        everDelivered: known?.everDelivered ?? false,
        message: 'it is pending',
        inventory: known?.inventory ?? [],
        planned,
        touched: [...before, ...planned],
      });
      return undefined;
    });
  }

  #hasNamespace({ namespace }: ReleaseTarget): boolean {
    const found = this.#world.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    return found !== undefined && found.metadata.deletionTimestamp === undefined;
  }

  async #write(release: DesiredRelease, chart: Chart, signal: AbortSignal): Promise<SubmitOutcome> {
    const { chaos } = this.#world;
    if (chart.end === 'immutable')
      return this.#break(release, new KubepkgError('ImmutableField', 'a field is immutable'));
    const objects = render(chart, release);
    for (const object of objects) {
      if (signal.aborted) return killed();
      await this.#process.effect(`apply ${nameOf(refOf(object))}`, () => {
        this.#apply(object);
      });
    }
    if (chart.end === 'broken') return this.#break(release, new KubepkgError('HelmFailed', 'the server refused it'));
    if (chaos.strikes('delivery', 0.5)) return this.#break(release, passingError(0));
    if (signal.aborted) return killed();
    await this.#finish(release, itemsOf(objects));
    return chaos.strikes('lost') ? this.#passing() : ACCEPTED;
  }

  #apply(object: KubeObject): void {
    const { cluster } = this.#world;
    const known = cluster.get(refOf(object));
    const status = object['status'] ?? known?.['status'];
    cluster.put({ ...object, ...(status === undefined ? {} : { status }) });
  }

  #finish(release: DesiredRelease, inventory: readonly InventoryItem[]): Promise<void> {
    return this.#process.effect(`record ${placeName(release)} deployed`, async () => {
      const former = recordAt(this.#world.cluster, release)?.touched ?? [];
      const dropped = former.filter((ref) => !isAmong(inventory, ref));
      for (const ref of dropped.filter((item) => !holdsData(item))) await this.#delete(ref);
      this.#world.ledger.completed.add(release.token);
      this.#amend(release, () => ({
        delivery: 'delivered',
        everDelivered: true,
        message: 'it is deployed',
        inventory,
        touched: [...dropped.filter((ref) => holdsData(ref)), ...inventory],
      }));
    });
  }

  async #break(release: DesiredRelease, error: KubepkgError): Promise<SubmitOutcome> {
    await this.#process.effect(`record ${placeName(release)} failed`, () => {
      this.#amend(release, () => ({ delivery: 'failed', message: error.message }));
    });
    return failed(error);
  }

  #unlock(target: ReleaseTarget, observed: PresentRelease): Promise<SubmitOutcome> {
    return this.#process.effect(`record ${placeName(target)} unlocked`, () => {
      const known = recordAt(this.#world.cluster, target);
      const same = known?.revision === observed.revision && known.token === observed.token && isOwn(known, target);
      if (!same) return failed(new KubepkgError('ApiConflict', 'the release went on'));
      if (known.delivery === 'pending') {
        this.#amend(target, () => ({ delivery: 'failed', message: 'it was interrupted' }));
      }
      return ACCEPTED;
    });
  }

  async #uninstall(target: ReleaseTarget, signal: AbortSignal): Promise<SubmitOutcome> {
    const { cluster, observers, chaos } = this.#world;
    if (chaos.strikes('delivery')) return this.#passing();
    const record = await this.#process.effect(`record ${placeName(target)} uninstalling`, () => {
      const known = recordAt(cluster, target);
      observers.removalBegins(target, known);
      if (known?.uninstalled !== true)
        this.#amend(target, () => ({ delivery: 'removing', message: 'it is uninstalled' }));
      return known;
    });
    const items = (record?.touched ?? []).filter((ref) => !holdsData(ref)).reverse();
    for (const ref of items) {
      if (signal.aborted) return killed();
      await this.#process.effect(`delete ${nameOf(ref)}`, () => this.#delete(ref));
    }
    if (chaos.strikes('delivery', 0.5)) return this.#passing();
    if (record?.uninstalled !== true) {
      await this.#process.effect(`record ${placeName(target)} uninstalled`, () => {
        this.#amend(target, () => ({ uninstalled: true, everDelivered: false, message: 'it was uninstalled' }));
      });
      return ACCEPTED;
    }
    await this.#process.effect(`forget ${placeName(target)}`, () => {
      if (items.every((ref) => cluster.get(ref) === undefined)) cluster.remove(recordRef(target));
    });
    return ACCEPTED;
  }

  async #delete(ref: InventoryItem): Promise<void> {
    if (this.#world.cluster.get(ref) !== undefined) await this.#world.cluster.write({ verb: 'delete', ref });
  }

  #amend(target: ReleaseTarget, change: (record: ReleaseRecord) => Partial<ReleaseRecord>): void {
    const record = recordAt(this.#world.cluster, target);
    if (record !== undefined) putRecord(this.#world.cluster, target, { ...record, ...change(record) });
  }

  #passing(): SubmitOutcome {
    return failed(passingError(this.#world.chaos.rng('error').int(0, PASSING_ERRORS - 1)));
  }
}

/** Created, never replaced; and only what is there can be upgraded. */
function beginRefusal(
  kind: Delivery['kind'],
  known: ReleaseRecord | undefined,
  hasNamespace: boolean,
): KubepkgError | undefined {
  if (!hasNamespace) return new KubepkgError('ApiNotFound', 'the namespace does not exist');
  if (kind === 'install' && known !== undefined) return new KubepkgError('OwnershipConflict', 'the name is in use');
  if (kind === 'upgrade' && known === undefined)
    return new KubepkgError('ApiConflict', 'there is no release to upgrade');
  const isBusy = known?.delivery === 'pending' || known?.delivery === 'removing';
  return isBusy ? new KubepkgError('ReleaseLocked', 'another operation is in progress') : undefined;
}

function holdsData({ kind }: InventoryItem): boolean {
  return kind === 'PersistentVolumeClaim';
}

/** A Job that is removed some time after its end. */
function isFleeting(object: KubeObject): boolean {
  return at(object, 'spec', 'ttlSecondsAfterFinished') !== undefined;
}

function itemsOf(objects: readonly KubeObject[]): readonly InventoryItem[] {
  return objects.map((object) => (isFleeting(object) ? { ...refOf(object), mayVanish: true } : refOf(object)));
}

function isAmong(items: readonly InventoryItem[], ref: InventoryItem): boolean {
  return items.some((item) => refKey(item) === refKey(ref));
}

function failed(error: KubepkgError): SubmitOutcome {
  return { kind: 'failed', error };
}

function killed(): SubmitOutcome {
  return failed(new KubepkgError('HelmKilled', 'it was stopped'));
}

function placeName({ namespace, releaseName }: ReleaseTarget): string {
  return `${namespace}/${releaseName}`;
}

function ownerName({ package: pkg, component }: ReleaseRecord): string {
  return pkg === undefined ? 'somebody else' : `component ${component} of package ${pkg}`;
}

function ownerOf(object: KubeObject): RecordedRelease | undefined {
  const pkg = object.metadata.labels?.[LABEL.package];
  return pkg === undefined ? undefined : { package: pkg, ...placeOf(object) };
}
