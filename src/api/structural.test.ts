import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { int32, timestamp } from './schema.ts';
import { structuralSchema } from './structural.ts';

describe('structuralSchema', () => {
  it.each<[string, z.ZodType, object]>([
    ['a plain integer is an int64 without bounds', z.int(), { type: 'integer', format: 'int64' }],
    ['an int32 has no bounds of its own', int32, { type: 'integer', format: 'int32' }],
    ['a bound that says something stays', int32.min(1), { type: 'integer', format: 'int32', minimum: 1 }],
    ['a zero bound stays', z.int().min(0).max(5), { type: 'integer', format: 'int64', minimum: 0, maximum: 5 }],
    ['a literal is an enum of one', z.literal('a'), { type: 'string', enum: ['a'] }],
    ['a date-time has no pattern', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['a timestamp is a date-time', timestamp, { type: 'string', format: 'date-time' }],
    [
      'a default and a description stay',
      z.string().default('x').describe('X.'),
      {
        type: 'string',
        default: 'x',
        description: 'X.',
      },
    ],
    [
      'a record loses its propertyNames',
      z.record(z.string(), z.boolean()),
      {
        type: 'object',
        additionalProperties: { type: 'boolean' },
      },
    ],
    [
      'what is kept whole has no additionalProperties',
      z.record(z.string(), z.unknown()).meta({ 'x-kubernetes-preserve-unknown-fields': true }),
      {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
      },
    ],
    [
      'a field with a default is not required',
      z.object({ a: z.string(), b: z.string().default('b') }),
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string', default: 'b' } },
        required: ['a'],
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(structuralSchema(schema)).toEqual(expected);
  });

  it('spells a schema out each time it is used', () => {
    const shared = z.object({ a: z.string() });
    const node = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    expect(structuralSchema(z.object({ x: shared.optional(), y: z.array(shared).optional() }))).toEqual({
      type: 'object',
      properties: { x: node, y: { type: 'array', items: node } },
    });
  });

  const cyclic: z.ZodType = z.object({ children: z.array(z.lazy(() => cyclic)) });

  it.each<[string, z.ZodType]>([
    ['a cycle', cyclic],
    ['a strict object', z.object({ a: z.strictObject({}) })],
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a value of any type', z.object({ a: z.array(z.unknown()) })],
    ['a map of anything', z.record(z.string(), z.unknown())],
  ])('refuses %s', (_, schema) => {
    expect(() => structuralSchema(schema)).toThrow();
  });

  it('says where the fault is', () => {
    expect(() => structuralSchema(z.object({ a: z.strictObject({}) }))).toThrow('schema of a is a strict object');
    expect(() => structuralSchema(z.object({ a: z.array(z.unknown()) }))).toThrow('a.[] has no type');
  });
});
