import type { KubeObject } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import { belongsTo, isCrd } from '../../helm/ownership.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import { refOf } from '../../api/kube.ts';
import { applicationName } from './application-name.ts';

const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
/** What Argo CD tracks by where it is told to track by labels; many charts set it themselves. */
const INSTANCE = 'app.kubernetes.io/instance';

/** The Application that Argo CD says an object is of; one in another namespace is written `namespace_name`. */
export function trackedBy({ metadata }: KubeObject): string | undefined {
  const id = metadata.annotations?.[TRACKING_ID];
  return id?.slice(0, Math.max(0, id.indexOf(':'))).replace(/^[^_]*_/, '');
}

/** Argo CD never says whose a CRD is: that is marked as helm marks it, or by its package. */
export function isOurs(object: KubeObject, target: ReleaseTarget): boolean {
  const application = applicationName(target);
  const owner = trackedBy(object);
  if (owner !== undefined && owner !== '') return owner === application;
  const { annotations = {}, labels = {} } = object.metadata;
  if (labels[INSTANCE] === application || belongsTo(object, target)) return true;
  return isCrd(refOf(object)) && annotations[ANNOTATION.ownedBy] === target.package;
}

/** Its marks say that helm made it for this release, as they would had helm made it. */
export function releaseMarks({ namespace, releaseName }: ReleaseTarget): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  return {
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': releaseName, 'meta.helm.sh/release-namespace': namespace },
  };
}
