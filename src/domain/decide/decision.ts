import type { ErrorCode } from '../../api/errors.ts';
import type { PackageRevisionSpec, PackageRevisionStatus } from '../../api/package-revision.ts';
import type { ReadyReason } from '../../api/reasons.ts';
import type { ReleaseTarget } from '../release/observation.ts';

/** One step, as plain data. */
export type Action =
  | { readonly kind: 'add-finalizer' }
  /** Fetch and verify the charts of the desired state, in the background. */
  | { readonly kind: 'prepare'; readonly digest: string }
  | { readonly kind: 'create-revision'; readonly digest: string; readonly spec: PackageRevisionSpec }
  | { readonly kind: 'save-values'; readonly revision: string }
  /** Write progress into the journal; nothing else is touched. */
  | { readonly kind: 'record'; readonly revision: string; readonly status: PackageRevisionStatus }
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
  | { readonly kind: 'unlock'; readonly target: ReleaseTarget }
  | { readonly kind: 'uninstall'; readonly target: ReleaseTarget }
  | { readonly kind: 'prune'; readonly revision: string }
  | { readonly kind: 'release-revision'; readonly revision: string }
  | { readonly kind: 'release-finalizer' };

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
    | { readonly kind: 'wait'; readonly until?: number | undefined }
    /** The world has not been read yet: the last verdict stands. */
    | { readonly kind: 'observe' }
    | { readonly kind: 'stalled'; readonly code?: ErrorCode | undefined }
    | { readonly kind: 'invalid' }
  );

export function act(action: Action, explanation: Explanation): Decision {
  return { kind: 'act', action, ...explanation };
}

export function wait(explanation: Explanation, until?: number): Decision {
  return { kind: 'wait', ...explanation, until };
}
