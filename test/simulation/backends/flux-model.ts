import { KubepkgError } from '../../../src/api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../../../src/api/kube.ts';
import { FINALIZER, LABEL } from '../../../src/api/names.ts';
import { factsOf } from '../../../src/backends/flux/facts.ts';
import { interpret } from '../../../src/backends/flux/interpret.ts';
import {
  HELM_RELEASE,
  helmReleaseRef,
  isOwn as isOfPackage,
  REQUEST,
  STAMP,
} from '../../../src/backends/flux/names.ts';
import { isUninstructed, situationOf } from '../../../src/backends/flux/situation.ts';
import { holdName, isHeldBack, isLetGo, isRemovalBegun } from '../../../src/backends/flux/removal-state.ts';
import { translate } from '../../../src/backends/flux/translate.ts';
import { isRecord } from '../../../src/lib/json.ts';
import { isTaken } from '../../../src/domain/release/observation.ts';
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
import { VALUES } from '../outside/flux-taken.ts';
import { CONTENT } from '../outside/orders.ts';
import { dropRecord, readRecord, recordAt, recordRef } from '../record.ts';
import { deleteObject, ownerName, placeName, removalsOf, removeFormerRun } from '../release-work.ts';
import type { Life, Stage } from '../stage.ts';
import { Steps } from './steps.ts';

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };
type Request = Parameters<Life['cluster']['write']>[0];
type DeliveryAction = Extract<BackendAction, { readonly release: DesiredRelease }>;

/** Only writes HelmReleases, made and judged by what the real backend makes and judges them by. */
export class FluxModel implements Backend {
  readonly id = 'flux';
  readonly capabilities = { runsProcesses: false, adoptsObjects: true, secretValues: true, previewsObjects: false };
  readonly surroundings = { check: () => this.#check(), refuses: () => undefined };
  readonly #world: Stage;
  readonly #process: Life;
  readonly #steps: Steps;

  constructor(world: Stage, process: Life) {
    this.#world = world;
    this.#process = process;
    this.#steps = new Steps(world);
  }

  async observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    return this.#judge(target, await this.#process.cluster.read(helmReleaseRef(target)));
  }

  async inventory(
    target: ReleaseTarget,
    which: 'completed' | 'newest' | 'begun' = 'completed',
  ): Promise<readonly InventoryItem[]> {
    const record = readRecord(await this.#process.cluster.read(recordRef(target)));
    if (record === undefined) return [];
    return which !== 'completed' || !record.everDelivered ? record.planned : record.inventory;
  }

  submit(action: BackendAction): Promise<SubmitOutcome> {
    return this.#steps.take(action, () => this.#tell(action));
  }

  watches(): readonly BackendWatch[] {
    return [{ selection: { ...HELM_RELEASE, labelSelector: LABEL.package, metadataOnly: true }, owner: ownerOf }];
  }

  preview(): Promise<readonly KubeObject[]> {
    return Promise.reject(new KubepkgError('Unsupported', 'the model has no preview'));
  }

  async releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    const { items } = await this.#process.cluster.list({ ...HELM_RELEASE, labelSelector: `${LABEL.package}=${pkg}` });
    return items.map(({ metadata }) => ({
      package: pkg,
      component: metadata.labels?.[LABEL.component] ?? '',
      namespace: metadata.namespace ?? '',
      releaseName: metadata.name,
    }));
  }

  async #check(): Promise<KubepkgError | undefined> {
    const served = await this.#process.cluster.served(HELM_RELEASE.apiVersion, HELM_RELEASE.kind);
    return served === undefined ? new KubepkgError('BackendUnavailable', 'Flux is not installed') : undefined;
  }

  async #judge(target: ReleaseTarget, live: KubeObject | undefined): Promise<ReleaseObservation> {
    if (live === undefined) return this.#judgeRecord(target);
    if (!isOfPackage(live, target)) return foreign(live);
    const facts = factsOf(live);
    const removal = this.#judgeRemoval(live, target);
    if (removal === undefined)
      return interpret(facts, target, { now: this.#world.scheduler.now(), values: { known: {} } });
    return {
      state: 'present',
      revision: facts.history[0]?.version ?? 0,
      token: facts.stamps.attempt,
      digest: facts.stamps.digest,
      everDelivered: false,
      ...removal,
    };
  }

  /** Without a HelmRelease nothing is ours, whatever it once was. */
  async #judgeRecord(target: ReleaseTarget): Promise<ReleaseObservation> {
    const record = readRecord(await this.#process.cluster.read(recordRef(target)));
    if (record === undefined || record.uninstalled === true) return { state: 'absent' };
    return { state: 'foreign', message: `release ${placeName(target)} of ${ownerName(record)} has no HelmRelease` };
  }

  #judgeRemoval(
    live: KubeObject,
    target: ReleaseTarget,
  ): Pick<PresentRelease, 'delivery' | 'message' | 'uninstalling'> | undefined {
    const name = nameOf(refOf(live));
    if (live.metadata.deletionTimestamp === undefined) {
      if (!isRemovalBegun(live)) return undefined;
      const message = `${name} is to be removed`;
      return isHeldBack(live, target)
        ? { delivery: 'removing', message }
        : { delivery: 'draining', uninstalling: true, message };
    }
    if (!isLetGo(live)) {
      return { delivery: 'draining', uninstalling: true, message: `${name} is being removed by helm-controller` };
    }
    const left = removalsOf(recordAt(this.#world.cluster, target)).flatMap((ref) => this.#world.cluster.get(ref) ?? []);
    const isGoing = left.length > 0 && left.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
    return {
      delivery: isGoing ? 'draining' : 'removing',
      message: `${String(left.length)} objects of ${name} are left`,
    };
  }

  #tell(action: BackendAction): Promise<SubmitOutcome> {
    switch (action.kind) {
      case 'install':
      case 'upgrade':
        return this.#order(action);
      case 'stop':
        return this.#stop(action.target, action.observed);
      case 'uninstall':
        return this.#uninstall(action.target);
      case 'unlock':
      case 'hand-back':
        return Promise.resolve({ kind: 'refused', error: new KubepkgError('Unsupported', 'there is nothing to do') });
    }
  }

  /** Looks once more, since what was decided on may be old. */
  async #order({ release, observed }: DeliveryAction): Promise<SubmitOutcome> {
    const live = await this.#process.cluster.read(helmReleaseRef(release));
    const standing = await this.#judge(release, live);
    if (isOrdered(standing, release.token)) return ACCEPTED;
    const isUntold = live === undefined || isUninstructed(live);
    if (isTaken(isUntold ? await this.#judgeRecord(release) : standing, release))
      return refused(new KubepkgError('OwnershipConflict', 'it is somebody else’s'));
    if (hasMoved(observed, standing)) return movedOn();
    if (live !== undefined && isLocked(standing, live)) return failed(new KubepkgError('ReleaseLocked', 'it is held'));
    await this.#clear(release);
    const owner = live ?? (await this.#process.cluster.write({ verb: 'create', object: this.#stub(release) }));
    return isUntold ? this.#tellFirst(release, owner) : this.#replace(release, owner);
  }

  async #clear(release: DesiredRelease): Promise<void> {
    const chart = this.#world.shelf.ofContent(release.chart.path);
    if (chart === undefined || recordAt(this.#world.cluster, release) !== undefined) return;
    await removeFormerRun(release, chart, this.#process.cluster);
  }

  /** Of a HelmRelease that is there for the sake of what belongs to it: somebody may have come in between. */
  async #tellFirst(release: DesiredRelease, owner: KubeObject): Promise<SubmitOutcome> {
    const live = await this.#process.cluster.read(helmReleaseRef(release));
    if (live === undefined || live.metadata.uid !== owner.metadata.uid || !isUninstructed(live)) return movedOn();
    const standing = await this.#judgeRecord(release);
    return isTaken(standing, release) ? movedOn() : this.#replace(release, live);
  }

  #replace(release: DesiredRelease, live: KubeObject): Promise<SubmitOutcome> {
    return this.#write({ verb: 'replace', object: this.#helmRelease(release, live) });
  }

  /** Suspended, and marked as stopped. */
  #stub(release: DesiredRelease): KubeObject {
    const { metadata, ...rest } = this.#helmRelease(release, undefined);
    const annotations = {
      [STAMP.attempt]: release.token,
      [STAMP.stopped]: release.token,
      [STAMP.digest]: release.digest,
    };
    return { ...rest, metadata: { ...metadata, annotations }, spec: { ...specOf(rest), suspend: true } };
  }

  #helmRelease(release: DesiredRelease, live: KubeObject | undefined): KubeObject {
    const location = { kind: 'http', repository: 'https://charts.example.org', name: release.chart.name } as const;
    const { helmRelease } = translate(release, {
      location: { ...location, version: release.chart.version },
      options: {},
      now: this.#world.scheduler.now(),
    });
    const { [STAMP.stopped]: _stopped, [STAMP.removal]: _removal, ...others } = live?.metadata.annotations ?? {};
    const former = live === undefined ? undefined : (factsOf(live).history[0]?.digest ?? '');
    return {
      ...live,
      ...HELM_RELEASE,
      metadata: {
        ...live?.metadata,
        name: release.releaseName,
        namespace: release.namespace,
        labels: { ...live?.metadata.labels, ...helmRelease.labels },
        annotations: {
          ...others,
          ...helmRelease.annotations,
          ...(former === undefined ? {} : { [STAMP.former]: former }),
          [CONTENT]: release.chart.path,
          [VALUES]: JSON.stringify(release.values),
        },
      },
      spec: helmRelease.spec,
    };
  }

  async #stop(target: ReleaseTarget, observed: PresentRelease): Promise<SubmitOutcome> {
    const live = await this.#process.cluster.read(helmReleaseRef(target));
    const standing = await this.#judge(target, live);
    // What was delivered meanwhile has nothing left to stop, and suspended it would look as if it had failed.
    if (live === undefined || standing.state !== 'present' || !mayGoOn(standing)) return ACCEPTED;
    const { attempt } = factsOf(live).stamps;
    if (attempt === undefined || attempt !== observed.token)
      return failed(new KubepkgError('ApiConflict', 'it went on'));
    return this.#write(changed(live, { annotations: { [STAMP.stopped]: attempt }, spec: { suspend: true } }));
  }

  /** Held back first, so that nothing is begun any more; then deleted; in the end nothing of it is left. */
  async #uninstall(target: ReleaseTarget): Promise<SubmitOutcome> {
    const live = await this.#process.cluster.read(helmReleaseRef(target));
    if (live === undefined || !isOfPackage(live, target)) return ACCEPTED;
    const { uid = '' } = live.metadata;
    if (live.metadata.deletionTimestamp !== undefined) return isLetGo(live) ? this.#sweep(target, live) : ACCEPTED;
    if (isUninstructed(live)) return this.#write({ verb: 'delete', ref: helmReleaseRef(target), uid });
    if (isHeldBack(live, target)) return this.#delete(live);
    const annotations = { [STAMP.removal]: 'begun', [REQUEST.requestedAt]: `removal of ${live.metadata.uid ?? ''}` };
    const dependsOn = [{ name: holdName(target) }];
    return this.#write(changed(live, { annotations, spec: { suspend: false, dependsOn } }));
  }

  async #delete(live: KubeObject): Promise<SubmitOutcome> {
    const { finalizers = [], name, namespace = '', uid = '' } = live.metadata;
    const metadata = { ...live.metadata, finalizers: [...new Set([...finalizers, FINALIZER])] };
    const spec = { ...specOf(live), uninstall: { keepHistory: true } };
    await this.#write({ verb: 'replace', object: { ...live, metadata, spec } });
    return this.#write({ verb: 'delete', ref: { ...HELM_RELEASE, name, namespace }, uid });
  }

  async #sweep(target: ReleaseTarget, live: KubeObject): Promise<SubmitOutcome> {
    const { cluster } = this.#world;
    const items = removalsOf(recordAt(cluster, target));
    for (const ref of items) await this.#process.effect(`delete ${nameOf(ref)}`, () => deleteObject(cluster, ref));
    if (items.some((ref) => cluster.get(ref) !== undefined)) return ACCEPTED;
    await this.#process.effect(`forget ${placeName(target)}`, () => {
      dropRecord(cluster, target);
    });
    const finalizers = (live.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    return this.#write({ verb: 'replace', object: { ...live, metadata: { ...live.metadata, finalizers } } });
  }

  async #write(request: Request): Promise<SubmitOutcome> {
    await this.#process.cluster.write(request);
    return ACCEPTED;
  }
}

function changed(
  live: KubeObject,
  { annotations, spec }: { readonly annotations: Readonly<Record<string, string>>; readonly spec: object },
): { readonly verb: 'replace'; readonly object: KubeObject } {
  const metadata = { ...live.metadata, annotations: { ...live.metadata.annotations, ...annotations } };
  return { verb: 'replace', object: { ...live, metadata, spec: { ...specOf(live), ...spec } } };
}

/** Flux was told by this very attempt, and it has not failed. */
function isOrdered(standing: ReleaseObservation, token: string): boolean {
  if (standing.state !== 'present' || standing.token !== token) return false;
  return standing.delivery === 'delivered' || standing.delivery === 'underway';
}

function hasMoved(before: ReleaseObservation, now: ReleaseObservation): boolean {
  if (before.state !== now.state) return true;
  if (before.state !== 'present' || now.state !== 'present') return false;
  return before.revision !== now.revision || before.token !== now.token;
}

function specOf(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(object['spec']) ? object['spec'] : {};
}

function movedOn(): SubmitOutcome {
  return failed(new KubepkgError('ApiConflict', 'it changed since it was looked at'));
}

function mayGoOn({ delivery, goesOn }: PresentRelease): boolean {
  return delivery === 'underway' || goesOn === true;
}

/** It is being removed, or somebody suspended it, and so wants nothing to happen. */
function isLocked(standing: ReleaseObservation, live: KubeObject): boolean {
  if (standing.state !== 'present') return false;
  const isPaused = standing.delivery === 'underway' && situationOf(factsOf(live)) === 'paused';
  return isPaused || standing.delivery === 'draining' || standing.delivery === 'removing';
}

function foreign(live: KubeObject): ReleaseObservation {
  const otherPackage = live.metadata.labels?.[LABEL.package];
  const message = `${nameOf(refOf(live))} belongs to ${otherPackage ?? 'somebody else'}`;
  return { state: 'foreign', message, ...(otherPackage === undefined ? {} : { otherPackage }) };
}

function ownerOf({ metadata }: KubeObject): RecordedRelease | undefined {
  const pkg = metadata.labels?.[LABEL.package];
  return pkg === undefined
    ? undefined
    : { package: pkg, namespace: metadata.namespace ?? '', releaseName: metadata.name };
}

function refused(error: KubepkgError): SubmitOutcome {
  return { kind: 'refused', error };
}

function failed(error: KubepkgError): SubmitOutcome {
  return { kind: 'failed', error };
}
