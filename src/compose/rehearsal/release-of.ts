import { controllerOf as referenceOf } from '../../embedded/controllers/kit/read.ts';
import type { EmbeddedApi } from '../../embedded/model/api.ts';
import type { StoredObject } from '../../embedded/model/object.ts';
import { apiVersionOf } from '../../embedded/model/resource.ts';
import { StatusError } from '../../embedded/model/status-error.ts';

export const RELEASE_NAME = 'meta.helm.sh/release-name';

/** Name of the release that an object belongs to, itself or by what controls it; undefined: to none. */
export function releaseOf(api: EmbeddedApi, object: StoredObject): string | undefined {
  const own = object.metadata.annotations?.[RELEASE_NAME];
  if (own !== undefined) return own;
  const owner = controllerOf(api, object);
  return owner === undefined ? undefined : releaseOf(api, owner);
}

export function controllerOf(api: EmbeddedApi, object: StoredObject): StoredObject | undefined {
  const reference = referenceOf(object);
  const resource = api
    .resources()
    .find((each) => each.kind === reference?.kind && apiVersionOf(each) === reference.apiVersion);
  if (reference === undefined || resource === undefined) return undefined;
  const { group, version, plural } = resource;
  try {
    const found = api.get({ group, version, plural, namespace: object.metadata.namespace, name: reference.name });
    return found.metadata.uid === reference.uid ? found : undefined;
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'NotFound') return undefined;
    throw error;
  }
}
