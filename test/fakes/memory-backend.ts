import { type ErrorCode, KubepkgError } from '../../src/api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey, refOf } from '../../src/api/kube.ts';
import { LABEL } from '../../src/api/names.ts';
import { isRecord } from '../../src/lib/json.ts';
import type {
  Backend,
  BackendAction,
  BackendSurroundings,
  BackendWatch,
  DesiredRelease,
  InventoryItem,
  PresentRelease,
  RecalledRelease,
  RecordedRelease,
  ReleaseArchive,
  ReleaseObservation,
  ReleaseTarget,
  SubmitOutcome,
} from '../../src/ports/backend.ts';
import type { MemoryCluster } from './memory-cluster.ts';
import { MemoryObjects } from './memory-objects.ts';

const RECORDS = { apiVersion: 'v1', kind: 'Secret' };
const ACCEPTED: SubmitOutcome = { kind: 'accepted' };
const STOPPED = {
  delivery: 'failed',
  message: 'it was stopped',
  failure: { code: 'HelmKilled', message: 'it was stopped' },
} as const;
const NOTHING: Pick<ReleaseRecord, 'revision' | 'everDelivered' | 'inventory' | 'leftovers'> = {
  revision: 0,
  everDelivered: false,
  inventory: [],
};

interface ReleaseRecord extends Omit<PresentRelease, 'state'> {
  readonly owner: string;
  /** Of the newest record that was completed. */
  readonly inventory: readonly InventoryItem[];
  /** Of the newest record, where that is another one. */
  readonly attempted?: readonly InventoryItem[] | undefined;
  /** What attempts since then may have made. */
  readonly leftovers?: readonly InventoryItem[];
  /** From now on the record is there for what is not gone yet. */
  readonly uninstalled?: boolean;
}

/** Delivers into a cluster in memory; one Secret is the record of a release. How a submission ends is for the test to say. */
export class MemoryBackend implements Backend {
  readonly id: string;
  capabilities = { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: false };
  /** What is not there that it needs. */
  missing: KubepkgError | undefined;
  /** What it says of every chart. */
  chartRefusal: KubepkgError | undefined;
  readonly surroundings: BackendSurroundings = {
    check: () => Promise.resolve(this.missing),
    refuses: () => this.chartRefusal,
  };
  /** `install shop/app`, `unlock shop/app`, …, in order; of a removal, what began it. */
  readonly submitted: string[] = [];
  /** The further steps of removals, by release: what came back is removed, in the end the record is. */
  readonly driven: string[] = [];
  /** The releases that were delivered, as they were asked for. */
  readonly delivered: DesiredRelease[] = [];
  /** How many times a release was looked at. */
  observations = 0;
  /** The objects that a release makes. */
  objects: (release: DesiredRelease) => readonly KubeObject[] = () => [];
  /** What is wrong with a release before anything of it is written; by default nothing. */
  refusal: (release: DesiredRelease) => SubmitOutcome | undefined = () => undefined;
  /** Runs between the record of the beginning and the end; what it gives is how the step ends. */
  script: (action: BackendAction, signal: AbortSignal) => Promise<SubmitOutcome> = () => Promise.resolve(ACCEPTED);
  /** What past records say, by `namespace/release` and number; nothing, unless the test says so. */
  readonly remembered = new Map<string, RecalledRelease>();
  readonly archive: ReleaseArchive = {
    recall: ({ namespace, releaseName }, revision = 1) =>
      Promise.resolve(this.remembered.get(`${namespace}/${releaseName} ${String(revision)}`)),
  };
  /** What observing throws, while it is set. */
  failure: KubepkgError | undefined;
  readonly #cluster: MemoryCluster;
  readonly #objects: MemoryObjects;

  constructor(cluster: MemoryCluster, id = 'helm') {
    this.#cluster = cluster;
    this.#objects = new MemoryObjects(cluster);
    this.id = id;
  }

  async observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    await Promise.resolve();
    this.observations += 1;
    if (this.failure !== undefined) throw this.failure;
    return this.#look(target);
  }

  async inventory(target: ReleaseTarget, record?: 'completed' | 'newest' | 'begun'): Promise<readonly InventoryItem[]> {
    await Promise.resolve();
    const known = this.#recordOf(target);
    if (known === undefined) return [];
    const isCompleted = known.everDelivered && (record ?? 'completed') === 'completed';
    return isCompleted ? known.inventory : (known.attempted ?? known.inventory);
  }

  async releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    const { items } = await this.#cluster.list({ ...RECORDS, labelSelector: `memory=record,${LABEL.package}=${pkg}` });
    return items.map(({ metadata }) => ({
      package: pkg,
      component: metadata.labels?.[LABEL.component] ?? '',
      releaseName: releaseNameOf(metadata.name),
      namespace: metadata.namespace ?? '',
    }));
  }

  async submit(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    const target = 'release' in action ? action.release : action.target;
    const name = `${target.namespace}/${target.releaseName}`;
    if (action.kind === 'uninstall' && this.#recordOf(target)?.uninstalled === true) this.driven.push(name);
    else this.submitted.push(`${action.kind} ${name}`);
    if (isStopped(signal)) return killed();
    const done = this.#settled(action, target);
    if (done !== undefined) return done;
    this.#begin(action, target);
    const outcome = await this.script(action, signal);
    if (outcome.kind === 'accepted') this.#finish(action, target);
    else if (!isStopped(signal) && action.kind !== 'uninstall')
      this.#amend(target, { delivery: 'failed', message: outcome.error.message });
    return outcome;
  }

  /** Makes an object of a release, as a step does that has not ended yet. */
  make(release: DesiredRelease, object: KubeObject): void {
    this.#objects.make(release, object);
  }

  watches(): readonly BackendWatch[] {
    return [{ selection: { ...RECORDS, labelSelector: 'memory=record' }, owner: ownerOfRecord }];
  }

  preview(_release: DesiredRelease): Promise<readonly KubeObject[]> {
    return Promise.reject(new KubepkgError('Unsupported', 'the fake has no preview'));
  }

  /** From now on every submission succeeds. */
  succeed(): void {
    this.script = () => Promise.resolve(ACCEPTED);
  }

  fail(error: KubepkgError): void {
    this.script = () => Promise.resolve({ kind: 'failed', error });
  }

  /** Submissions last until they are stopped, or until what is given back is called, after which they succeed. */
  last(): () => void {
    const running = new Set<(outcome: SubmitOutcome) => void>();
    this.script = (_action, signal) =>
      new Promise((resolve) => {
        running.add(resolve);
        signal.addEventListener('abort', () => {
          resolve({ kind: 'failed', error: new KubepkgError('HelmKilled', 'stopped') });
        });
      });
    return () => {
      this.succeed();
      for (const finish of running) finish(ACCEPTED);
    };
  }

  /** A record that somebody else makes, or that a dead process left. */
  leave(target: ReleaseTarget, parts: Partial<ReleaseRecord> = {}): void {
    const record: ReleaseRecord = {
      owner: ownerOf(target),
      revision: 1,
      token: undefined,
      digest: undefined,
      delivery: 'delivered',
      everDelivered: true,
      message: 'left by somebody',
      inventory: [],
      ...parts,
    };
    this.#put(target, record);
  }

  #look(target: ReleaseTarget): ReleaseObservation {
    const record = this.#recordOf(target);
    if (record === undefined) return { state: 'absent' };
    const { owner, inventory: _inventory, attempted: _attempted, leftovers: _leftovers, uninstalled, ...rest } = record;
    if (owner !== ownerOf(target)) return { state: 'foreign', message: `it belongs to ${owner}` };
    return { state: 'present', ...rest, ...(uninstalled === true ? this.#drain(target, record) : {}) };
  }

  #drain(target: ReleaseTarget, record: ReleaseRecord): Pick<PresentRelease, 'delivery' | 'everDelivered' | 'message'> {
    const remains = this.#objects.remains(target, everyItem(record));
    const standing = remains.find(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (standing !== undefined)
      return { delivery: 'removing', everDelivered: false, message: `${nameOf(refOf(standing))} is to be removed` };
    const held = remains[0];
    if (held === undefined)
      return { delivery: 'removing', everDelivered: false, message: 'its record is to be removed' };
    return { delivery: 'draining', everDelivered: false, message: this.#objects.holdOf(held) };
  }

  /** How a step ends that does not begin. */
  #settled(action: BackendAction, target: ReleaseTarget): SubmitOutcome | undefined {
    const live = this.#look(target);
    switch (action.kind) {
      case 'install':
      case 'upgrade':
        return this.#standing(action.release, action.observed, live) ?? this.#obstacle(action.release);
      case 'stop':
      case 'hand-back':
        return goneOn(action.observed, live);
      case 'unlock':
        return (
          goneOn(action.observed, live) ??
          (live.state === 'present' && live.delivery === 'pending' ? undefined : ACCEPTED)
        );
      case 'uninstall':
        if (live.state === 'absent') return ACCEPTED;
        if (live.state === 'foreign') return refused(live.message);
        return this.#recordOf(target)?.uninstalled === true ? this.#removeOn(target) : undefined;
    }
  }

  #standing(
    { token, adopt }: DesiredRelease,
    decidedOn: ReleaseObservation,
    live: ReleaseObservation,
  ): SubmitOutcome | undefined {
    if (live.state === 'present' && live.delivery === 'delivered' && live.token === token) return ACCEPTED;
    if (!isSame(decidedOn, live)) return failed('ApiConflict', 'the release changed since it was looked at');
    if (live.state === 'foreign') return adopt ? undefined : refused(live.message);
    if (live.state !== 'present' || ['delivered', 'failed', 'underway'].includes(live.delivery)) return undefined;
    return failed('ReleaseLocked', live.message);
  }

  #obstacle(release: DesiredRelease): SubmitOutcome | undefined {
    const { namespace: name } = release;
    const refusal = this.refusal(release);
    if (refusal !== undefined) return refusal;
    if (this.#cluster.get({ apiVersion: 'v1', kind: 'Namespace', name }) === undefined)
      return failed('ApiNotFound', `namespace ${name} does not exist`);
    const known = this.#recordOf(release);
    const own = known === undefined ? [] : everyItem(known);
    const refs = this.objects(release).map((object) => refOf(object));
    const theirs = release.adopt ? undefined : refs.find((ref) => this.#objects.isTheirs(release, ref, own));
    return theirs === undefined ? undefined : failed('OwnershipConflict', `${nameOf(theirs)} belongs to somebody else`);
  }

  /** What came back is deleted again; once nothing is left, the record goes. */
  #removeOn(target: ReleaseTarget): SubmitOutcome {
    const record = this.#recordOf(target);
    const remains = record === undefined ? [] : this.#objects.remains(target, everyItem(record));
    this.#objects.remove(remains);
    if (remains.length === 0) this.#cluster.remove(recordRef(target));
    return ACCEPTED;
  }

  #begin(action: BackendAction, target: ReleaseTarget): void {
    if (action.kind === 'uninstall') this.#amend(target, { delivery: 'removing' });
    if (action.kind !== 'install' && action.kind !== 'upgrade') return;
    const { token, digest } = action.release;
    const { everDelivered, inventory, leftovers = [], ...known } = this.#recordOf(target) ?? NOTHING;
    const revision = known.revision + 1;
    const attempted = this.objects(action.release).map((object) => refOf(object));
    this.#put(target, {
      owner: ownerOf(target),
      revision,
      token,
      digest,
      delivery: 'pending',
      everDelivered,
      message: `release revision ${String(revision)} is pending`,
      inventory,
      attempted,
      leftovers: [...leftovers, ...attempted],
    });
  }

  #finish(action: BackendAction, target: ReleaseTarget): void {
    const known = this.#recordOf(target);
    if (action.kind === 'uninstall') {
      this.#amend(target, { uninstalled: true });
      this.#objects.remove(known === undefined ? [] : this.#objects.remains(target, everyItem(known)));
      return;
    }
    if (action.kind === 'unlock') {
      this.#amend(target, { delivery: 'failed', message: 'it was interrupted' });
      return;
    }
    if (action.kind === 'stop') {
      this.#amend(target, { goesOn: false, ...(known?.delivery === 'underway' ? STOPPED : {}) });
      return;
    }
    if (action.kind === 'hand-back') {
      this.#amend(target, { handBack: false });
      return;
    }
    this.delivered.push(action.release);
    if (this.capabilities.runsProcesses) this.#deliver(action.release);
    else this.#amend(target, { delivery: 'underway', message: 'the controller is at work' });
  }

  #deliver(release: DesiredRelease): void {
    const known = this.#recordOf(release);
    const inventory = this.objects(release).map((object) => this.#objects.make(release, object));
    this.#objects.prune(release, known === undefined ? [] : everyItem(known), inventory);
    const done = { attempted: undefined, leftovers: [], failure: undefined, goesOn: false };
    this.#amend(release, { delivery: 'delivered', everDelivered: true, message: 'it is deployed', inventory, ...done });
  }

  /** From now on a controller outside delivers: a submission only instructs it. */
  instruct(): void {
    this.capabilities = { ...this.capabilities, runsProcesses: false };
  }

  /** The controller is done with what it was instructed to do. */
  complete(target: ReleaseTarget): void {
    const release = this.delivered.findLast(({ releaseName }) => releaseName === target.releaseName);
    if (release !== undefined) this.#deliver(release);
  }

  /** What the controller says of it. */
  amend(target: ReleaseTarget, parts: Partial<ReleaseRecord>): void {
    this.#amend(target, parts);
  }

  #amend(target: ReleaseTarget, parts: Partial<ReleaseRecord>): void {
    const known = this.#recordOf(target);
    if (known !== undefined) this.#put(target, { ...known, ...parts });
  }

  #put(target: ReleaseTarget, record: ReleaseRecord): void {
    const { apiVersion, kind, name } = recordRef(target);
    const labels = { memory: 'record', [LABEL.package]: target.package, [LABEL.component]: target.component };
    this.#cluster.put({ apiVersion, kind, metadata: { name, namespace: target.namespace, labels }, record });
  }

  #recordOf(target: ReleaseTarget): ReleaseRecord | undefined {
    const record = this.#cluster.get(recordRef(target))?.['record'];
    // Only this class writes records.
    return isRecord(record) ? (record as unknown as ReleaseRecord) : undefined;
  }
}

export function recordRef({ namespace, releaseName }: ReleaseTarget): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace, name: `release.${releaseName}` };
}

function ownerOf(target: ReleaseTarget): string {
  return `package ${target.package}`;
}

function ownerOfRecord({ metadata }: KubeObject): RecordedRelease | undefined {
  const pkg = metadata.labels?.[LABEL.package];
  if (pkg === undefined || metadata.namespace === undefined) return undefined;
  return { package: pkg, namespace: metadata.namespace, releaseName: releaseNameOf(metadata.name) };
}

function releaseNameOf(record: string): string {
  return record.slice('release.'.length);
}

function everyItem({ inventory, attempted = [], leftovers = [] }: ReleaseRecord): readonly InventoryItem[] {
  const items = [...inventory, ...attempted, ...leftovers];
  return [...new Map(items.map((item) => [refKey(item), item])).values()];
}

function isSame(before: ReleaseObservation, live: ReleaseObservation): boolean {
  if (before.state !== 'present' || live.state !== 'present') return before.state === live.state;
  return before.revision === live.revision && before.token === live.token;
}

function goneOn(before: ReleaseObservation, live: ReleaseObservation): SubmitOutcome | undefined {
  return isSame(before, live) ? undefined : failed('ApiConflict', 'the release went on');
}

/** It can happen at any time. */
function isStopped(signal: AbortSignal): boolean {
  return signal.aborted;
}

function killed(): SubmitOutcome {
  return failed('HelmKilled', 'stopped before it began');
}

function failed(code: ErrorCode, message: string): SubmitOutcome {
  return { kind: 'failed', error: new KubepkgError(code, message) };
}

function refused(message: string): SubmitOutcome {
  return { kind: 'refused', error: new KubepkgError('OwnershipConflict', message) };
}
