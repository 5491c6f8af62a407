import type { ErrorCode } from '../../api/errors.ts';

/** Where a component's release is. */
export interface ReleaseTarget {
  readonly package: string;
  readonly component: string;
  readonly releaseName: string;
  readonly namespace: string;
}

export type ReleaseObservation =
  | { readonly state: 'absent' }
  /** There is a release of that name, and it is not this component's. */
  | {
      readonly state: 'foreign';
      readonly message: string;
      /** Another package that owns it: no wish to adopt takes it from there. */
      readonly otherPackage?: string;
    }
  /** The backend cannot tell at the moment. */
  | {
      readonly state: 'unknown';
      readonly message: string;
      /** Another package that this process is at work on it for: whose it is is told by its record afterwards. */
      readonly heldFor?: string;
    }
  | PresentRelease;

export interface PresentRelease {
  readonly state: 'present';
  /** The backend's own number of the newest record. */
  readonly revision: number;
  readonly token: string | undefined;
  readonly digest: string | undefined;
  /**
   * `delivered`: the newest record was completed; `failed`: it ended with an error; `pending`: it was begun and
   * not ended, whether its owner lives is not known here; `removing`: an uninstall was begun and is to be driven on;
   * `draining`: it was uninstalled, and some of its objects are not gone yet, the message names one and what holds it;
   * `underway`: a controller was instructed and is at work, or waits for what the message names, until it is stopped.
   */
  readonly delivery: 'delivered' | 'failed' | 'pending' | 'removing' | 'draining' | 'underway';
  /** With `draining`: its uninstall is not done, so its objects may stand still; a controller has yet to do it, or is at it. */
  readonly uninstalling?: boolean | undefined;
  /** Why the attempt of that token failed, where a controller carries it out and so only the release can tell. */
  readonly failure?: { readonly code: ErrorCode; readonly message: string } | undefined;
  /** With `failed`: the controller tries on by itself until it is stopped. */
  readonly goesOn?: boolean | undefined;
  /**
   * With `delivered`: something about it is to be put in order afterwards. What a user chose was put aside for the
   * delivery, and is given back; or what only failed attempts before it created may be there still, and is removed.
   */
  readonly handBack?: boolean | undefined;
  /** With `delivered`: what somebody did to it outside, and that has changed nothing so far. */
  readonly note?: string | undefined;
  /** Some record of this release was completed once. */
  readonly everDelivered: boolean;
  readonly message: string;
}

/** Somebody else's, and no wish to adopt makes it ours (P21). */
export function isTaken(observation: ReleaseObservation, { adopt }: { readonly adopt: boolean }): boolean {
  return observation.state === 'foreign' && (!adopt || observation.otherPackage !== undefined);
}
