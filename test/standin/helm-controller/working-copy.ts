import type { Condition, KubeObject } from '../../../src/api/kube.ts';
import { asNumber, asString, at, isRecord } from '../../../src/lib/json.ts';
import type { Clock } from '../../../src/ports/system.ts';
import { type HelmReleaseSpec, specOf } from './spec.ts';
import {
  type ConditionType,
  findCondition,
  type HelmReleaseStatus,
  type NewCondition,
  setCondition,
  withoutCondition,
} from './status.ts';

export const FINALIZER = 'finalizers.fluxcd.io';

export const ANNOTATION = {
  requestedAt: 'reconcile.fluxcd.io/requestedAt',
  forceAt: 'reconcile.fluxcd.io/forceAt',
  resetAt: 'reconcile.fluxcd.io/resetAt',
} as const;

/**
 * A HelmRelease as it was when the turn began, and what the turn has made of its status since. Everything else stays as
 * it was: a change that arrives meanwhile is the next turn's [25].
 */
export class WorkingCopy {
  readonly object: KubeObject;
  readonly spec: HelmReleaseSpec;
  readonly generation: number;
  readonly namespace: string;
  readonly name: string;
  readonly #clock: Clock;
  #status: HelmReleaseStatus;
  #finalizers: readonly string[];

  constructor(object: KubeObject, clock: Clock) {
    this.object = object;
    this.#clock = clock;
    this.namespace = object.metadata.namespace ?? '';
    this.name = object.metadata.name;
    this.generation = object.metadata.generation ?? 0;
    this.spec = specOf(object);
    // The definition of the CRD says what it is; nobody but this controller writes it.
    this.#status = isRecord(object['status']) ? object['status'] : {};
    this.#finalizers = object.metadata.finalizers ?? [];
  }

  get status(): HelmReleaseStatus {
    return this.#status;
  }

  get conditions(): readonly Condition[] {
    return this.#status.conditions ?? [];
  }

  get finalizers(): readonly string[] {
    return this.#finalizers;
  }

  get isBeingDeleted(): boolean {
    return this.object.metadata.deletionTimestamp !== undefined;
  }

  annotation(name: keyof typeof ANNOTATION): string | undefined {
    return this.object.metadata.annotations?.[ANNOTATION[name]];
  }

  update(change: HelmReleaseStatus): void {
    this.#status = { ...this.#status, ...change };
  }

  addFinalizer(): void {
    this.#finalizers = [...this.#finalizers, FINALIZER];
  }

  removeFinalizer(): void {
    this.#finalizers = this.#finalizers.filter((finalizer) => finalizer !== FINALIZER);
  }

  condition(type: ConditionType): Condition | undefined {
    return findCondition(this.#status.conditions, type);
  }

  mark(condition: NewCondition): void {
    const at = { generation: this.generation, now: this.#clock.now() };
    this.update({ conditions: setCondition(this.conditions, condition, at) });
  }

  unmark(...types: readonly ConditionType[]): void {
    this.update({ conditions: withoutCondition(this.conditions, ...types) });
  }

  ready(status: NewCondition['status'], reason: string, message: string): void {
    this.mark({ type: 'Ready', status, reason, message });
  }

  /** Stalled and Reconciling never occur together. */
  reconciling(reason: 'Progressing' | 'ProgressingWithRetry', message: string): void {
    this.unmark('Stalled');
    this.mark({ type: 'Reconciling', status: 'True', reason, message });
  }

  stalled(reason: string, message: string): void {
    this.unmark('Reconciling');
    this.mark({ type: 'Stalled', status: 'True', reason, message });
  }

  /** Whether a token asks for more than a look, once; the token is noted as handled when it is looked at [20: forceAt]. */
  handle(annotation: 'forceAt' | 'resetAt'): boolean {
    const token = this.annotation(annotation);
    if (token === undefined) return false;
    const field = annotation === 'forceAt' ? 'lastHandledForceAt' : 'lastHandledResetAt';
    const isNew = this.#status[field] !== token && this.#status.lastHandledReconcileAt !== token;
    this.update({ [field]: token });
    return isNew && this.annotation('requestedAt') === token;
  }
}

/** Of a HelmRelease that is only looked at. */
export function isReadyRelease(object: KubeObject): boolean {
  const observed = asNumber(at(object, 'status', 'observedGeneration'));
  if (observed !== object.metadata.generation) return false;
  const conditions = at(object, 'status', 'conditions');
  return (
    Array.isArray(conditions) &&
    conditions.some((condition) => at(condition, 'type') === 'Ready' && asString(at(condition, 'status')) === 'True')
  );
}
