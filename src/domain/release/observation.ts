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
  | { readonly state: 'unknown'; readonly message: string }
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
   * `draining`: it was uninstalled, and some of its objects are not gone yet, the message names one and what holds it.
   */
  readonly delivery: 'delivered' | 'failed' | 'pending' | 'removing' | 'draining';
  /** Some record of this release was completed once. */
  readonly everDelivered: boolean;
  readonly message: string;
}

/** Somebody else's, and no wish to adopt makes it ours (P21). */
export function isTaken(observation: ReleaseObservation, { adopt }: { readonly adopt: boolean }): boolean {
  return observation.state === 'foreign' && (!adopt || observation.otherPackage !== undefined);
}
