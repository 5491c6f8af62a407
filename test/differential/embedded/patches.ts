import type { JsonMap } from '../../../src/embedded/model/object.ts';
import { isRecord } from '../../../src/lib/json.ts';
import type { Rng } from '../../simulation/prng.ts';
import type { Kind } from './kind.ts';
import { mapOf, maybe, word } from './values.ts';

/** A part of a whole body, and with it parts of the metadata. */
function part(rng: Rng, kind: Kind): JsonMap {
  const metadata = {
    ...maybe(rng, 0.4, () => ({ labels: mapOf(rng, (chance) => (chance.chance(0.3) ? null : word(chance))) })),
    ...maybe(rng, 0.2, () => ({ annotations: mapOf(rng, word) })),
    ...maybe(rng, 0.1, () => ({ finalizers: ['example.org/a', 'example.org/b'].slice(0, rng.int(0, 2)) })),
  };
  const body = thinned(rng, kind.body(rng)) as JsonMap;
  return { ...body, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
}

/** Leaves some fields out. */
function thinned(rng: Rng, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(() => rng.chance(0.7));
  return Object.fromEntries(kept.map(([key, item]) => [key, thinned(rng, item)]));
}

/** Sets some fields to null. */
function withNulls(rng: Rng, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, rng.chance(0.12) ? null : withNulls(rng, item)]),
  );
}

export function mergePatch(rng: Rng, kind: Kind): JsonMap {
  const patch = withNulls(rng, part(rng, kind)) as JsonMap;
  return rng.chance(0.04) ? { ...patch, unknown: { a: 1 } } : patch;
}

export function editPatch(rng: Rng, kind: Kind): JsonMap {
  return withNulls(rng, part(rng, kind)) as JsonMap;
}

export function jsonPatch(rng: Rng, kind: Kind): unknown {
  if (rng.chance(0.03)) return rng.pick<unknown>([{}, 'x', [1], [{ op: 'add' }], [{ path: '/a' }]]);
  const body: JsonMap = { metadata: { labels: { a: 'x' }, annotations: { b: 'y' } }, ...kind.body(rng) };
  const pointers = pointersIn(body);
  return Array.from({ length: rng.int(1, 3) }, () => operation(rng, pointers));
}

type Pointers = readonly (readonly [string, unknown])[];

function pointersIn(value: unknown, path = ''): Pointers {
  const own: Pointers = path === '' ? [] : [[path, value]];
  if (Array.isArray(value)) {
    const items = value.flatMap((item, index) => pointersIn(item, `${path}/${String(index)}`));
    return [...own, ...items, [`${path}/-`, value[0] ?? 'x'], [`${path}/9`, value[0] ?? 'x']];
  }
  if (!isRecord(value)) return own;
  return [...own, ...Object.entries(value).flatMap(([key, item]) => pointersIn(item, `${path}/${escaped(key)}`))];
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function operation(rng: Rng, pointers: Pointers): JsonMap {
  const [path, value] = rng.pick(pointers) ?? ['/metadata/labels', {}];
  const [from] = rng.pick(pointers) ?? ['/metadata/labels'];
  return rng.weighted<JsonMap>([
    [{ op: 'add', path, value }, 6],
    [{ op: 'replace', path, value }, 4],
    [{ op: 'remove', path }, 4],
    [{ op: 'test', path, value }, 2],
    [{ op: 'copy', from, path }, 1],
    [{ op: 'move', from, path }, 1],
    [{ op: 'bogus', path }, 0.2],
  ]);
}

export function strategicPatch(rng: Rng, kind: Kind): unknown {
  if (rng.chance(0.02)) return rng.pick<unknown>(['x', [1]]);
  return directed(rng, withNulls(rng, part(rng, kind)));
}

/** With directives here and there. */
function directed(rng: Rng, value: unknown): unknown {
  if (Array.isArray(value)) return directedItems(rng, value);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]) => directedField(rng, key, directed(rng, item)));
  const map = Object.fromEntries(entries);
  return rng.weighted<() => unknown>([
    [() => map, 30],
    [() => ({ ...map, $patch: rng.pick(['replace', 'delete', 'merge', 'bogus']) }), 1],
    [
      () => ({ ...map, $retainKeys: rng.chance(0.7) ? Object.keys(map).filter((key) => !key.startsWith('$')) : ['a'] }),
      1,
    ],
  ])();
}

/** Lists of maps that no key orders: asked to, a real API server breaks the connection off. */
const WITHOUT_KEYS: readonly string[] = ['egress', 'ingress', 'metrics', 'rules', 'tls'];

function directedField(rng: Rng, key: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(value)) return [[key, value]];
  if (isRecord(value[0])) {
    if (rng.chance(0.7) || WITHOUT_KEYS.includes(key)) return [[key, value]];
    const names = value.filter(isRecord).map((item) => Object.fromEntries(Object.entries(item).slice(0, 1)));
    return [
      [key, value],
      [`$setElementOrder/${key}`, rng.chance(0.8) ? names : names.toReversed()],
    ];
  }
  if (rng.chance(0.7)) return [[key, value]];
  return rng.chance(0.5)
    ? [[`$deleteFromPrimitiveList/${key}`, value]]
    : [
        [key, value],
        [`$setElementOrder/${key}`, value],
      ];
}

function directedItems(rng: Rng, items: readonly unknown[]): readonly unknown[] {
  const changed = items.map((item) =>
    isRecord(item) && rng.chance(0.12)
      ? {
          ...item,
          $patch: rng.weighted([
            ['delete', 6],
            ['replace', 1],
            ['bogus', 0.5],
          ]),
        }
      : item,
  );
  return rng.chance(0.03) && isRecord(items[0]) ? [...changed, { $patch: 'replace' }] : changed;
}
