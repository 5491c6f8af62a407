import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml, parseYamlDocuments, writeYaml, YamlError } from './yaml.ts';

function failureOf(text: string): YamlError {
  try {
    parseYaml(text, 'values.yaml');
  } catch (error) {
    if (error instanceof YamlError) return error;
  }
  throw new Error(`read without complaint: ${text}`);
}

describe('reading', () => {
  // The right-hand side is what `kubectl annotate --local -o json` and helm's `toJson .Values` print.
  it.each([
    ['yes', true],
    ['on', true],
    ['y', true],
    ['TRUE', true],
    ['n', false],
    ['Off', false],
    ['~', null],
    ['Null', null],
    ['', null],
    ['0755', 493],
    ['0o755', 493],
    ['0b101', 5],
    ['-0b11', -3],
    ['0x1F', 31],
    ['0X1f', 31],
    ['1_000', 1000],
    ['1_', 1],
    ['0_7', 7],
    ['+5', 5],
    ['-0', 0],
    ['08', 8],
    ['1_000.5', 1000.5],
    ['.5', 0.5],
    ['+.5', 0.5],
    ['.5_0', 0.5],
    ['1.', 1],
    ['1e3', 1000],
    ['12e03', 12_000],
    ['1.5e+3', 1500],
    ['1e400', '1e400'],
    ['1:30', '1:30'],
    ['2026-01-02', '2026-01-02'],
    ['0o8', '0o8'],
    ['0b12', '0b12'],
    ['0x', '0x'],
    ['_1', '_1'],
    ['=', '='],
    ['"yes"', 'yes'],
    ["'012'", '012'],
    ['!!str 5', '5'],
    ['!!int "5"', 5],
    ['9007199254740991', 9_007_199_254_740_991],
    ['"9007199254740993"', '9007199254740993'],
    ['!!str 9007199254740993', '9007199254740993'],
    ['".inf"', '.inf'],
  ])('takes %s for what kubectl and helm take it', (text, value) => {
    expect(parseYaml(`- ${text}`, 'a.yaml')).toEqual([value]);
  });

  it.each([
    ['y: 1', { true: 1 }],
    ['Off: 1', { false: 1 }],
    ['1: 1', { '1': 1 }],
    ['a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}', { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
    ['{"a": [1, "b"]}', { a: [1, 'b'] }],
    ['', null],
    ['# only a comment', null],
    ['\ufeffa: 1', { a: 1 }],
  ])('reads %j as kubectl does', (text, value) => {
    expect(parseYaml(text, 'a.yaml')).toEqual(value);
  });

  it('gives all documents of a stream', () => {
    expect(parseYamlDocuments('a: 1\n---\n---\nb: 2\n', 'a.yaml')).toEqual([{ a: 1 }, null, { b: 2 }]);
  });

  it('does not let a key reach the prototype', () => {
    const value = parseYaml('__proto__: {polluted: true}', 'a.yaml');
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect('polluted' in {}).toBe(false);
  });
});

describe('refusing', () => {
  it.each([
    ['a: 1\nb: [', 2, 5],
    ['a: 1\na: 2', 2, 1],
    ['a:\n\t- 1', 2, 1],
    ['a: *x', 1, 5],
    ['n: 9007199254740993', 1, 4],
    ['a: 1\r\nn:\r\n  - -9007199254740993', 3, 5],
    ['n: 0x20000000000001', 1, 4],
    ['n: !!int 9007199254740993', 1, 10],
    ['9007199254740993: a', 1, 1],
    ['n: .inf', 1, 4],
    ['n: -.Inf', 1, 4],
    ['n: .NaN', 1, 4],
    ['n: !!binary aGVsbG8=', 1, 4],
    ['a: 1\n---\nb: 2', 1, 1],
  ])('names the place in %j', (text, line, column) => {
    const { file, line: foundLine, column: foundColumn } = failureOf(text);
    expect({ file, line: foundLine, column: foundColumn }).toEqual({ file: 'values.yaml', line, column });
  });

  it('begins its message with file, line and column', () => {
    expect(failureOf('a: 1\nn: 9007199254740993').message).toMatch(/^values\.yaml:2:4: .*9007199254740993/);
  });

  it('stops at a bomb of aliases, not at a few of them', () => {
    const aliases = (count: number): string =>
      `a: &a [x]\nb: [${Array.from({ length: count }, () => '*a').join(', ')}]`;
    expect(() => parseYaml(aliases(50), 'a.yaml')).not.toThrow();
    expect(() => parseYaml(aliases(51), 'a.yaml')).toThrow(YamlError);
  });

  it('stops at nesting without end', () => {
    expect(() => parseYaml('['.repeat(10_000), 'a.yaml')).toThrow(YamlError);
  });
});

describe('writing', () => {
  it('is read back as the same value, whatever it is', () => {
    const nasty = fc.constantFrom(
      'yes',
      'y',
      '0755',
      '0o7',
      '1_000',
      '1:30',
      '2026-01-02',
      '~',
      '',
      ' a',
      'a: b',
      '\u2028',
      '<<',
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(
          nasty,
          fc.string({ unit: 'binary' }),
          fc.maxSafeInteger(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.boolean(),
          fc.constant(null),
        ),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(nasty, fc.string()), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        // -0 is 0 in JSON, and integers beyond 2^53 are refused on reading.
        const plain: unknown = JSON.parse(JSON.stringify(value), (_, item: unknown) => {
          return Number.isInteger(item) && !Number.isSafeInteger(item) ? 0.5 : item;
        });
        expect(parseYaml(writeYaml(plain), 'a.yaml')).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });

  it('does not fold long lines and writes no aliases', () => {
    const shared = { text: 'word '.repeat(50).trim() };
    expect(writeYaml({ a: shared, b: shared })).toBe(`a:\n  text: ${shared.text}\nb:\n  text: ${shared.text}\n`);
  });
});
