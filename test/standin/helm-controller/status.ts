import type { Condition } from '../../../src/api/kube.ts';
import { formatSeconds } from '../../../src/lib/time.ts';

/** The conditions that the controller writes; Reconciling, Stalled and Remediated are removed, never False, but for a failed remediation. */
export type ConditionType = 'Stalled' | 'Reconciling' | 'Ready' | 'Released' | 'Remediated';

export type ConditionStatus = Condition['status'];

/** One release as `status.history` has it, newest first. */
export interface Snapshot {
  readonly apiVersion: 'v2';
  readonly action?: string;
  readonly digest: string;
  readonly name: string;
  readonly namespace: string;
  readonly version: number;
  readonly status: string;
  readonly chartName: string;
  readonly chartVersion: string;
  readonly appVersion?: string;
  readonly configDigest: string;
  readonly firstDeployed: string;
  readonly lastDeployed: string;
  readonly deleted?: string;
  readonly ociDigest?: string;
}

export interface InventoryEntry {
  readonly id: string;
  readonly v: string;
}

/** Fields that the real controller never set in any trace are left out. */
export interface HelmReleaseStatus {
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  readonly helmChart?: string | undefined;
  readonly storageNamespace?: string | undefined;
  readonly history?: readonly Snapshot[] | undefined;
  readonly inventory?: { readonly entries: readonly InventoryEntry[] } | undefined;
  readonly lastAttemptedGeneration?: number | undefined;
  readonly lastAttemptedRevision?: string | undefined;
  readonly lastAttemptedRevisionDigest?: string | undefined;
  readonly lastAttemptedConfigDigest?: string | undefined;
  readonly lastAttemptedReleaseAction?: 'install' | 'upgrade' | undefined;
  readonly lastAttemptedReleaseActionDuration?: string | undefined;
  readonly failures?: number | undefined;
  readonly installFailures?: number | undefined;
  readonly upgradeFailures?: number | undefined;
  readonly lastHandledReconcileAt?: string | undefined;
  readonly lastHandledForceAt?: string | undefined;
  readonly lastHandledResetAt?: string | undefined;
}

export interface NewCondition {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** The order in which they stand in every trace. */
const ORDER: readonly string[] = ['Stalled', 'Reconciling', 'Ready'];

/** As `kubectl` takes it; longer ones are refused by the definition. */
const LONGEST_MESSAGE = 30_000;

export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: ConditionType,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Sets one condition for a generation. The time moves only when the status changes ("What each field proves": whole
 * seconds, no tie-breaker).
 */
export function setCondition(
  conditions: readonly Condition[],
  condition: NewCondition,
  { generation, now }: { readonly generation: number; readonly now: number },
): readonly Condition[] {
  const former = findCondition(conditions, condition.type);
  const moved = former?.status !== condition.status;
  const set: Condition = {
    ...condition,
    message: condition.message.slice(0, LONGEST_MESSAGE),
    observedGeneration: generation,
    lastTransitionTime: former === undefined || moved ? formatSeconds(now) : former.lastTransitionTime,
  };
  return sorted([...conditions.filter(({ type }) => type !== condition.type), set]);
}

export function withoutCondition(
  conditions: readonly Condition[],
  ...types: readonly ConditionType[]
): readonly Condition[] {
  return conditions.filter(({ type }) => !types.some((removed) => removed === type));
}

/** All but the time, which follows from the rest. */
export function sameCondition(a: Condition | undefined, b: Condition | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}

function sorted(conditions: readonly Condition[]): readonly Condition[] {
  const place = ({ type }: Condition): string => {
    const index = ORDER.indexOf(type);
    return `${String(index < 0 ? ORDER.length : index)} ${type}`;
  };
  return [...conditions].sort((a, b) => (place(a) < place(b) ? -1 : 1));
}
