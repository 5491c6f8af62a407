/** What an author wants to see fail, from the upgrade on. */
export type FailureKind = 'never-ready' | 'crash' | 'render' | 'hook';

export const FAILURE_KINDS: readonly FailureKind[] = ['never-ready', 'crash', 'render', 'hook'];

export interface Failure {
  readonly component: string;
  readonly namespace: string;
  readonly releaseName: string;
  readonly kind: FailureKind;
}
