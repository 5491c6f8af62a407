import { KubepkgError } from '../../src/api/errors.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../src/api/kube.ts';
import { LABEL } from '../../src/api/names.ts';
import { isRecord } from '../../src/lib/json.ts';
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
import type { MemoryCluster } from './memory-cluster.ts';

const RECORDS = { apiVersion: 'v1', kind: 'Secret' };
const ACCEPTED: SubmitOutcome = { kind: 'accepted' };

interface ReleaseRecord extends Omit<PresentRelease, 'state'> {
  readonly owner: string;
  readonly inventory: readonly InventoryItem[];
}

/** Delivers into a cluster in memory; one Secret is the record of a release. How a submission ends is for the test to say. */
export class MemoryBackend implements Backend {
  readonly id: string;
  readonly capabilities = { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: false };
  /** `install shop/app`, `unlock shop/app`, …, in order. */
  readonly submitted: string[] = [];
  /** The releases that were delivered, as they were asked for. */
  readonly delivered: DesiredRelease[] = [];
  /** How many times a release was looked at. */
  observations = 0;
  /** The objects that a release makes. */
  objects: (release: DesiredRelease) => readonly KubeObject[] = () => [];
  /** Runs between the record of the beginning and the end; what it gives is how the step ends. */
  script: (action: BackendAction, signal: AbortSignal) => Promise<SubmitOutcome> = () => Promise.resolve(ACCEPTED);
  /** What observing throws, while it is set. */
  failure: KubepkgError | undefined;
  readonly #cluster: MemoryCluster;

  constructor(cluster: MemoryCluster, id = 'helm') {
    this.#cluster = cluster;
    this.id = id;
  }

  async observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    await Promise.resolve();
    this.observations += 1;
    if (this.failure !== undefined) throw this.failure;
    const record = this.#recordOf(target);
    if (record === undefined) return { state: 'absent' };
    const { owner, inventory: _inventory, ...rest } = record;
    if (owner !== ownerOf(target)) return { state: 'foreign', message: `it belongs to ${owner}` };
    return { state: 'present', ...rest };
  }

  async inventory(target: ReleaseTarget): Promise<readonly InventoryItem[]> {
    await Promise.resolve();
    return this.#recordOf(target)?.inventory ?? [];
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
    this.submitted.push(`${action.kind} ${target.namespace}/${target.releaseName}`);
    this.#begin(action, target);
    const outcome = signal.aborted ? killed() : await this.script(action, signal);
    if (outcome.kind === 'accepted') this.#finish(action, target);
    else if (!signal.aborted) this.#amend(target, { delivery: 'failed', message: outcome.error.message });
    return outcome;
  }

  watches(): readonly BackendWatch[] {
    return [{ selection: { ...RECORDS, labelSelector: 'memory=record' }, owner: ownerOfRecord }];
  }

  preview(): Promise<readonly KubeObject[]> {
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

  #begin(action: BackendAction, target: ReleaseTarget): void {
    const known = this.#recordOf(target);
    if (action.kind === 'uninstall') this.#amend(target, { delivery: 'removing' });
    if (action.kind !== 'install' && action.kind !== 'upgrade') return;
    const { token, digest } = action.release;
    const revision = (known?.revision ?? 0) + 1;
    this.#put(target, {
      owner: ownerOf(target),
      revision,
      token,
      digest,
      delivery: 'pending',
      everDelivered: known?.everDelivered ?? false,
      message: `release revision ${String(revision)} is pending`,
      inventory: known?.inventory ?? [],
    });
  }

  #finish(action: BackendAction, target: ReleaseTarget): void {
    if (action.kind === 'uninstall') {
      this.#remove(target);
      return;
    }
    if (action.kind === 'unlock') {
      this.#amend(target, { delivery: 'failed', message: 'it was interrupted' });
      return;
    }
    this.delivered.push(action.release);
    const objects = this.objects(action.release).map((object) => this.#cluster.put(object));
    const inventory = objects.map((object) => refOf(object));
    this.#amend(target, { delivery: 'delivered', everDelivered: true, message: 'it is deployed', inventory });
  }

  #remove(target: ReleaseTarget): void {
    for (const ref of this.#recordOf(target)?.inventory ?? []) this.#cluster.remove(ref);
    this.#cluster.remove(recordRef(target));
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
  return `component ${target.component} of package ${target.package}`;
}

function ownerOfRecord({ metadata }: KubeObject): RecordedRelease | undefined {
  const pkg = metadata.labels?.[LABEL.package];
  if (pkg === undefined || metadata.namespace === undefined) return undefined;
  return { package: pkg, namespace: metadata.namespace, releaseName: releaseNameOf(metadata.name) };
}

function releaseNameOf(record: string): string {
  return record.slice('release.'.length);
}

function killed(): SubmitOutcome {
  return { kind: 'failed', error: new KubepkgError('HelmKilled', 'stopped before it began') };
}
