import type { KubeObject } from '../../../api/kube.ts';
import { FIELD_MANAGER } from '../../../api/names.ts';
import { eachObject, type ObjectOf } from './each-object.ts';
import type { PlanFacts } from './facts.ts';

const RELEASE_NAME = 'meta.helm.sh/release-name';
const RELEASE_NAMESPACE = 'meta.helm.sh/release-namespace';

/** Objects that exist and that another release has, or nobody: a delivery refuses to write over them. */
export const findForeignObjects = eachObject((object) => {
  const owner = foreignOwner(object);
  if (owner === undefined || object.facts.package.adopts) return undefined;
  return {
    message: `exists and ${owner}: the delivery refuses to write over it`,
    remedy: 'remove it, or adopt it with the annotation kubepkg.dev/adopt on the Package',
  };
});

/** The same where they are adopted. */
export const findAdopted = eachObject((object) => {
  const owner = foreignOwner(object);
  if (owner === undefined || !object.facts.package.adopts) return undefined;
  return {
    message: `exists and ${owner}; it is taken over, as the Package is annotated with kubepkg.dev/adopt`,
    remedy: 'see that nobody else writes it any more',
  };
});

/** What the release has on record already is not asked about. */
function foreignOwner({ live, before, owner, facts }: ObjectOf): string | undefined {
  if (live === undefined || before !== undefined) return undefined;
  const release = releaseOf(live);
  if (release === undefined) return isDelivered(live, facts) ? undefined : 'belongs to no release';
  const { namespace, releaseName } = owner.component;
  if (release === `${namespace}/${releaseName}` || facts.releases.leaving.includes(release)) return undefined;
  const pkg = facts.releases.packages[release];
  return pkg === undefined ? `belongs to release ${release}` : `belongs to release ${release} of package ${pkg}`;
}

/** A backend that sets no such marks is known by its writes. */
function isDelivered({ metadata: { managedFields = [] } }: KubeObject, { managers }: PlanFacts): boolean {
  return managedFields.some(({ manager = '' }) => manager !== FIELD_MANAGER && managers.includes(manager));
}

/** By the marks of helm, which every backend that installs by it sets. */
function releaseOf({ metadata }: KubeObject): string | undefined {
  const { annotations = {}, labels = {} } = metadata;
  const name = annotations[RELEASE_NAME];
  if (name === undefined || labels['app.kubernetes.io/managed-by'] !== 'Helm') return undefined;
  return `${annotations[RELEASE_NAMESPACE] ?? ''}/${name}`;
}
