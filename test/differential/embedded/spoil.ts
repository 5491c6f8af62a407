import type { JsonMap } from '../../../src/embedded/model/object.ts';
import { isRecord } from '../../../src/lib/json.ts';
import type { Rng } from '../../simulation/prng.ts';

/** An object with one mistake in it. */
export function spoilt(rng: Rng, object: JsonMap): JsonMap {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  return rng.weighted<() => JsonMap>([
    [() => ({ ...object, apiVersion: 'example.org/v9' }), 1],
    [() => ({ ...object, kind: 'Other' }), 1],
    [() => without(object, rng.pick(['apiVersion', 'kind'])), 1],
    [() => ({ ...object, metadata: { ...metadata, name: rng.pick(['Bad_Name', '', '-x', 'three']) } }), 2],
    [() => ({ ...object, metadata: { ...metadata, namespace: 'elsewhere' } }), 1],
    [
      () => ({
        ...object,
        metadata: { ...metadata, labels: rng.pick<unknown>([{ 'bad key!': 'x' }, { a: 'bad value!' }, 'x', { a: 1 }]) },
      }),
      2,
    ],
    [() => ({ ...object, metadata: { ...metadata, finalizers: ['no-slash'] } }), 1],
    [() => ({ ...object, metadata: { ...metadata, resourceVersion: '1' } }), 1],
    [() => ({ ...object, unknown: 1 }), 2],
    [() => ({ ...object, metadata: { ...metadata, unknown: 1 } }), 1],
    [() => changedLeaf(rng, object), 6],
  ])();
}

function without(object: JsonMap, key: string): JsonMap {
  const { [key]: _gone, ...rest } = object;
  return rest;
}

/** A value of another type somewhere below the spec, or what stands in its place. */
function changedLeaf(rng: Rng, object: JsonMap): JsonMap {
  const keys = Object.keys(object).filter((key) => !['apiVersion', 'kind', 'metadata'].includes(key));
  const key = rng.pick(keys);
  return key === undefined ? object : { ...object, [key]: spoiltValue(rng, object[key]) };
}

function spoiltValue(rng: Rng, value: unknown): unknown {
  if (isRecord(value)) {
    const key = rng.chance(0.9) ? rng.pick(Object.keys(value)) : undefined;
    if (key !== undefined) return { ...value, [key]: spoiltValue(rng, value[key]) };
    return rng.pick<unknown>(['text', [1], { ...value, unknown: 'x' }]);
  }
  if (Array.isArray(value) && value.length > 0 && rng.chance(0.8)) {
    const index = rng.int(0, value.length - 1);
    return value.map((item, at): unknown => (at === index ? spoiltValue(rng, item) : item));
  }
  return rng.pick<unknown>([1, 'text', true, {}, [], [[1]], null, 1.5]);
}
