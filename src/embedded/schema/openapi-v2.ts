import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { type PathDialect, pathsOf } from './openapi-paths.ts';
import { definitionName, definitionsOf } from './openapi-schema.ts';

const PREFIX = '#/definitions/';

const PATHS: PathDialect = {
  parameter: (name, type, place) => ({
    name,
    in: place,
    type,
    uniqueItems: true,
    ...(place === 'path' ? { required: true } : {}),
  }),
  answer: (resource) => ({ schema: { $ref: `${PREFIX}${definitionName(resource)}` } }),
};

/** `/openapi/v2`: all kinds in one document. */
export function openApiV2Document(resources: readonly Resource[]): JsonMap {
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: pathsOf(resources, PATHS),
    definitions: definitionsOf(resources, { prefix: PREFIX, hasAlternatives: false }),
  };
}
