import { KubepkgError } from '../../../src/api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../../../src/api/kube.ts';
import { LABEL } from '../../../src/api/names.ts';
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
} from '../../../src/ports/backend.ts';
import { render } from '../charts.ts';
import { PASSING_ERRORS, passingError } from '../passing.ts';
import {
  amendRecord,
  dropRecord,
  isOwn,
  placeOf,
  readRecord,
  recordAt,
  RECORD_LABEL,
  recordRef,
  type ReleaseRecord,
} from '../record.ts';
import {
  applyObject,
  beginWork,
  completeWork,
  deleteObject,
  type Delivery,
  failWork,
  holdsData,
  ownerName,
  placeName,
  removalsOf,
  removeFormerRun,
} from '../release-work.ts';
import type { Life, Stage } from '../stage.ts';
import { Steps } from './steps.ts';

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };
type DeliveryAction = Extract<BackendAction, { readonly release: DesiredRelease }>;

/** Delivers as helm does: a record that is pending first, then object by object, then the word that it is done. */
export class HelmModel implements Backend {
  readonly id = 'helm';
  readonly capabilities = { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: false };
  readonly #world: Stage;
  readonly #process: Life;
  readonly #steps: Steps;

  constructor(world: Stage, process: Life) {
    this.#world = world;
    this.#process = process;
    this.#steps = new Steps(world);
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
    which: 'completed' | 'newest' | 'begun' = 'completed',
  ): Promise<readonly InventoryItem[]> {
    const record = readRecord(await this.#process.cluster.read(recordRef(target)));
    if (record === undefined) return [];
    return which !== 'completed' || !record.everDelivered ? record.planned : record.inventory;
  }

  submit(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    return this.#steps.take(action, () => this.#act(action, signal));
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

  async #deliver({ kind, release }: DeliveryAction, signal: AbortSignal): Promise<SubmitOutcome> {
    const chart = this.#world.shelf.ofContent(release.chart.path);
    if (chart === undefined) return failed(new KubepkgError('ChartInvalid', `there is no chart ${release.chart.path}`));
    if (this.#world.chaos.strikes('delivery')) return this.#passing();
    if (chart.end === 'render') return failed(new KubepkgError('RenderFailed', 'the chart does not render'));
    const { package: pkg, component, namespace, releaseName, token, digest, values } = release;
    const by = 'helm' as const;
    const delivery = { by, package: pkg, component, namespace, releaseName, token, digest, values, chart };
    if (recordAt(this.#world.cluster, release) === undefined)
      await removeFormerRun(release, chart, this.#process.cluster);
    const refusal = await this.#begin(kind, delivery);
    if (refusal !== undefined) return failed(refusal);
    await this.#process.pause(chart.seconds * 1000, signal);
    return this.#write(delivery, signal);
  }

  #begin(kind: DeliveryAction['kind'], delivery: Delivery): Promise<KubepkgError | undefined> {
    const { cluster } = this.#world;
    return this.#process.effect(`record ${kind} ${placeName(delivery)} pending`, () => {
      const refusal = beginRefusal(kind, recordAt(cluster, delivery), this.#hasNamespace(delivery));
      if (refusal === undefined) beginWork(cluster, delivery);
      return refusal;
    });
  }

  #hasNamespace({ namespace }: ReleaseTarget): boolean {
    const found = this.#world.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    return found !== undefined && found.metadata.deletionTimestamp === undefined;
  }

  async #write(delivery: Delivery, signal: AbortSignal): Promise<SubmitOutcome> {
    const { chaos, cluster } = this.#world;
    const { chart } = delivery;
    if (chart.end === 'immutable')
      return this.#break(delivery, new KubepkgError('ImmutableField', 'a field is immutable'));
    for (const object of render(chart, delivery)) {
      if (signal.aborted) return killed();
      await this.#process.effect(`apply ${nameOf(refOf(object))}`, () => {
        applyObject(cluster, object);
      });
    }
    if (chart.end === 'broken') return this.#break(delivery, new KubepkgError('HelmFailed', 'the server refused it'));
    if (chaos.strikes('delivery', 0.5)) return this.#break(delivery, passingError(0));
    if (signal.aborted) return killed();
    await this.#process.effect(`record ${placeName(delivery)} deployed`, () => completeWork(cluster, delivery));
    return chaos.strikes('lost') ? this.#passing() : ACCEPTED;
  }

  async #break(delivery: Delivery, error: KubepkgError): Promise<SubmitOutcome> {
    await this.#process.effect(`record ${placeName(delivery)} failed`, () => {
      failWork(this.#world.cluster, delivery, error.message);
    });
    return failed(error);
  }

  #unlock(target: ReleaseTarget, observed: PresentRelease): Promise<SubmitOutcome> {
    return this.#process.effect(`record ${placeName(target)} unlocked`, () => {
      const known = recordAt(this.#world.cluster, target);
      const same = known?.revision === observed.revision && known.token === observed.token && isOwn(known, target);
      if (!same) return failed(new KubepkgError('ApiConflict', 'the release went on'));
      if (known.delivery === 'pending') failWork(this.#world.cluster, target, 'it was interrupted');
      return ACCEPTED;
    });
  }

  async #uninstall(target: ReleaseTarget, signal: AbortSignal): Promise<SubmitOutcome> {
    const { cluster, chaos } = this.#world;
    if (chaos.strikes('delivery')) return this.#passing();
    const record = await this.#process.effect(`record ${placeName(target)} uninstalling`, () => {
      const known = recordAt(cluster, target);
      if (known?.uninstalled !== true)
        amendRecord(cluster, target, () => ({ delivery: 'removing', message: 'it is uninstalled' }));
      return known;
    });
    const items = removalsOf(record);
    for (const ref of items) {
      if (signal.aborted) return killed();
      await this.#process.effect(`delete ${nameOf(ref)}`, () => deleteObject(cluster, ref));
    }
    if (chaos.strikes('delivery', 0.5)) return this.#passing();
    if (record?.uninstalled !== true) {
      await this.#process.effect(`record ${placeName(target)} uninstalled`, () => {
        amendRecord(cluster, target, () => ({
          uninstalled: true,
          everDelivered: false,
          message: 'it was uninstalled',
        }));
      });
      return ACCEPTED;
    }
    await this.#process.effect(`forget ${placeName(target)}`, () => {
      if (items.every((ref) => cluster.get(ref) === undefined)) dropRecord(cluster, target);
    });
    return ACCEPTED;
  }

  #passing(): SubmitOutcome {
    return failed(passingError(this.#world.chaos.rng('error').int(0, PASSING_ERRORS - 1)));
  }
}

/** Created, never replaced; and only what is there can be upgraded. */
function beginRefusal(
  kind: DeliveryAction['kind'],
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

function failed(error: KubepkgError): SubmitOutcome {
  return { kind: 'failed', error };
}

function killed(): SubmitOutcome {
  return failed(new KubepkgError('HelmKilled', 'it was stopped'));
}

function ownerOf(object: KubeObject): RecordedRelease | undefined {
  const pkg = object.metadata.labels?.[LABEL.package];
  return pkg === undefined ? undefined : { package: pkg, ...placeOf(object) };
}
