import { LABEL } from '../../api/names.ts';

/** Annotations of ours on an Application. */
export const NOTE = {
  /** Attempt that the Application was written for. */
  attempt: LABEL.attempt,
  /** Digest of the component as it is to be delivered. */
  digest: LABEL.digest,
  /** Of the source and destination that were written. */
  instruction: 'kubepkg.dev/instruction',
  /** `status.history[].id` of the newest sync before the attempt; -1: there was none. */
  before: 'kubepkg.dev/history-before',
  instructedAt: 'kubepkg.dev/instructed-at',
  /** Attempt that was stopped. */
  stopped: 'kubepkg.dev/stopped',
  stoppedAt: 'kubepkg.dev/stopped-at',
  /** When its removal began. */
  removal: 'kubepkg.dev/removal-began',
  /** What a user had chosen for spec.syncPolicy.automated. */
  automated: 'kubepkg.dev/automated',
  /** Of the chart archive: a repository may have another one under the same version later. */
  chartDigest: 'kubepkg.dev/chart-digest',
  /** The objects of the release. */
  objects: 'kubepkg.dev/objects',
  releaseName: 'kubepkg.dev/release-name',
  releaseNamespace: 'kubepkg.dev/release-namespace',
} as const;
