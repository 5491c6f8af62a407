import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KubepkgError } from '../../../src/api/errors.ts';
import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import { stableJson } from '../../../src/lib/stable-json.ts';
import { reconcileChartTemplate } from './chart-template.ts';
import { configDigest } from './config-digest.ts';
import { type Request, Untraceable } from './delivery.ts';
import { compileHealthChecks, type HealthChecks } from './health-checks.ts';
import { Patcher } from './patcher.ts';
import { findPrerequisites } from './prerequisites.ts';
import { runLoop } from './release-loop.ts';
import { targetChanged } from './release-state.ts';
import type { ConditionType } from './status.ts';
import { type Surroundings, TICK_MS } from './surroundings.ts';
import type { TurnOutcome } from './turn-queue.ts';
import { uninstallRelease } from './uninstall.ts';
import { unsupportedField } from './unsupported.ts';
import { FINALIZER, WorkingCopy } from './working-copy.ts';

export const HELM_RELEASE = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' } as const;

/** Part of the interval by which it varies. */
const JITTER = 0.05;
/** How long a turn waits for its own last write to come back to it. */
const CACHE_SYNC_MS = 10_000;

/** How a turn ended; `observed`: for good, so that observedGeneration follows. */
interface Ending {
  readonly outcome: TurnOutcome;
  readonly observed: boolean;
}

const AGAIN: Ending = { outcome: { kind: 'retry' }, observed: false };
const STALLED: Ending = { outcome: { kind: 'stopped' }, observed: true };
const AT_REST: Ending = { outcome: { kind: 'settled' }, observed: true };

/** One turn of one HelmRelease, from what it is now to the last write ("The writes of one good action, in order"). */
export async function takeTurn(ref: ObjectRef, around: Surroundings): Promise<TurnOutcome> {
  await around.gate.pass();
  const object = await around.cluster.read(ref);
  if (object === undefined) return { kind: 'stopped' };
  const copy = new WorkingCopy(object, around.clock);
  const known = new Set((copy.status.history ?? []).map(stableJson));
  const turn = new Turn(copy, around);
  const ending = await turn.run();
  // Whatever came of the turn: also suspended [13], source missing [35], nothing to do [02].
  const token = copy.annotation('requestedAt');
  if (token !== undefined) copy.update({ lastHandledReconcileAt: token });
  await turn.patch(ending.observed);
  const isNews = copy.status.history?.some((entry) => !known.has(stableJson(entry))) === true;
  // [07, 28, 32]: "first pause about 11 s". A turn that did not end for good waits in vain for its history to come back
  // as it wrote it, and looks at nothing else meanwhile.
  if (isNews && !ending.observed) await around.gate.sleep(CACHE_SYNC_MS * around.timing.pauses);
  return ending.outcome;
}

class Turn {
  readonly #copy: WorkingCopy;
  readonly #around: Surroundings;
  readonly #patcher: Patcher;

  constructor(copy: WorkingCopy, around: Surroundings) {
    this.#copy = copy;
    this.#around = around;
    this.#patcher = new Patcher(copy, {
      cluster: around.cluster,
      clock: around.clock,
      step: () => around.gate.sleep(around.modes().gapMs),
      takeConflict: around.takeConflict,
      conditionsWritten: (changed) => this.#conditionsWritten(changed),
    });
  }

  patch(observed = false): Promise<void> {
    return this.#patcher.patch({ observed });
  }

  /** Between Ready and the history ("The writes", 6 and 7). */
  async #conditionsWritten(changed: readonly ConditionType[]): Promise<void> {
    const { namespace, name } = this.#copy;
    const isDone = changed.includes('Ready') && this.#copy.condition('Ready')?.status === 'True';
    if (isDone && this.#copy.condition('Reconciling') !== undefined)
      await this.#around.moment('conditions', { namespace, name });
  }

  async run(): Promise<Ending> {
    try {
      return await this.#step();
    } catch (error) {
      await this.#around.gate.pass();
      // What helm or the API server refuses is tried again; anything else is a fault of this stand-in.
      if (error instanceof Untraceable || error instanceof KubepkgError) return AGAIN;
      throw error;
    }
  }

  async #step(): Promise<Ending> {
    const copy = this.#copy;
    if (copy.isBeingDeleted) return this.#delete();
    if (!copy.finalizers.includes(FINALIZER)) {
      // [01]: then up to 0.8 s nothing.
      copy.addFinalizer();
      return AGAIN;
    }
    // [13]: suspended objects follow their generation without doing anything.
    if (copy.spec.suspend) return AT_REST;
    const unsupported = unsupportedField(copy.spec.raw);
    if (unsupported !== undefined) return this.#stall('Unsupported', `this stand-in does not know spec.${unsupported}`);
    const checks = compileHealthChecks(copy.spec.healthCheckExprs);
    // [18: syn]: before anything else is written, and without any attempt.
    return 'invalid' in checks ? this.#invalidExpression(checks.invalid) : this.#reconcile(checks);
  }

  async #invalidExpression(message: string): Promise<Ending> {
    const ending = this.#stall(
      'InvalidCELExpression',
      `Reconciliation failed terminally due to configuration error: ${message}`,
    );
    await this.#around.events.write(this.#copy.object, { type: 'Warning', reason: 'InvalidCELExpression', message });
    return ending;
  }

  #stall(reason: string, message: string): Ending {
    this.#copy.ready('False', reason, message);
    this.#copy.stalled(reason, message);
    return STALLED;
  }

  async #reconcile(checks: HealthChecks): Promise<Ending> {
    const copy = this.#copy;
    const changed = await this.#reconcileChart();
    // Ready is still the old one [02: 9501].
    copy.reconciling('Progressing', 'Fulfilling prerequisites');
    await this.patch();
    const found = await findPrerequisites(copy, { around: this.#around, changed });
    if (found.kind === 'failed') return AGAIN;
    if (found.kind === 'waiting') {
      return { outcome: { kind: 'settled', afterMs: TICK_MS * this.#around.timing.pauses }, observed: false };
    }
    const { chart, values } = found;
    try {
      return await this.#release({ copy, chart, values, configDigest: configDigest(values), checks });
    } finally {
      await rm(dirname(chart.path), { recursive: true, force: true });
    }
  }

  /** The HelmChart, if it was changed. */
  async #reconcileChart(): Promise<KubeObject | undefined> {
    const change = await reconcileChartTemplate(this.#copy, this.#around.cluster);
    if (change === undefined) return undefined;
    const { name, namespace } = this.#copy.spec.chart.name;
    const message = `${change.kind} HelmChart/${namespace}/${name}`;
    await this.#around.events.write(this.#copy.object, { type: 'Normal', reason: `HelmChart${change.kind}`, message });
    return change.chart;
  }

  async #release(request: Request): Promise<Ending> {
    const copy = this.#copy;
    if (targetChanged(copy, request.chart)) {
      await uninstallRelease(copy, this.#around);
      copy.update({ history: undefined, storageNamespace: undefined, ...NO_FAILURES });
      return AGAIN;
    }
    this.#noteAttempt(request);
    const ending = await runLoop({ request, around: this.#around, patch: () => this.patch() });
    if (ending === 'again') return AGAIN;
    if (ending === 'stalled') return STALLED;
    return { outcome: { kind: 'settled', afterMs: this.#interval() }, observed: true };
  }

  /** The plan, not the outcome; failures are forgotten when it differs from the last one ("The writes", 4). */
  #noteAttempt({ chart, configDigest: digest }: Request): void {
    const copy = this.#copy;
    const { status, generation, spec } = copy;
    copy.update({ storageNamespace: spec.storageNamespace });
    const isReset = copy.handle('resetAt');
    const isNew =
      status.lastAttemptedGeneration !== generation ||
      status.lastAttemptedRevision !== chart.version ||
      status.lastAttemptedConfigDigest !== digest;
    if (isNew || isReset) copy.update(NO_FAILURES);
    copy.update({
      lastAttemptedGeneration: generation,
      lastAttemptedRevision: chart.version,
      lastAttemptedRevisionDigest: chart.ociDigest,
      lastAttemptedConfigDigest: digest,
    });
  }

  #interval(): number {
    const { clock, timing } = this.#around;
    return this.#copy.spec.intervalMs * timing.intervals * (1 + JITTER * (2 * clock.random() - 1));
  }

  /** [15]: a suspended one goes and leaves its release; the source is not needed. */
  async #delete(): Promise<Ending> {
    const copy = this.#copy;
    if (!copy.spec.suspend) {
      const { storageNamespace = '' } = copy.status;
      if (storageNamespace !== '') {
        await uninstallRelease(copy, this.#around);
        copy.update({ history: undefined, storageNamespace: undefined });
      }
      await reconcileChartTemplate(copy, this.#around.cluster);
    }
    copy.removeFinalizer();
    return AT_REST;
  }
}

const NO_FAILURES = { failures: undefined, installFailures: undefined, upgradeFailures: undefined } as const;
