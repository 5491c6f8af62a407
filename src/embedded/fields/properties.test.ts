import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_SCHEMA, owners, type Step, take } from '../../../test/build/owned-object.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import { compare } from './compare.ts';
import { isEmptySet, pathsOf } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { parseFieldsV1 } from './fields-v1.ts';
import { pathText } from './path-element.ts';
import { objectType } from './type.ts';

const text = fc.constantFrom('x', 'y', 'z');
const number = fc.integer({ min: 0, max: 2 });

/** Nothing is empty: what is and had fields before goes, owned or not, and comes back with the next apply. */
function part(model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonMap> {
  return fc.record(model, { requiredKeys: [] }).filter((value) => Object.keys(value).length > 0);
}

function byKey(item: fc.Arbitrary<JsonMap>, key: string): fc.Arbitrary<readonly JsonMap[]> {
  return fc.uniqueArray(item, { selector: (value) => value[key], minLength: 1, maxLength: 3 });
}

const inner = part({ a: text, b: text });
const item = fc.record({ name: text, value: number, inner }, { requiredKeys: ['name'] });

const spec = part({
  name: text,
  replicas: number,
  nested: part({ a: text, b: text, deep: part({ c: text }) }),
  labels: fc.dictionary(text, text, { minKeys: 1 }),
  whole: inner,
  list: byKey(item, 'name'),
  set: fc.uniqueArray(text, { minLength: 1 }),
  args: fc.array(text, { minLength: 1, maxLength: 2 }),
  free: fc.dictionary(
    text,
    fc.oneof(number, fc.dictionary(text, number, { minKeys: 1 }), fc.array(number, { minLength: 1, maxLength: 2 })),
    { minKeys: 1 },
  ),
});

const RUNS = { numRuns: 50 };

const managers = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ by: managers, apply: fc.constant(true as const), force: fc.constant(true as const), spec }),
  fc.record({ by: managers, spec }),
);
const steps = fc.array(step, { minLength: 1, maxLength: 6 });

function run(all: readonly Step[]): StoredObject {
  const object = all.reduce<StoredObject | undefined>(take, undefined);
  if (object === undefined) throw new Error('no step');
  return object;
}

describe('ownership, whatever happens', () => {
  it('applying the same again changes nothing', () => {
    fc.assert(
      fc.property(steps, spec, (before, wanted) => {
        const apply: Step = { by: 'a', apply: true, force: true, spec: wanted };
        const once = take(run(before), apply);
        // Empty lists of items are nobody's, and an object that is nobody's gets an owner at the next apply.
        fc.pre(owners(once).length > 0);
        expect(take(once, { ...apply, time: '2026-01-02T00:00:00Z' })).toEqual(once);
      }),
      RUNS,
    );
  });

  it('what is applied is there', () => {
    fc.assert(
      fc.property(steps, spec, (before, wanted) => {
        const object = take(run(before), { by: 'a', apply: true, force: true, spec: wanted });
        const type = objectType(EXAMPLE_SCHEMA);
        const there = new Set(everyPath(object, type));
        const missing = pathsOf(fieldsOf(type, { spec: wanted }))
          .map(pathText)
          .filter((path) => !there.has(path));
        expect(missing.filter((path) => path !== '.spec')).toEqual([]);
      }),
      RUNS,
    );
  });

  it('applying nothing takes exactly what the manager alone owned', () => {
    fc.assert(
      fc.property(steps, spec, (before, wanted) => {
        const others = run(before.map((one) => (one.by === 'a' ? { ...one, by: 'b' } : one)));
        const added = take(others, { by: 'a', apply: true, spec: additions(others, wanted) });
        const left = take(added, { by: 'a', apply: true });
        const type = objectType(EXAMPLE_SCHEMA);
        const { modified, removed } = compare(type, others, left);
        const unowned = pathsOf(removed).map(pathText);
        expect(
          pathsOf(modified)
            .map(pathText)
            .filter((path) => !path.startsWith('.metadata')),
        ).toEqual([]);
        expect(unowned.filter((path) => ownersOfPath(others, path).length > 0)).toEqual([]);
        expect(owners(left).filter((line) => line.startsWith('a Apply'))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('managers own only what is there', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const object = run(all);
        const type = objectType(EXAMPLE_SCHEMA);
        for (const entry of object.metadata.managedFields ?? []) {
          expect(isEmptySet(parseFieldsV1(entry.fieldsV1))).toBe(false);
        }
        const there = new Set(everyPath(object, type));
        const owned = (object.metadata.managedFields ?? []).flatMap(({ fieldsV1 }) =>
          pathsOf(parseFieldsV1(fieldsV1)).map(pathText),
        );
        expect(owned.filter((path) => !there.has(path))).toEqual([]);
      }),
      RUNS,
    );
  });
});

/** Of a wish, the fields that the object does not have. */
function additions(object: StoredObject, wanted: JsonMap): JsonMap {
  const live = (object.spec ?? {}) as JsonMap;
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => !Object.hasOwn(live, key)));
}

function ownersOfPath(object: StoredObject, path: string): readonly string[] {
  return (object.metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => pathsOf(parseFieldsV1(fieldsV1)).some((owned) => pathText(owned) === path))
    .map(({ manager }) => manager);
}

/** With containers, which updates own, too. */
function everyPath(object: StoredObject, type: ReturnType<typeof objectType>): readonly string[] {
  const paths = pathsOf(fieldsOf(type, object));
  const all = paths.flatMap((path) => path.map((_, index) => path.slice(0, index + 1)));
  const containers = pathsOf(compare(type, {}, object).added);
  return [...all, ...containers].map(pathText);
}
