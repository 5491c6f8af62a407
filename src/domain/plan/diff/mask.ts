import type { KubeObject } from '../../../api/kube.ts';
import { isRecord } from '../../../lib/json.ts';
import { stableJson } from '../../../lib/stable-json.ts';
import type { Aligned } from './align.ts';

/** Stands for a value that is not shown. */
export const HIDDEN = '(hidden)';
/** Of two hidden values that differ: no digest of them, as that would confirm a guess. */
export const HIDDEN_SIDES = { before: '(hidden, before)', after: '(hidden, after)' } as const;
/** Shorter values, and the words of YAML, are everywhere. */
const MIN_LENGTH = 4;
const WORDS: readonly string[] = ['true', 'false', 'null'];
/** Shorter values are hidden as whole words only. */
const MIN_LENGTH_INSIDE = 6;

/** What names an object is never hidden: every line about it begins with that. */
const IDENTITY: readonly string[] = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'];

export interface Mask {
  /** Whether all values below `data` are hidden, as in a Secret. */
  readonly hidesData: boolean;
  /** To be hidden wherever they stand, the longest first. No one pattern of them all: they can be megabytes. */
  readonly spellings: readonly string[];
}

/** A text with every one of these values hidden, wherever it stands. */
export function hideTexts(text: string, secretValues: readonly string[]): string {
  return hideText(text, maskFor(secretValues, false), HIDDEN);
}

/** An object with every one of these values hidden, wherever it stands but in what names the object. */
export function hideInObject(object: KubeObject, secretValues: readonly string[]): KubeObject {
  // Hiding keeps the shape.
  return hide(object, { mask: maskFor(secretValues, false), path: [] }) as KubeObject;
}

type Side = keyof typeof HIDDEN_SIDES;

export function maskFor(secretValues: readonly string[], hidesData: boolean): Mask {
  const spellings = secretValues
    .flatMap((value) => [
      value,
      value.trim(),
      ...value.split('\n').map((line) => line.trim()),
      escaped(value),
      base64(value),
    ])
    .filter((text) => text.length >= MIN_LENGTH && !WORDS.includes(text) && !text.startsWith('-----'));
  return { hidesData, spellings: [...new Set(spellings)].sort((a, b) => b.length - a.length) };
}

/** The same with every value hidden that is to be; where only hidden values differ, that they do is still to be seen. */
export function maskAligned(node: Aligned, mask: Mask, path: readonly string[] = []): Aligned {
  switch (node.kind) {
    case 'same':
      return { kind: 'same', value: hide(node.value, { mask, path }) };
    case 'value':
      return maskPair(node.before, node.after, { mask, path });
    case 'map':
      return {
        kind: 'map',
        fields: node.fields.map(({ key, node: child }) => ({ key, node: maskAligned(child, mask, [...path, key]) })),
      };
    case 'list':
      return {
        ...node,
        items: node.items.map(({ id, node: child }) => ({
          id: hide(id, { mask, path }),
          node: maskAligned(child, mask, path),
        })),
      };
  }
}

interface Hiding {
  readonly mask: Mask;
  readonly path: readonly string[];
  readonly side?: Side;
}

function maskPair(before: unknown, after: unknown, hiding: Hiding): Aligned {
  const [left, right] = [hide(before, hiding), hide(after, hiding)];
  if (left === undefined || right === undefined || stableJson(left) !== stableJson(right)) {
    return { kind: 'value', before: left, after: right };
  }
  return {
    kind: 'value',
    before: hide(before, { ...hiding, side: 'before' }),
    after: hide(after, { ...hiding, side: 'after' }),
  };
}

function hide(value: unknown, hiding: Hiding): unknown {
  const { mask, path } = hiding;
  if (Array.isArray(value)) return value.map((item: unknown) => hide(item, hiding));
  if (isRecord(value)) {
    const hidden = Object.entries(value).map(([key, item]) => [key, hide(item, { ...hiding, path: [...path, key] })]);
    return Object.fromEntries(hidden) as unknown;
  }
  const mark = hiding.side === undefined ? HIDDEN : HIDDEN_SIDES[hiding.side];
  if (mask.hidesData && path[0] === 'data' && value !== undefined) return mark;
  if (IDENTITY.includes(path.join('.'))) return value;
  return hideScalar(value, mask, mark);
}

function hideScalar(value: unknown, mask: Mask, mark: string): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = hideText(String(value), mask, mark);
  return text === String(value) ? value : text;
}

function hideText(text: string, { spellings }: Mask, mark: string): string {
  return spellings
    .filter((spelling) => text.includes(spelling))
    .reduce((hidden, spelling) => hidden.replaceAll(searchFor(spelling), mark), text);
}

function searchFor(spelling: string): string | RegExp {
  if (spelling.length >= MIN_LENGTH_INSIDE) return spelling;
  const literal = spelling.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (char) => (char === '-' ? '\\x2d' : `\\${char}`));
  return new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, 'gu');
}

/** As it stands in JSON that is a text itself. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
