import type { ErrorCode } from '../../api/errors.ts';
import type { ComponentProgress, RevisionComponent } from '../../api/package-revision.ts';
import type { ReleaseObservation } from './observation.ts';

/** What became of a submission that this process started. `token` names the attempt that it was; a removal has none. */
export type DeliveryView =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running';
      readonly token: string | undefined;
      /** When this process began it, and what it was given then (milliseconds since the epoch). */
      readonly since: number;
      readonly grantedUntil: number;
    }
  | { readonly kind: 'accepted'; readonly token: string | undefined }
  | {
      readonly kind: 'failed';
      readonly token: string | undefined;
      readonly code: ErrorCode;
      readonly message: string;
      /** A transient failure may be tried again from then on (milliseconds since the epoch). */
      readonly retryAt: number;
      readonly transient: boolean;
    };

/**
 * What is known of the Jobs of a hook whose delivery was begun and not completed: `never`: none of them ever existed;
 * `some`: one is there; `unknown`: none is there, and one may have been and be gone.
 */
export type HookJobs = 'never' | 'some' | 'unknown';

/** Health of the objects that a delivered release owns, and of what its component waits for besides. */
export interface HealthReport {
  /** `unobserved`: not every object has been read since the delivery. */
  readonly status: 'ready' | 'progressing' | 'failed' | 'unobserved';
  readonly message: string;
  readonly notes: readonly string[];
  /** Since when it has been failed without a break. */
  readonly failedSince?: number | undefined;
  /** It may be judged differently from then on, without an event. */
  readonly until?: number | undefined;
  /** Failed for good, no grace period applies: a Job that failed. */
  readonly final?: boolean | undefined;
  /** What it waits for in vain: of another revision, not ready, and never replaced by its StatefulSet. */
  readonly keptPod?: PodRef | undefined;
}

/** One pod, and no other of its name. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** All that is known about one component of a revision, as the decision sees it. */
export interface ComponentView {
  readonly component: RevisionComponent;
  readonly progress: ComponentProgress;
  readonly release: ReleaseObservation;
  /** Token of the attempt that the progress names; undefined before the first. */
  readonly token: string | undefined;
  /** Of the newest record that this process has seen of the release, be it gone since. */
  readonly lastToken?: string | undefined;
  /** The backend's number of the record that the journal last knew for this release. */
  readonly knownRevision: number | undefined;
  readonly delivery: DeliveryView;
  /** The controller that is at work on the attempt was told to stop, and has until then to say that it has (milliseconds since the epoch). */
  readonly stoppingUntil?: number | undefined;
  readonly health: HealthReport;
  /** It is a hook: driven again only when its Jobs provably never existed. */
  readonly hook: boolean;
  readonly jobs?: HookJobs | undefined;
  /** Our releases of the same component in other places, which have to go first. */
  readonly formerPlaces: readonly string[];
}
