import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../lib/digest.ts';
import type { JsonObject } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { parseYaml } from '../../lib/yaml.ts';
import { valuesText } from './values-text.ts';

/** Numbers that the YAML of a package can hold. */
const NUMBER = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number));

describe('the text of values', () => {
  it('has the digest that Flux gives to them', () => {
    // Trace 21.
    const { text, configDigest } = valuesText({ nested: { b: 2, a: 1 }, msg: 'one', replicas: 1 });
    expect(text).toBe('msg: one\nnested:\n  a: 1\n  b: 2\nreplicas: 1\n');
    expect(configDigest).toBe(`sha256:${sha256(text)}`);
  });

  it('of none is an empty map, whose digest is that of nothing', () => {
    expect(valuesText({})).toEqual({ text: '{}\n', configDigest: `sha256:${sha256('')}` });
  });

  it('is JSON where the form of Flux would be read as something else, or is not known', () => {
    expect(valuesText({ '<<': 'x' }).text).toBe('{"<<":"x"}\n');
    expect(valuesText({ '<<': 'x' }).configDigest).toBe(`sha256:${sha256('<<: x\n')}`);
    expect(valuesText({ a: 'one\u2028\u007ftwo' })).toEqual({
      text: '{"a":"one\\u2028\\u007ftwo"}\n',
      configDigest: undefined,
    });
  });

  it('is read back as the same values, whatever they are', () => {
    const key = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('yes', '1', '<<', '', 'a: b'));
    const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), NUMBER);
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, leaf, fc.boolean(), fc.array(tie('tree')), fc.dictionary(key, tie('tree'))),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree), (values) => {
        const { text } = valuesText(values as JsonObject);
        expect(stableJson(parseYaml(text, 'values'))).toBe(stableJson(values));
      }),
    );
  });
});
