import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { type PathDialect, pathsOf } from './openapi-paths.ts';
import { definitionName, definitionsOf } from './openapi-schema.ts';

const PREFIX = '#/components/schemas/';

const PATHS: PathDialect = {
  parameter: (name, type, place) => ({
    name,
    in: place,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  }),
  answer: (resource) => ({
    content: { 'application/json': { schema: { $ref: `${PREFIX}${definitionName(resource)}` } } },
  }),
};

/** `/openapi/v3/apis/GROUP/VERSION` of the kinds of one version of a group (`v1`, `apps/v1`); others are left out. */
export function openApiV3Document(groupVersion: string, resources: readonly Resource[]): JsonMap {
  const own = resources.filter(
    ({ group, version }) => (group === '' ? version : `${group}/${version}`) === groupVersion,
  );
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths: pathsOf(own, PATHS),
    components: { schemas: definitionsOf(own, { prefix: PREFIX, hasAlternatives: true }) },
  };
}
