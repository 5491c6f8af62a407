import { describe, expect, it } from 'vitest';
import { remoteSchemaRefs } from './schema-refs.ts';

const REMOTE = 'https://example.com/defs.json';

describe('F83 a schema', () => {
  it.each<[string, unknown]>([
    ['refers to another address', { properties: { a: { $ref: `${REMOTE}#/definitions/x` } } }],
    ['refers to one deep inside', { allOf: [{ if: {}, then: { items: [{ $ref: REMOTE }] } }] }],
    [
      'has an address of its own and refers to a neighbour',
      { $id: 'https://example.com/root.json', $ref: 'defs.json' },
    ],
    ['has a property of that name beside a reference', { properties: { $ref: { type: 'string' } }, $ref: REMOTE }],
  ])('%s: helm would fetch it', (_, schema) => {
    expect(remoteSchemaRefs(JSON.stringify(schema))).toEqual([REMOTE]);
  });

  it.each<[string, unknown]>([
    ['refers to itself', { $ref: '#/definitions/x', definitions: { x: {} } }],
    ['refers to itself by its address', { $id: REMOTE, properties: { a: { $ref: `${REMOTE}#/definitions/x` } } }],
    ['refers to a part that has an address', { definitions: { x: { $id: REMOTE } }, $ref: REMOTE }],
    ['refers to a dialect that is built in', { $ref: 'http://json-schema.org/draft-07/schema#' }],
    ['names its dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['has such an address as data', { default: { $ref: REMOTE }, enum: [{ $ref: REMOTE }] }],
    ['has a property of that name', { properties: { $ref: { type: 'string' } } }],
  ])('%s: nothing is fetched', (_, schema) => {
    expect(remoteSchemaRefs(JSON.stringify(schema))).toEqual([]);
  });

  it('that is no JSON is for helm to refuse', () => {
    expect(remoteSchemaRefs('{')).toEqual([]);
  });
});
