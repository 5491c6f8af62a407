import type { KubeObject } from '../api/kube.ts';
import type { Package } from '../api/package.ts';
import type { World } from '../domain/decide/world.ts';
import type { Forecast } from '../domain/plan/forecast.ts';
import type { PackagePlan } from '../domain/plan/plan.ts';
import type { EngineDeps } from '../engine/engine-deps.ts';
import type { Backend } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { FetchedCharts } from './plan-charts.ts';
import type { PlanSight } from './plan-sight.ts';
import type { Unread } from './plan-unread.ts';
import type { StillCluster } from './still-cluster.ts';

/** A package as it is and as it would be written. */
export interface WouldBe {
  readonly name: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
}

export interface PlanRequest {
  readonly packages: readonly WouldBe[];
  /** PackageSources as they would be written. */
  readonly sources: readonly KubeObject[];
  /** Charts are rendered, and objects compared with those that run. */
  readonly objects: boolean;
}

/** Everything that a plan is made with; the backends look through the cluster that they are given. */
export interface PlannerDeps extends Omit<EngineDeps, 'backends' | 'recorder' | 'options'> {
  readonly backends: (cluster: Cluster) => ReadonlyMap<string, Backend>;
  readonly options: Omit<EngineDeps['options'], 'defaultBackend'> & {
    /** Absent: the one of what is installed. */
    readonly defaultBackend?: string | undefined;
  };
}

export interface PlanResult {
  /** Tells one cluster from another: the UID of its namespace kube-system; empty where that may not be read. */
  readonly cluster: string;
  readonly packages: readonly PackagePlan[];
}

/** What is known while the packages of a request are planned, one after the other. */
export interface Planning {
  readonly deps: EngineDeps & { readonly cluster: StillCluster };
  /** For trials: writes that the API server is asked to judge and not to make. */
  readonly live: Cluster;
  readonly eyes: PlanSight;
  readonly request: PlanRequest;
}

/** The same while one of them is looked into. */
export interface Looking extends Planning {
  readonly unread: Unread;
}

/** A package with all that was found out about it. */
export interface Foreseen {
  readonly would: WouldBe;
  readonly package: Package;
  readonly world: World;
  readonly forecast: Forecast;
  readonly charts: FetchedCharts;
}
