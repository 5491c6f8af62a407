import type { Schema } from '../model/schema.ts';

const STRING: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const INTEGER: Schema = { type: 'integer', format: 'int64' };
const STRING_MAP: Schema = { type: 'object', additionalProperties: STRING };

const OWNER_REFERENCE: Schema = {
  type: 'object',
  mapType: 'atomic',
  properties: new Map<string, Schema>([
    ['apiVersion', STRING],
    ['kind', STRING],
    ['name', STRING],
    ['uid', STRING],
    ['controller', { type: 'boolean' }],
    ['blockOwnerDeletion', { type: 'boolean' }],
  ]),
};

const MANAGED_FIELDS_ENTRY: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['manager', STRING],
    ['operation', STRING],
    ['apiVersion', STRING],
    ['time', TIME],
    ['fieldsType', STRING],
    ['fieldsV1', { type: 'object' }],
    ['subresource', STRING],
  ]),
};

/** The metadata of every object, for kinds whose schema does not spell it out. */
export const OBJECT_META: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['name', STRING],
    ['generateName', STRING],
    ['namespace', STRING],
    ['selfLink', STRING],
    ['uid', STRING],
    ['resourceVersion', STRING],
    ['generation', INTEGER],
    ['creationTimestamp', TIME],
    ['deletionTimestamp', TIME],
    ['deletionGracePeriodSeconds', INTEGER],
    ['labels', STRING_MAP],
    ['annotations', STRING_MAP],
    ['finalizers', { type: 'array', items: STRING, listType: 'set', patchStrategy: 'merge' }],
    [
      'ownerReferences',
      {
        type: 'array',
        items: OWNER_REFERENCE,
        listType: 'map',
        listMapKeys: ['uid'],
        patchStrategy: 'merge',
        patchMergeKey: 'uid',
      },
    ],
    ['managedFields', { type: 'array', items: MANAGED_FIELDS_ENTRY, listType: 'atomic' }],
  ]),
};
