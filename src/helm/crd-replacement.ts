import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../api/kube.ts';
import { ANNOTATION, FIELD_MANAGER } from '../api/names.ts';
import { asArray, asString, at } from '../lib/json.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { ownsVersions } from './crd-fields.ts';
import { belongsTo } from './ownership.ts';

/** Why a CRD may not be replaced by the one of the chart; undefined: it may. */
export function judgeReplacement(
  live: KubeObject,
  wanted: KubeObject,
  release: DesiredRelease,
): KubepkgError | undefined {
  return foreign(live, release) ?? scopeChange(live, wanted) ?? lostVersion(live, wanted);
}

function foreign(live: KubeObject, release: DesiredRelease): KubepkgError | undefined {
  const owner = foreignOwner(live, release);
  if (owner === undefined || release.adopt) return undefined;
  return new KubepkgError('OwnershipConflict', `${nameOf(refOf(live))} exists and ${owner}`, {
    hint: 'adopt it with the annotation kubepkg.dev/adopt, or set upgradeCRDs to Create, which leaves it as it is',
  });
}

/** A CRD without any mark is ours when kubepkg wrote its definition: earlier versions set no mark. */
function foreignOwner(live: KubeObject, release: DesiredRelease): string | undefined {
  const { annotations = {}, managedFields = [] } = live.metadata;
  const pkg = annotations[ANNOTATION.ownedBy];
  if (pkg !== undefined) return pkg === release.package ? undefined : `belongs to package ${pkg}`;
  if (belongsTo(live, release)) return undefined;
  const other = annotations['meta.helm.sh/release-name'];
  if (other !== undefined) {
    return `belongs to release ${annotations['meta.helm.sh/release-namespace'] ?? ''}/${other}`;
  }
  const isOurs = managedFields.some((entry) => entry.manager === FIELD_MANAGER && ownsVersions(entry));
  return isOurs ? undefined : 'was not made by kubepkg';
}

function scopeChange(live: KubeObject, wanted: KubeObject): KubepkgError | undefined {
  const [before, after] = [live, wanted].map((crd) => asString(at(crd, 'spec', 'scope')) ?? '');
  if (before === after) return undefined;
  const change = `${nameOf(refOf(live))} is ${String(before)} and would become ${String(after)}`;
  return new KubepkgError('ImmutableField', change, { hint: 'a CRD keeps its scope: give the new kind another name' });
}

function lostVersion(live: KubeObject, wanted: KubeObject): KubepkgError | undefined {
  const kept = asArray(at(wanted, 'spec', 'versions')).map((version) => at(version, 'name'));
  const lost = asArray(at(live, 'status', 'storedVersions')).filter((version) => !kept.includes(version));
  if (lost.length === 0) return undefined;
  return new KubepkgError(
    'ApiInvalid',
    `${nameOf(refOf(live))} would lose version ${lost.join(', ')}, in which objects are stored`,
    {
      hint: 'store all objects in a version that stays, and take the old one from status.storedVersions',
    },
  );
}
