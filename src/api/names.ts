/** The API group and the names that objects of ours carry; fixed for compatibility (annotation keys do not follow a re-hosted group). */
export const GROUP = 'kubepkg.dev';
export const VERSION = 'v1';
export const API_VERSION = `${GROUP}/${VERSION}`;

export const FINALIZER = 'kubepkg.dev/cleanup';
/** Where the operator keeps its Lease and the values of revisions, unless told otherwise. */
export const OPERATOR_NAMESPACE = 'kubepkg-system';
/** The Go implementation's, which is its binary and the API group: the two never act at once. */
export const OPERATOR_LEASE = `kubepkg-operator.${GROUP}`;
/** Field manager of everything that kubepkg itself writes to the API server. */
export const FIELD_MANAGER = 'kubepkg';

export const LABEL = {
  package: 'kubepkg.dev/package',
  component: 'kubepkg.dev/component',
  /** Attempt token on a release: proves that a step was begun. */
  attempt: 'kubepkg.dev/attempt',
  /** Digest of the component as delivered, in a form that fits a label. */
  digest: 'kubepkg.dev/digest',
  privileged: 'kubepkg.dev/privileged',
  repository: 'kubepkg.dev/repository',
} as const;

export const ANNOTATION = {
  retry: 'kubepkg.dev/retry',
  adopt: 'kubepkg.dev/adopt',
  rollbackTo: 'kubepkg.dev/rollback-to',
  forceRollback: 'kubepkg.dev/force-rollback',
  dependency: 'kubepkg.dev/dependency',
  desiredDigest: 'kubepkg.dev/desired-digest',
  hooksDone: 'kubepkg.dev/hooks-done',
  /** On a Job of a hook that failed: the code of the failure that kubepkg stopped it for. */
  stoppedFor: 'kubepkg.dev/stopped-for',
  /** Desired digest of the revision that a rollback restored: what runs then. */
  restoredDigest: 'kubepkg.dev/restored-digest',
  /** Unsafe versions that ran before the revision, also those whose revisions are not kept any more. */
  unsafeVersions: 'kubepkg.dev/unsafe-versions',
  rollbackRequested: 'kubepkg.dev/rollback-requested',
  /** On a revision of the Go implementation: the generation of the Package that it was held for, or that this is settled. */
  takenOver: 'kubepkg.dev/taken-over',
  /** On a revision of the Go implementation: what its immutable spec lacks. */
  additions: 'kubepkg.dev/additions',
  /** On a PackageSource, `UID/GENERATION`: from when on the Package says what was given together with it. */
  awaitsGeneration: 'kubepkg.dev/awaits-package-generation',
  skipPlatformValues: 'kubepkg.dev/skip-platform-values',
  specDigest: 'kubepkg.dev/spec-digest',
  ownedBy: 'kubepkg.dev/owned-by',
  podSecurity: 'kubepkg.dev/pod-security',
  /** On the record of an attempt that failed: what it alone created has been removed. */
  swept: 'kubepkg.dev/swept',
  /** On a Job of a hook: a later run found it there when it began, whatever the clocks say. */
  formerRun: 'kubepkg.dev/former-run',
  helmKeep: 'helm.sh/resource-policy',
} as const;
