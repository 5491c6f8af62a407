import type { ChartRef } from '../../api/chart-ref.ts';
import type { Requirement } from '../../api/package-source.ts';
import type { ReadyReason } from '../../api/reasons.ts';
import type { HealthCheckExpr, ReadinessSwitches, ReadyWhen } from '../../api/readiness.ts';
import { digestOf } from '../../lib/digest.ts';
import type { JsonObject } from '../../lib/json.ts';

/** A component as it is wanted: placed, with complete values. */
export interface DesiredComponent {
  readonly name: string;
  readonly releaseName: string;
  readonly namespace: string;
  readonly dependsOn: readonly string[];
  readonly hook: boolean;
  readonly chart: ChartRef;
  readonly values: JsonObject;
  /** Top-level keys of the values that only the platform's have; absent: there are none. */
  readonly platformKeys?: readonly string[];
  readonly privileged: boolean;
  readonly upgradeCRDs: 'Skip' | 'Create' | 'CreateReplace';
  readonly readyWhen: readonly ReadyWhen[];
  readonly healthCheckExprs: readonly HealthCheckExpr[];
  readonly waitStrategy?: 'poller' | 'legacy' | undefined;
  readonly readiness: ReadinessSwitches;
  readonly recreate: 'FinishedJobs' | 'Never';
  readonly skipSchemaValidation: boolean;
}

/** What a Package and its source ask for. Components are in the order in which they are applied. */
export interface DesiredPackage {
  readonly package: string;
  readonly version: string;
  readonly build: number;
  readonly variant: string;
  readonly rollbackSafe: boolean;
  readonly backend: string;
  readonly components: readonly DesiredComponent[];
  readonly hooks: readonly DesiredComponent[];
  readonly requires: readonly Requirement[];
  /** Names of the CRDs that the package owns at this version. */
  readonly crds: readonly string[];
  /** `sha256:…` over exactly what has an effect on the cluster. */
  readonly core: string;
  /** `sha256:…` of that and the retry token. */
  readonly digest: string;
  /** The Package was to be changed together with the source, and has not been yet. */
  readonly isHalfWritten: boolean;
  /** Worth saying, and no obstacle. */
  readonly notes: readonly string[];
}

/** Why a Package cannot be carried out as written. */
export interface Unresolvable {
  readonly kind: 'unresolvable';
  readonly reason: ReadyReason;
  readonly message: string;
}

export type Resolution = { readonly kind: 'resolved'; readonly desired: DesiredPackage } | Unresolvable;

export function desiredDigest(core: string, retry: string | undefined): string {
  return digestOf({ core, retry });
}

export function unresolvable(reason: ReadyReason, message: string): Unresolvable {
  return { kind: 'unresolvable', reason, message };
}
