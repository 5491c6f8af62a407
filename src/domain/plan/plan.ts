import type { NotTaken } from '../resolve/solve/answer.ts';
import type { FieldChange } from './diff/object-change.ts';
import type { PredictedFinding } from './predictions/facts.ts';
import type { ForecastEnd, ForeseenStep, RollbackForecast } from './forecast.ts';

/** What happens to one component, hook or former component of a package. */
export interface ComponentPlan {
  readonly name: string;
  /** `namespace/name`. */
  readonly release: string;
  readonly change: 'install' | 'upgrade' | 'move' | 'keep' | 'hook' | 'remove';
  /** Charts, such as `store 1.2.0`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** What differs. */
  readonly why: readonly string[];
}

export interface RequirementPlan {
  /** A package or a capability. */
  readonly name: string;
  readonly version?: string | undefined;
  readonly optional: boolean;
  /** It is among the packages of this plan, which goes first. */
  readonly planned: boolean;
}

export interface CrdPlan {
  readonly name: string;
  /** Whose chart has it; absent: the package lists it. */
  readonly component?: string | undefined;
  /** `unknown`: whether it is there cannot be read, which a finding says. */
  readonly action: 'create' | 'replace' | 'leave' | 'not-created' | 'claim' | 'release' | 'unknown';
}

export interface NamespacePlan {
  readonly name: string;
  /** False: kubepkg creates it; it never deletes one. */
  readonly exists: boolean;
  /** The privileged level of pod security is set on it. */
  readonly setsPrivileged: boolean;
}

/** What the account that delivers has to be allowed. */
export interface PermissionPlan {
  /** `deployments.apps`. */
  readonly resource: string;
  /** Empty: it has no namespace. */
  readonly namespaces: readonly string[];
}

/** How one object changes; no value of a Secret is in it. */
export interface ObjectPlan {
  readonly component: string;
  /** `Deployment shop/store`. */
  readonly object: string;
  readonly apiVersion: string;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly fields: readonly FieldChange[];
  /** Hunks of YAML as `diff -u` has them. */
  readonly text: string;
}

/** Of everything that a plan was made from: where one of them is another, it is another plan. */
export interface PlanInputs {
  readonly package: { readonly uid: string; readonly generation: number; readonly spec: string };
  readonly source: { readonly generation: number; readonly spec: string };
  /** What runs: revision and phase, such as `3 Applied`. */
  readonly installed: string;
  readonly desired: string;
  /** By component. */
  readonly charts: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
  /** Resource versions of the CRDs that the package lists, or whose chart has them. */
  readonly crds: Readonly<Record<string, string>>;
  /** Applied versions of the packages that it requires. */
  readonly requires: Readonly<Record<string, string>>;
}

interface VersionChange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly why: string;
  /** The newest version on offer, where that is not the one. */
  readonly newer?: NotTaken | undefined;
}

export interface PackagePlan {
  readonly name: string;
  readonly change: 'install' | 'upgrade' | 'downgrade' | 'change' | 'keep' | 'remove';
  readonly version: VersionChange;
  readonly variant: string;
  readonly backend: string;
  readonly requires: readonly RequirementPlan[];
  readonly components: readonly ComponentPlan[];
  readonly steps: readonly ForeseenStep[];
  readonly end: ForecastEnd;
  readonly rollback?: RollbackForecast | undefined;
  readonly crds: readonly CrdPlan[];
  readonly namespaces: readonly NamespacePlan[];
  readonly permissions: readonly PermissionPlan[];
  readonly objects: readonly ObjectPlan[];
  readonly findings: readonly PredictedFinding[];
  readonly inputs: PlanInputs;
}
