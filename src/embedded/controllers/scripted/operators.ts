import type { Clock } from '../../../ports/system.ts';
import type { StoredObject } from '../../model/object.ts';
import type { Operator } from '../../scenario/types.ts';
import { hasCondition } from '../kit/conditions.ts';
import type { Informers } from '../kit/informers.ts';
import { DAEMON_SETS, DEPLOYMENTS, JOBS, type Kind, STATEFUL_SETS } from '../kit/kinds.ts';
import { countAt, numberAt } from '../kit/read.ts';
import { TemplateHashes } from '../kit/template.ts';

export const OPERATOR_KINDS: readonly Kind[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, JOBS];

export interface OperatorState {
  /** Since when it has been available without a break. */
  readonly since: number | undefined;
  /** How many templates of it have been rolled out completely. */
  readonly rollouts: number;
  /** The last of those. */
  readonly template: string;
}

const UNSEEN: OperatorState = { since: undefined, rollouts: 0, template: '' };

/** Workloads that stand for operators: whether they are there, and how often they were replaced. */
export class Operators {
  readonly #states = new Map<string, OperatorState>();
  readonly #hashes = new TemplateHashes();
  readonly #clock: Clock;

  constructor(informers: Informers, clock: Clock) {
    this.#clock = clock;
    for (const kind of OPERATOR_KINDS) {
      informers.of(kind).listen(({ type, object }) => {
        this.#see(object, type !== 'DELETED');
      });
    }
  }

  /** Undefined: there is no such workload. */
  get({ kind, namespace, name }: Operator): OperatorState | undefined {
    return this.#states.get(`${kind}/${namespace}/${name}`);
  }

  isAvailable(operator: Operator | undefined): boolean {
    return operator === undefined || this.get(operator)?.since !== undefined;
  }

  #see(object: StoredObject, exists: boolean): void {
    const key = `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    if (!exists) {
      this.#states.delete(key);
      this.#hashes.forget(object.metadata.uid);
      return;
    }
    const before = this.#states.get(key) ?? UNSEEN;
    const since = isAvailable(object) ? (before.since ?? this.#clock.now()) : undefined;
    const template = isRolledOut(object) ? this.#hashes.of(object) : before.template;
    const rollouts = before.rollouts + (template === before.template ? 0 : 1);
    this.#states.set(key, { since, template, rollouts });
  }
}

function isAvailable(object: StoredObject): boolean {
  if (object.kind === JOBS.kind) return hasCondition(object, 'Complete');
  if (object.kind === DAEMON_SETS.kind) return countAt(object, 'status', 'numberAvailable') > 0;
  return countAt(object, 'status', 'availableReplicas') > 0;
}

function isRolledOut(object: StoredObject): boolean {
  if (object.kind === JOBS.kind) return hasCondition(object, 'Complete');
  if (countAt(object, 'status', 'observedGeneration') < (object.metadata.generation ?? 0)) return false;
  const isDaemonSet = object.kind === DAEMON_SETS.kind;
  const fields = isDaemonSet ? ['updatedNumberScheduled', 'numberAvailable'] : ['updatedReplicas', 'availableReplicas'];
  const size = isDaemonSet
    ? countAt(object, 'status', 'desiredNumberScheduled')
    : (numberAt(object, 'spec', 'replicas') ?? 1);
  return size > 0 && fields.every((field) => countAt(object, 'status', field) >= size);
}
