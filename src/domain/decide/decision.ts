import type { ErrorCode } from '../../api/errors.ts';
import type { PackageRevisionSpec, PackageRevisionStatus } from '../../api/package-revision.ts';
import type { ReadyReason } from '../../api/reasons.ts';
import type { PodRef } from '../release/component-view.ts';
import type { ReleaseTarget } from '../release/observation.ts';

/** One object, and whose it was when the step was decided. */
export interface CrdClaim {
  readonly name: string;
  readonly uid: string;
  readonly from?: string | undefined;
}

/** One step, as plain data. */
export type Action =
  | { readonly kind: 'add-finalizer' }
  /** Fetch and verify the charts of the desired state, in the background. */
  | { readonly kind: 'prepare'; readonly digest: string; readonly hooks: boolean }
  | {
      readonly kind: 'create-revision';
      readonly spec: PackageRevisionSpec;
      readonly annotations: Readonly<Record<string, string>>;
    }
  /** A request on the Package has been dealt with. */
  | { readonly kind: 'drop-annotations'; readonly annotations: readonly string[] }
  | { readonly kind: 'save-values'; readonly revision: string }
  /** A revision of the Go implementation becomes one of ours: how it ended, and marks on it. */
  | {
      readonly kind: 'take-over';
      readonly revision: string;
      readonly annotations: Readonly<Record<string, string>>;
      readonly status?: PackageRevisionStatus;
    }
  /** What its spec lacks is read from the backend's records, and kept beside it. */
  | { readonly kind: 'complete-revision'; readonly revision: string }
  /** Write progress into the journal; nothing else is touched. */
  | {
      readonly kind: 'record';
      readonly revision: string;
      readonly status: PackageRevisionStatus;
      /** What failed: the evidence of it is kept first, and the Jobs of a hook are stopped. */
      readonly failed?: FailedMember;
    }
  /** Write the status, then ask the backend. */
  | {
      readonly kind: 'deliver';
      readonly mode: 'install' | 'upgrade';
      readonly revision: string;
      readonly component: string;
      readonly attempt: number;
      readonly target: ReleaseTarget;
      /** Absent: this attempt is in the journal already. */
      readonly status?: PackageRevisionStatus;
    }
  | { readonly kind: 'stop'; readonly target: ReleaseTarget }
  /** Delete a pod, so that its StatefulSet makes the one that is wanted. */
  | { readonly kind: 'replace-pod'; readonly pod: PodRef; readonly target: ReleaseTarget }
  /** What a user chose was put aside for the delivery, or failed attempts before it left something: it is put in order. */
  | { readonly kind: 'hand-back'; readonly target: ReleaseTarget }
  | { readonly kind: 'unlock'; readonly target: ReleaseTarget }
  | {
      readonly kind: 'uninstall';
      /** False only when the whole package goes: an upgrade or a rollback deletes no data (I7). */
      readonly keepData: boolean;
      readonly target: ReleaseTarget;
      /** Written before, into the journal of this revision. */
      readonly revision?: string;
      readonly status?: PackageRevisionStatus;
    }
  /** Write on CRDs whose they are, and that they are kept; those that somebody else has taken meanwhile are left. */
  | { readonly kind: 'claim-crds'; readonly crds: readonly CrdClaim[]; readonly keep: boolean }
  /** Let go of CRDs, and see to it that they are kept. */
  | { readonly kind: 'release-crds'; readonly crds: readonly CrdClaim[] }
  | { readonly kind: 'delete-crd'; readonly crd: CrdClaim }
  /** Take back the privileged level, if kubepkg set it and nobody needs it. */
  | { readonly kind: 'restore-namespace'; readonly namespace: string }
  /** The revision has taken over what there was: the next one does not. */
  | { readonly kind: 'end-adoption'; readonly revision: string }
  | { readonly kind: 'prune'; readonly revision: string }
  | { readonly kind: 'release-revision'; readonly revision: string }
  | { readonly kind: 'release-finalizer' };

export interface FailedMember {
  readonly component: string;
  readonly part: 'hooks' | 'components';
  readonly target: ReleaseTarget;
}

/** What the package's Ready condition says while this decision stands. */
export interface Explanation {
  readonly reason: ReadyReason;
  readonly message: string;
}

/**
 * What to do now. `until`: the latest time to look again, in milliseconds since the epoch; absent: only an event
 * can change anything.
 */
export type Decision = Explanation &
  (
    | { readonly kind: 'converged' }
    | { readonly kind: 'act'; readonly action: Action }
    /** `besides`: something else is still being put away, which may end without an event. */
    | { readonly kind: 'wait'; readonly until?: number | undefined; readonly besides?: true | undefined }
    /** The world has not been read yet: the last verdict stands. */
    | { readonly kind: 'observe' }
    | { readonly kind: 'stalled'; readonly code?: ErrorCode | undefined }
    /** `unwatched`: nothing tells when what is in the way has gone; it is looked for now and then. */
    | { readonly kind: 'invalid'; readonly unwatched?: true | undefined }
  );

/** The explanation may be another decision, whose action is not taken over. */
export function act(action: Action, { reason, message }: Explanation): Decision {
  return { kind: 'act', action, reason, message };
}

export function wait(explanation: Explanation, until?: number): Decision {
  return { kind: 'wait', ...explanation, until };
}
