import type { JsonMap } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { openApiV2Document, openApiV3Document } from '../schema/index.ts';
import { mediaTypes } from './accept.ts';
import { type Answer, jsonAnswer, PAGE_NOT_FOUND } from './answer.ts';
import type { Call } from './call.ts';

const V3 = '/openapi/v3';

/** The descriptions of all kinds, in JSON alone. */
export function openApiAnswer(call: Call, path: string): Answer {
  const resources = call.serving.api.resources();
  if (path === '/openapi/v2') {
    requireJson(call);
    return jsonAnswer(openApiV2Document(resources));
  }
  if (path === V3) return jsonAnswer(indexOf(resources));
  const groupVersion = /^\/openapi\/v3\/(?:api|apis)\/(.+)$/.exec(path)?.[1];
  if (groupVersion === undefined || !resources.some((resource) => apiVersionOf(resource) === groupVersion)) {
    return PAGE_NOT_FOUND;
  }
  requireJson(call);
  return jsonAnswer(openApiV3Document(groupVersion, resources));
}

function indexOf(resources: readonly Resource[]): JsonMap {
  const names = [...new Set(resources.map(apiVersionOf))];
  const paths = names.map((name) => {
    const path = `${name.includes('/') ? 'apis' : 'api'}/${name}`;
    return [path, { serverRelativeURL: `${V3}/${path}` }];
  });
  return { paths: Object.fromEntries(paths) };
}

function requireJson(call: Call): void {
  const accepted = mediaTypes(call.request.headers.accept).map(({ name }) => name);
  if (accepted.length === 0 || accepted.some((name) => name === 'application/json' || name === '*/*')) return;
  throw new StatusError('NotAcceptable', 'only the following media types are accepted: application/json');
}
