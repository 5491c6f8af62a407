import type { ObjectPage } from '../model/api.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { tableColumns, tableRow } from '../kinds/index.ts';
import { type Shape, shapeOf } from './accept.ts';
import type { Call } from './call.ts';

/** An object as the client wants it: whole, its metadata alone, or as a table of one row. */
export function shapedObject(call: Call, resource: Resource, object: StoredObject): JsonMap {
  const shape = requireShape(call);
  switch (shape.as) {
    case 'object':
      return object;
    case 'metadata':
      return partial(object);
    case 'metadata-list':
      throw new StatusError(
        'NotAcceptable',
        `you requested PartialObjectMetadataList, but the requested object is not a list (${resource.kind})`,
      );
    case 'table':
      return table(call, resource, {
        items: [object],
        resourceVersion: object.metadata.resourceVersion,
        version: shape.version,
      });
  }
}

export function shapedList(call: Call, resource: Resource, page: ObjectPage): JsonMap {
  const shape = requireShape(call);
  const { items, resourceVersion, continue: token, remainingItemCount } = page;
  const metadata = {
    resourceVersion,
    ...(token === undefined && !resource.custom ? {} : { continue: token ?? '' }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
  switch (shape.as) {
    case 'object':
      return {
        kind: resource.listKind,
        apiVersion: apiVersionOf(resource),
        metadata,
        items: items.map((item) => itemOf(resource, item)),
      };
    case 'metadata':
    case 'metadata-list':
      return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: items.map(partial) };
    case 'table':
      return { ...table(call, resource, { ...page, version: shape.version }), metadata };
  }
}

export function requireShape(call: Call): Exclude<Shape, undefined> {
  const shape = shapeOf(call.request.headers.accept);
  if (shape !== undefined) return shape;
  throw new StatusError('NotAcceptable', 'only the following media types are accepted: application/json');
}

/** Items of built-in kinds do not repeat the kind of the list. */
function itemOf(resource: Resource, item: StoredObject): JsonMap {
  if (resource.custom) return item;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = item;
  return rest;
}

function partial(object: StoredObject): JsonMap {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

interface Rows {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly version: string;
}

function table(call: Call, resource: Resource, { items, resourceVersion, version }: Rows): JsonMap {
  const now = call.serving.clock.now();
  const mode = call.query.get('includeObject') ?? 'Metadata';
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: { resourceVersion },
    columnDefinitions: tableColumns(resource).map(({ jsonPath: _jsonPath, ...column }) => ({
      format: '',
      description: '',
      priority: 0,
      ...column,
    })),
    rows: items.map((item) => ({ cells: tableRow(resource, item, now), ...included(mode, item) })),
  };
}

function included(mode: string, item: StoredObject): JsonMap {
  if (mode === 'None') return { object: null };
  return { object: mode === 'Object' ? item : partial(item) };
}
