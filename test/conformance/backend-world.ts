import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { isCode } from '../../src/api/errors.ts';
import type { KubeObject, ObjectRef } from '../../src/api/kube.ts';
import type {
  Backend,
  BackendAction,
  BackendCapabilities,
  DesiredRelease,
  PresentRelease,
  ReleaseObservation,
  ReleaseTarget,
  SubmitOutcome,
} from '../../src/ports/backend.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import type { FetchedChart } from '../../src/ports/artifacts.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { FixtureChart } from '../build/fixture-chart.ts';

export interface BackendHarness {
  /** A new instance that knows nothing of what others did. */
  createBackend(): Backend;
  /** The same for a user without rights. */
  createPowerlessBackend(): Backend;
  /** To look at the world, and to be somebody else in it. */
  readonly cluster: Cluster;
  /** A chart of test/fixtures/charts where this backend finds it. */
  chart(chart: FixtureChart): Promise<FetchedChart>;
  /** A release of that name which kubepkg has not made. */
  createForeign(target: ReleaseTarget): Promise<void>;
  /** Somebody else changes our release by the backend's own means. */
  changeByHand(target: ReleaseTarget): Promise<void>;
  /** Somebody else removes our release by the backend's own means. */
  removeByHand(target: ReleaseTarget): Promise<void>;
  /** What a new version no longer has goes before the rest is applied, so also when that fails. */
  readonly prunesFirst?: boolean;
  /** What says of an object that it is another release's now; absent: as helm says it. */
  heirMarks?(ref: ObjectRef): Readonly<Record<string, string>>;
  /** Begins the action and ends its owner in the middle, as kill -9 does; needed when processes run here. */
  interrupt?(action: BackendAction): Promise<void>;
  close(): Promise<void>;
}

export interface BackendConformance {
  readonly capabilities: BackendCapabilities;
  start(): Promise<BackendHarness>;
}

/** What `hold` puts on objects. */
export const HOLD = 'example.org/hold';

const NO_ABORT = new AbortController().signal;
const LONGEST_WAIT = { timeout: 50_000, interval: 50 };

export interface Delivery {
  readonly outcome: SubmitOutcome;
  readonly observed: ReleaseObservation;
}

export interface ReleaseShape {
  readonly chart?: FixtureChart;
  readonly values?: JsonObject;
  readonly token?: string;
  readonly digest?: string;
  readonly adopt?: boolean;
  readonly skipSchemaValidation?: boolean;
}

/** The backend under test, once it runs. */
export class BackendWorld {
  readonly #options: BackendConformance;
  #harness: BackendHarness | undefined;

  constructor(options: BackendConformance) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#harness = await this.#options.start();
  }

  async close(): Promise<void> {
    await this.#harness?.close();
  }

  get harness(): BackendHarness {
    if (this.#harness === undefined) throw new Error('the backend was not started');
    return this.#harness;
  }

  /** A release in a namespace of its own. */
  async target(shape: Partial<ReleaseTarget> = {}): Promise<ReleaseTarget> {
    const namespace = shape.namespace ?? `backend-${randomUUID().slice(0, 8)}`;
    if (shape.namespace === undefined) {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await this.harness.cluster.write({ verb: 'create', object });
    }
    return { package: 'shop', component: 'web', releaseName: 'web', ...shape, namespace };
  }

  async release(target: ReleaseTarget, shape: ReleaseShape = {}): Promise<DesiredRelease> {
    return {
      ...target,
      token: shape.token ?? `t-${randomUUID()}`,
      digest: shape.digest ?? 'd-1',
      chart: await this.harness.chart(shape.chart ?? { name: 'web' }),
      values: shape.values ?? {},
      adopt: shape.adopt ?? false,
      skipSchemaValidation: shape.skipSchemaValidation ?? false,
    };
  }

  /** Submits what the state asks for and waits until it ended, one way or the other. */
  async deliver(release: DesiredRelease, backend = this.harness.createBackend()): Promise<Delivery> {
    const outcome = await this.#submitted(release, backend);
    if (outcome.kind !== 'accepted') return { outcome, observed: await backend.observe(release) };
    return { outcome, observed: await this.settled(release, release.token) };
  }

  /** Asked again while the world has moved meanwhile, as the engine does. */
  async #submitted(release: DesiredRelease, backend: Backend): Promise<SubmitOutcome> {
    let outcome: SubmitOutcome | undefined;
    const submit = async (): Promise<boolean> => {
      const observed = await backend.observe(release);
      const kind = observed.state === 'present' && observed.everDelivered ? 'upgrade' : 'install';
      outcome = await backend.submit({ kind, release, observed }, NO_ABORT);
      return outcome.kind === 'failed' && outcome.error.code === 'ApiConflict';
    };
    await expect.poll(submit, { timeout: 10_000, interval: 200 }).toBe(false);
    if (outcome === undefined) throw new Error('nothing was submitted');
    return outcome;
  }

  /** Delivers and expects it to have worked. */
  async delivered(release: DesiredRelease): Promise<PresentRelease> {
    const { outcome, observed } = await this.deliver(release);
    expect(outcome).toEqual({ kind: 'accepted' });
    return presentOf(observed);
  }

  async settled(target: ReleaseTarget, token: string): Promise<ReleaseObservation> {
    const backend = this.harness.createBackend();
    let observed = await backend.observe(target);
    const isSettled = async (): Promise<boolean> => {
      observed = await backend.observe(target);
      const isGoing = observed.state === 'present' && ['pending', 'underway'].includes(observed.delivery);
      return observed.state === 'present' && observed.token === token && !isGoing;
    };
    await expect.poll(isSettled, LONGEST_WAIT).toBe(true);
    return observed;
  }

  observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    return this.harness.createBackend().observe(target);
  }

  /** Begins a removal and, if that is accepted, drives it until nothing is left. */
  async uninstall(target: ReleaseTarget, observed: PresentRelease): Promise<SubmitOutcome> {
    const outcome = await this.beginUninstall(target, observed);
    if (outcome.kind === 'accepted') await this.removed(target);
    return outcome;
  }

  beginUninstall(target: ReleaseTarget, observed: PresentRelease): Promise<SubmitOutcome> {
    return this.harness.createBackend().submit({ kind: 'uninstall', target, observed }, NO_ABORT);
  }

  /** Drives a removal that was begun, as the engine does: on while it is to be driven, waiting while it drains. */
  async removed(target: ReleaseTarget): Promise<void> {
    const drive = async (): Promise<ReleaseObservation> => {
      const observed = await this.observe(target);
      if (observed.state === 'present' && observed.delivery === 'removing') await this.beginUninstall(target, observed);
      return observed;
    };
    await expect.poll(drive, LONGEST_WAIT).toEqual({ state: 'absent' });
  }

  /** Waits until a removal that was begun waits for an object. */
  async draining(target: ReleaseTarget): Promise<PresentRelease> {
    let observed = await this.observe(target);
    const isDraining = async (): Promise<boolean> => {
      observed = await this.observe(target);
      return observed.state === 'present' && observed.delivery === 'draining';
    };
    await expect.poll(isDraining, LONGEST_WAIT).toBe(true);
    return presentOf(observed);
  }

  /** Somebody else keeps an object from going, until what is given back is called. */
  async hold(kind: string, name: string, namespace?: string): Promise<() => Promise<void>> {
    const place = namespace === undefined ? {} : { namespace };
    const ref = { apiVersion: API_VERSIONS[kind] ?? 'v1', kind, name, ...place };
    const trySetFinalizers = async (finalizers: readonly string[]): Promise<boolean> => {
      const live = await this.read(kind, name, namespace);
      const others = (live?.metadata.finalizers ?? []).filter((finalizer) => finalizer !== HOLD);
      const metadata = { finalizers: [...others, ...finalizers], resourceVersion: live?.metadata.resourceVersion };
      try {
        await this.harness.cluster.write({ verb: 'merge-patch', ref, patch: { metadata } });
        return true;
      } catch (error) {
        if (isCode(error, 'ApiConflict')) return false;
        throw error;
      }
    };
    const setFinalizers = (finalizers: readonly string[]): Promise<void> =>
      expect.poll(() => trySetFinalizers(finalizers), LONGEST_WAIT).toBe(true);
    await setFinalizers([HOLD]);
    return () => setFinalizers([]);
  }

  read(kind: string, name: string, namespace?: string): Promise<KubeObject | undefined> {
    const apiVersion = API_VERSIONS[kind] ?? 'v1';
    const place = namespace === undefined ? {} : { namespace };
    return this.harness.cluster.read({ apiVersion, kind, name, ...place });
  }

  /** Waits until its deletion was asked for. */
  async deleted(kind: string, name: string, namespace?: string): Promise<void> {
    const isDeleted = async (): Promise<boolean> =>
      (await this.read(kind, name, namespace))?.metadata.deletionTimestamp !== undefined;
    await expect.poll(isDeleted, LONGEST_WAIT).toBe(true);
  }

  async gone(kind: string, name: string, namespace?: string): Promise<void> {
    const isGone = async (): Promise<boolean> => (await this.read(kind, name, namespace)) === undefined;
    await expect.poll(isGone, LONGEST_WAIT).toBe(true);
  }
}

const API_VERSIONS: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
};

export function presentOf(observed: ReleaseObservation): PresentRelease {
  if (observed.state !== 'present') throw new Error(`the release is ${JSON.stringify(observed)}`);
  return observed;
}

/** Why a submission was refused or failed; of a backend that only instructs, what its release says. */
export function failureIn({ outcome, observed }: Delivery): {
  readonly code: string | undefined;
  readonly message: string;
} {
  if (outcome.kind !== 'accepted') return { code: outcome.error.code, message: outcome.error.message };
  const present = presentOf(observed);
  expect(present.delivery).toBe('failed');
  return { code: undefined, message: present.message };
}
