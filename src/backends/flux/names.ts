import { type KubeObject, type ObjectRef, refOf } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { nameLabel } from '../../helm/labels.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';

export const HELM_RELEASE = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' } as const;
export const OCI_REPOSITORY = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'OCIRepository' } as const;
export const HELM_REPOSITORY = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' } as const;
export const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
/** Type of the Secrets that hold the values of one delivery. */
export const VALUES_TYPE = 'kubepkg.dev/values';
/** Their one key, which is where Flux looks for values unless told otherwise. */
export const VALUES_KEY = 'values.yaml';

/** Of helm-controller, which takes it away once the release is uninstalled. */
export const CONTROLLER_FINALIZER = 'finalizers.fluxcd.io';

/** By which the objects of a release are found again; a release name always fits into a label. */
export const RELEASE_LABEL = 'kubepkg.dev/release';

/** Annotations that Flux acts on. A forced upgrade and a reset count of failures need the token of the request. */
export const REQUEST = {
  requestedAt: 'reconcile.fluxcd.io/requestedAt',
  forceAt: 'reconcile.fluxcd.io/forceAt',
  resetAt: 'reconcile.fluxcd.io/resetAt',
} as const;

/** Annotations of ours on a HelmRelease: what its status is judged by. */
export const STAMP = {
  attempt: LABEL.attempt,
  digest: LABEL.digest,
  /** Digest that Flux has to give to the values; absent where it cannot be foretold. */
  configDigest: 'kubepkg.dev/config-digest',
  /** Version of the chart, followed by `@` and the digest of its manifest where it has one. */
  chart: 'kubepkg.dev/chart',
  /** Of the spec as it was written, whether suspended or not. */
  specDigest: 'kubepkg.dev/spec-digest',
  /** Digest of the newest release in its history when it was written. */
  former: 'kubepkg.dev/former-release',
  instructedAt: 'kubepkg.dev/instructed-at',
  /** Attempt of which nothing more may happen. */
  stopped: 'kubepkg.dev/stopped',
  /** Number of the newest release record of somebody else that it was told to take over. */
  adopted: 'kubepkg.dev/adopted-release',
  /** The Jobs of the release that remove themselves. */
  vanishing: 'kubepkg.dev/vanishing-jobs',
  /** Its removal was begun. */
  removal: 'kubepkg.dev/removal',
} as const;

export function helmReleaseRef({ namespace, releaseName }: ReleaseTarget): ObjectRef {
  return { ...HELM_RELEASE, namespace, name: releaseName };
}

/** Labels of every object that is made for a release. */
export function ownLabels(target: ReleaseTarget): Readonly<Record<string, string>> {
  return {
    [LABEL.package]: nameLabel(target.package),
    [LABEL.component]: nameLabel(target.component),
    [RELEASE_LABEL]: target.releaseName,
  };
}

/** Made for the same package, whichever of its components has the release. */
export function isOwn({ metadata }: KubeObject, target: Pick<ReleaseTarget, 'package'>): boolean {
  return metadata.labels?.[LABEL.package] === nameLabel(target.package);
}

export function describe(object: KubeObject): string {
  const { kind, namespace = '', name } = refOf(object);
  return `${kind} ${namespace}/${name}`;
}
