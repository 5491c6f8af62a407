import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { goYaml } from './document.ts';

/** Values, and what `sigs.k8s.io/yaml/goyaml.v2` wrote of them with their keys sorted as Flux sorts them. */
const WRITTEN_BY_GO = JSON.parse(
  readFileSync(new URL('../../../../test/fixtures/go-yaml.json', import.meta.url), 'utf8'),
) as readonly (readonly [JsonObject, string])[];

describe('values as Flux writes them', () => {
  it.each(WRITTEN_BY_GO)('%j', (values, written) => {
    expect(goYaml(values)).toBe(written);
  });

  it.each<[string, JsonObject]>([
    ['a line separator', { a: 'one\u2028two' }],
    ['a byte order mark', { a: '\ufeffa' }],
    ['half a surrogate pair', { a: '\ud800' }],
    ['a key of several lines', { 'a\nb': 1 }],
    ['a key that is too long for a line', { ['k'.repeat(129)]: 1 }],
    ['a map in a list in a list, whose keys Flux leaves in any order', { a: [[{ b: 1, c: 2 }]] }],
  ])('are not foretold for %s', (_, values) => {
    expect(goYaml(values)).toBeUndefined();
  });
});
