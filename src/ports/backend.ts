import type { KubepkgError } from '../api/errors.ts';
import type { KubeObject, ObjectRef } from '../api/kube.ts';
import type { PresentRelease, ReleaseObservation, ReleaseTarget } from '../domain/release/observation.ts';
import type { HealthCheckExpr } from '../api/readiness.ts';
import type { JsonObject } from '../lib/json.ts';
import type { FetchedChart } from './artifacts.ts';
import type { Selection } from './cluster.ts';

export type { PresentRelease, ReleaseObservation, ReleaseTarget } from '../domain/release/observation.ts';

/** What is to be delivered: complete, nothing is taken from what was there before. */
export interface DesiredRelease extends ReleaseTarget {
  /** Stamped on the release from its first write on. */
  readonly token: string;
  readonly digest: string;
  readonly chart: FetchedChart;
  /** The complete user values. */
  readonly values: JsonObject;
  readonly adopt: boolean;
  readonly skipSchemaValidation: boolean;
  /** A finished Job whose template changed is deleted and made again (default), or fails as immutable. */
  readonly recreate?: 'FinishedJobs' | 'Never';
  /**
   * What is done with the CRDs of the chart's crds folders before the release, each waited for until it can be used.
   * Missing ones are created on an installation, and with `Create` and `CreateReplace` on an upgrade too; the latter
   * also replaces the ones of this package that exist. Default: Skip.
   */
  readonly upgradeCRDs?: 'Skip' | 'Create' | 'CreateReplace';
  /** An earlier version is restored: no CRD is replaced by an older one. */
  readonly rollback?: boolean;
  /**
   * It is a hook, and began at that moment (milliseconds since the epoch), or begins with this very delivery: Jobs that
   * are older are of a former run.
   */
  readonly hookSince?: number | 'now' | undefined;
  /** What the component has; a controller's own waits need not last longer. Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** Passed on to a controller that judges by them as well. */
  readonly healthCheckExprs?: readonly HealthCheckExpr[] | undefined;
  readonly waitStrategy?: 'poller' | 'legacy' | undefined;
}

export type BackendAction =
  | { readonly kind: 'install' | 'upgrade'; readonly release: DesiredRelease; readonly observed: ReleaseObservation }
  /** Settle a record whose owner died, so that the release accepts a further step. */
  | { readonly kind: 'unlock'; readonly target: ReleaseTarget; readonly observed: PresentRelease }
  /** Nothing more of a delivery may happen that a controller is at work on, or would try again. */
  | { readonly kind: 'stop'; readonly target: ReleaseTarget; readonly observed: PresentRelease }
  /** Give back what was put aside for the delivery, and remove what only failed attempts before it created. */
  | { readonly kind: 'hand-back'; readonly target: ReleaseTarget; readonly observed: PresentRelease }
  | {
      readonly kind: 'uninstall';
      readonly target: ReleaseTarget;
      readonly observed: PresentRelease;
      /** PersistentVolumeClaims of the release stay as well; CRDs and namespaces always do. */
      readonly keepData?: boolean;
    };

export type SubmitOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'failed'; readonly error: KubepkgError };

export interface BackendCapabilities {
  /** `submit` runs a process here and ends when it ends; otherwise it only instructs a controller. */
  readonly runsProcesses: boolean;
  readonly adoptsObjects: boolean;
  readonly secretValues: boolean;
  readonly previewsObjects: boolean;
}

/** Delivers one release at a time; never orders, waits, retries or rolls back on its own. */
export interface Backend {
  readonly id: string;
  readonly capabilities: BackendCapabilities;
  /** Absent: it keeps none. */
  readonly archive?: ReleaseArchive | undefined;
  /** Absent: it needs nothing but the API server. */
  readonly surroundings?: BackendSurroundings | undefined;
  /** A live look at one release; starts no process. */
  observe(target: ReleaseTarget): Promise<ReleaseObservation>;
  /**
   * The objects of the release by its newest completed record, or by its newest one, which may have been begun only.
   * `begun`: by the newest one, together with what hooks of the chart itself were started by it.
   */
  inventory(target: ReleaseTarget, record?: 'completed' | 'newest' | 'begun'): Promise<readonly InventoryItem[]>;
  /** Ends when the step is under way (or, for a backend that runs processes, done). Aborting stops it and waits for its end. */
  submit(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome>;
  /** What to watch to learn that a release changed, and whose release an object of that kind is. */
  watches(): readonly BackendWatch[];
  /** The objects that a release would have. */
  preview(release: DesiredRelease): Promise<readonly KubeObject[]>;
  /** Every release of a package that the backend has a record of, whatever revision it is from. */
  releasesOf(pkg: string): Promise<readonly ReleaseTarget[]>;
}

/** A delivered release as the backend's own record has it. */
export interface RecalledRelease {
  readonly revision: number;
  readonly chartName: string;
  readonly chartVersion: string;
  /** The complete user values. */
  readonly values: JsonObject;
  readonly privileged: boolean;
  /** Files of a chart that applies again exactly what was applied, by their path in it. */
  readonly files: Readonly<Record<string, string>>;
}

/** The backend's own records of past deliveries. */
export interface ReleaseArchive {
  /** The record of that number, or the newest completed one; undefined: there is none that was completed. */
  recall(target: ReleaseTarget, revision?: number): Promise<RecalledRelease | undefined>;
}

/** What has to be there before anything can be delivered. */
export interface BackendSurroundings {
  /** What is missing, and the remedy; undefined: nothing. Asked before a revision is created. */
  check(): Promise<KubepkgError | undefined>;
  /** Why the chart cannot be delivered by it, whatever the cluster has; undefined: it can. */
  refuses(chart: FetchedChart): KubepkgError | undefined;
}

export interface BackendWatch {
  readonly selection: Selection;
  /** Whose release this object records, if it is one of ours. */
  owner(object: KubeObject): RecordedRelease | undefined;
}

export interface RecordedRelease {
  readonly package: string;
  readonly namespace: string;
  readonly releaseName: string;
}

/** One object of a release. */
export interface InventoryItem extends ObjectRef {
  /** It may be gone by itself without that being a fault: a Job with a time to live after it has finished. */
  readonly mayVanish?: boolean;
}
