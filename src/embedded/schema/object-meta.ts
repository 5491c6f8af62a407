import type { Schema } from '../model/schema.ts';

const STRING: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const INT64: Schema = { type: 'integer', format: 'int64' };
const BOOLEAN: Schema = { type: 'boolean' };
const STRINGS: Schema = { type: 'object', additionalProperties: STRING };

const OWNER: Schema = {
  type: 'object',
  mapType: 'atomic',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
  properties: new Map([
    ['apiVersion', STRING],
    ['blockOwnerDeletion', BOOLEAN],
    ['controller', BOOLEAN],
    ['kind', STRING],
    ['name', STRING],
    ['uid', STRING],
  ]),
};

const MANAGED_FIELDS: Schema = {
  type: 'object',
  definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry',
  properties: new Map([
    ['apiVersion', STRING],
    ['fieldsType', STRING],
    ['fieldsV1', { type: 'object', preserveUnknownFields: true }],
    ['manager', STRING],
    ['operation', STRING],
    ['subresource', STRING],
    ['time', TIME],
  ]),
};

/** `metadata` of custom objects. */
export const OBJECT_META: Schema = {
  type: 'object',
  definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  properties: new Map<string, Schema>([
    ['annotations', STRINGS],
    ['creationTimestamp', TIME],
    ['deletionGracePeriodSeconds', INT64],
    ['deletionTimestamp', TIME],
    ['finalizers', { type: 'array', items: STRING, listType: 'set', patchStrategy: 'merge' }],
    ['generateName', STRING],
    ['generation', INT64],
    ['labels', STRINGS],
    ['managedFields', { type: 'array', items: MANAGED_FIELDS, listType: 'atomic' }],
    ['name', STRING],
    ['namespace', STRING],
    [
      'ownerReferences',
      {
        type: 'array',
        items: OWNER,
        listType: 'map',
        listMapKeys: ['uid'],
        patchStrategy: 'merge',
        patchMergeKey: 'uid',
      },
    ],
    ['resourceVersion', STRING],
    ['selfLink', STRING],
    ['uid', STRING],
  ]),
};
