import { nameOf, refOf } from '../../api/kube.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { EmbeddedApi } from '../../embedded/model/api.ts';
import { RELEASE_NAME } from './release-of.ts';
import type { StoredObject } from '../../embedded/model/object.ts';

/** What releases have brought, by name, without what controllers and the API server put in; of some it does not matter. */
export function objectsOfReleases(api: EmbeddedApi, without: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { group, version, plural, verbs } of api.resources()) {
    if (!verbs.includes('list')) continue;
    for (const object of api.list({ group, version, plural }).items) {
      if (isBrought(object) && !without.includes(object.metadata.annotations?.[RELEASE_NAME] ?? ''))
        found.set(nameOf(refOf(object)), contentOf(object));
    }
  }
  return found;
}

/** Controllers pass annotations on to what they make. */
function isBrought({ metadata: { annotations, ownerReferences = [] } }: StoredObject): boolean {
  return annotations?.[RELEASE_NAME] !== undefined && !ownerReferences.some(({ controller }) => controller === true);
}

/** Of the annotations of controllers only the number of a rollout changes with what is rolled back. */
const COUNTED = 'deployment.kubernetes.io/revision';

function contentOf({ metadata, status: _status, ...rest }: StoredObject): string {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => name !== COUNTED);
  return stableJson({ ...rest, labels: metadata.labels ?? {}, annotations: Object.fromEntries(annotations) });
}
