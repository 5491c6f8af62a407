import type { KubeObject } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { parsePackageRevision } from '../../api/parse.ts';
import { everyMember } from '../../domain/decide/views.ts';
import { withAdditions } from '../../domain/release/additions.ts';
import { asArray, asString, at } from '../../lib/json.ts';

/** A component or hook of a revision, with the chart that it was delivered with, or is to be. */
export interface RecordedChart {
  readonly revision: PackageRevision;
  readonly component: RevisionComponent;
}

/** The member of a revision that has the chart of that digest. */
export function recordIn(object: KubeObject, digest: string): RecordedChart | undefined {
  const parsed = parsePackageRevision(object);
  if (!parsed.ok) return undefined;
  const revision = withAdditions(parsed.value);
  const component = everyMember(revision).find(({ chart, chartDigest }) => chart && chartDigest === digest);
  return component === undefined ? undefined : { revision, component };
}

/** The digests of charts that a revision may have recorded, without parsing all of it. */
export function digestsIn(object: KubeObject): readonly string[] {
  const members = [...asArray(at(object, 'spec', 'components')), ...asArray(at(object, 'spec', 'hooks'))];
  const added = object.metadata.annotations?.[ANNOTATION.additions]?.match(/sha256:[0-9a-f]{64}/g) ?? [];
  return [...members.flatMap((member) => asString(at(member, 'chartDigest')) ?? []), ...added];
}
