import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { memoize } from '../../lib/memoize.ts';
import type { JsonMap } from '../model/object.ts';
import type { PrinterColumn, Resource, SubresourceName, Verb } from '../model/resource.ts';
import { readSchema, withMeta } from './read-schema.ts';

const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const COLUMN_TYPES: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'date'];

/** The kinds that a CustomResourceDefinition makes: one for each version that is served. */
export const resourcesOfCrd = memoize((crd: JsonMap): readonly Resource[] =>
  asArray(at(crd, 'spec', 'versions'))
    .filter(isRecord)
    .filter((version) => version['served'] === true)
    .map((version) => resourceOf(crd, version)),
);

function resourceOf(crd: JsonMap, version: JsonMap): Resource {
  const names = at(crd, 'spec', 'names');
  const kind = asString(at(names, 'kind')) ?? '';
  const scale = readScale(at(version, 'subresources', 'scale'));
  return {
    group: asString(at(crd, 'spec', 'group')) ?? '',
    version: asString(version['name']) ?? '',
    kind,
    listKind: asString(at(names, 'listKind')) ?? `${kind}List`,
    plural: asString(at(names, 'plural')) ?? '',
    singular: asString(at(names, 'singular')) ?? kind.toLowerCase(),
    shortNames: asArray(at(names, 'shortNames')).filter((name) => typeof name === 'string'),
    categories: asArray(at(names, 'categories')).filter((name) => typeof name === 'string'),
    namespaced: at(crd, 'spec', 'scope') === 'Namespaced',
    verbs: VERBS,
    subresources: subresourcesOf(version),
    schema: withMeta(readSchema(rootSchema(version))),
    custom: true,
    columns: readColumns(version),
    ...(scale === undefined ? {} : { scale }),
  };
}

function rootSchema(version: JsonMap): JsonMap {
  const schema = at(version, 'schema', 'openAPIV3Schema');
  return isRecord(schema) ? schema : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
}

function subresourcesOf(version: JsonMap): readonly SubresourceName[] {
  const subresources = version['subresources'];
  return (['status', 'scale'] as const).filter((name) => isRecord(at(subresources, name)));
}

function readScale(scale: unknown): Resource['scale'] {
  const spec = asString(at(scale, 'specReplicasPath'));
  const status = asString(at(scale, 'statusReplicasPath'));
  if (spec === undefined || status === undefined) return undefined;
  const selector = asString(at(scale, 'labelSelectorPath'));
  return { spec, status, ...(selector === undefined || selector === '' ? {} : { selector }) };
}

const NAME: PrinterColumn = { name: 'Name', type: 'string', format: 'name' };
const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function readColumns(version: JsonMap): readonly PrinterColumn[] {
  const columns = asArray(version['additionalPrinterColumns']).filter(isRecord).map(readColumn);
  return [NAME, ...(columns.length === 0 ? [AGE] : columns)];
}

function readColumn(column: JsonMap): PrinterColumn {
  const { name, type, format, description, priority, jsonPath } = column;
  return {
    name: asString(name) ?? '',
    type: COLUMN_TYPES.includes(type) ? (type as PrinterColumn['type']) : 'string',
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof priority === 'number' ? { priority } : {}),
    jsonPath: asString(jsonPath) ?? '',
  };
}
