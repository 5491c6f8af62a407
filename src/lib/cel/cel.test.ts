import { isCelError, isCelList, run } from '@bufbuild/cel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCel, evaluate, type Outcome } from './cel.ts';
import type { CelValue } from './values.ts';

function outcomeOf(expression: string, variables: Readonly<Record<string, unknown>> = {}): Outcome {
  const compilation = compileCel(expression);
  if (compilation.kind === 'invalid') return { kind: 'error', message: compilation.message };
  return evaluate(compilation.program, variables);
}

/** A list of two lists of two lists … of one number. */
const TREE = `optional.of([1])${'.optMap(t, [t, t])'.repeat(40)}`;

describe('an expression', () => {
  it.each([
    ['whole numbers are ints', 'x.replicas + 1 == 4', { replicas: 3 }],
    ['others are doubles', 'x.ratio + 0.5 == 1.25', { ratio: 0.75 }],
    ['null is there', 'has(x.a) && x.a == null', { a: null }],
    ['undefined is not', '!has(x.a)', { a: undefined }],
    ['a key of the prototype is not', "!has(x.toString) && !('constructor' in x)", {}],
    ['characters are code points', "x.t.size() == 2 && x.t.charAt(0) == '😀' && x.t.indexOf('b') == 1", { t: '😀b' }],
    ['texts are ordered by code points', "'\\uffff' < x.t", { t: '😀' }],
    ['names in back-quotes', 'x.`a.b/c` == 1 && has(x.`a.b/c`)', { 'a.b/c': 1 }],
    ['a leading dot passes the variable of a macro', '[1].all(x, .x.a == 2 && x == 1)', { a: 2 }],
    ['an optional entry', "{?'a': x.?nope, ?'b': x.?b} == {'b': 1}", { b: 1 }],
    ['marks inside texts are text', "x.a == '`,?.{?' // .`?", { a: '`,?.{?' }],
    ['the smallest int', 'x.a > -9223372036854775808', { a: 0 }],
    ['one true term makes good a fault', 'x.nope == 1 || x.a == 1', { a: 1 }],
    ['summer time', "timestamp(x.t).getHours('Europe/Berlin') == 14", { t: '2024-07-01T12:00:00Z' }],
    ['a duration', "duration(x.d) == duration('1h30m')", { d: '90m' }],
    ['a time across zones', "timestamp(x.t) == timestamp('2024-01-01T00:00:00Z')", { t: '2024-01-01T02:00:00+02:00' }],
  ])('%s', (_case, expression, x) => {
    expect(outcomeOf(expression, { x })).toEqual({ kind: 'value', value: true });
  });

  it.each([
    ['a variable', 'nope.a', 'nope'],
    ['a field', 'x.a.b == 1', 'x.a.b'],
    ['a key', "x['a']['b'] == 1", "x['a']['b']"],
    ['a field of nothing', 'x.n.b == 1', 'x.n.b'],
    ['a quoted field', 'x.`a/b` == 1', 'x.`a/b`'],
    ['inside a macro', '[x].all(y, y.b == 1)', 'y.b'],
  ])('F16 tells a field that is not there from an error: %s', (_case, expression, path) => {
    expect(outcomeOf(expression, { x: { a: {}, n: null } })).toEqual({ kind: 'missing', path });
  });

  it.each([
    ['a division by zero', '1 / x.zero == 1'],
    ['an overflow', 'x.big * x.big == 1'],
    ['an index beyond the end', 'x.list[3] == 1'],
    ['types that do not fit', "x.zero + 'a' == ''"],
    ['a day that does not exist', 'timestamp(x.day) > timestamp(0)'],
    ['bytes that are no text', "string(b'\\xff') == ''"],
    ['an unknown zone', "timestamp(0).getHours('No/Where') == 1"],
  ])('gives an error: %s', (_case, expression) => {
    const x = { zero: 0, big: 2 ** 60, list: [], day: '2024-02-30T00:00:00Z' };
    expect(outcomeOf(expression, { x }).kind).toBe('error');
  });

  it.each([
    ['a loop in a loop in a loop', 'x.all(a, x.all(b, x.all(c, a + b + c >= 0)))'],
    ['a text that doubles', `optional.of('aaaa')${'.optMap(t, t + t)'.repeat(100)}.hasValue()`],
    ['two trees that double', `${TREE} == ${TREE}`],
    ['a printed tree', `optional.of([1])${'.optMap(t, [t, t])'.repeat(40)}.optMap(t, '%s'.format([t])).hasValue()`],
    ['a big replacement', "s.replace('', s) == ''"],
    ['a join', "s.split('').join(s) == ''"],
    ['a set', 'sets.contains(x, x)'],
    ['a search in a loop', 'x.all(a, a in x)'],
    ['a pattern on a big text', "big.matches('(a|b|ab)*c')"],
    ['a pattern that grows', 's.matches(p)'],
    ['zones in a loop', "x.all(a, timestamp(a).getHours('Europe/Berlin') >= 0)"],
  ])('is given up before it holds up the rest: %s', (_case, expression) => {
    const s = 'a'.repeat(20_000);
    const variables = { x: Array.from({ length: 2000 }, (_, i) => i), s, big: s.repeat(50), p: '((a{900}){900}){900}' };
    const outcome = outcomeOf(expression, variables);
    expect(outcome.kind).toBe('error');
    expect(outcome).toHaveProperty('message', expect.stringContaining('too much work'));
  });

  it('matches without backtracking', () => {
    expect(outcomeOf("x.matches('^(a+)+$')", { x: `${'a'.repeat(2000)}b` })).toEqual({ kind: 'value', value: false });
  });

  it.each([
    ['brackets', '('.repeat(5000)],
    ['lists', '['.repeat(5000)],
    ['a chain of fields', `a${'.b'.repeat(4000)}`],
    ['a sum', `1${' + 1'.repeat(1000)} == 1`],
    ['negations', `${'!'.repeat(5000)}true`],
    ['conditions', `${'true ? '.repeat(100)}true${' : true'.repeat(100)}`],
    ['quotes', '"\\'.repeat(4000)],
    ['back-quotes', '`'.repeat(9000)],
    ['an optional entry in a list', '[?x, ?y] == []'],
    ['an optional entry with brackets around its key', "{?('a'): x.?a} == {}"],
    ['a missing argument', 'x.exists(c, )'],
  ])('is refused, however it is nested: %s', (_case, expression) => {
    expect(compileCel(expression).kind).toBe('invalid');
  });

  it('P8 is refused, or evaluated to something, whatever it is', () => {
    const pieces = [
      'x',
      '.',
      'a',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '?',
      ':',
      ',',
      '`',
      "'",
      '"',
      '\\',
      '+',
      '-',
      '!',
      '&&',
    ];
    const words = [
      'all',
      'has',
      'size',
      '1',
      '0u',
      '.5',
      '==',
      '<',
      'in',
      ' ',
      '\n',
      '//',
      'b',
      'r',
      "'''",
      '||',
      '%',
      '😀',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 20 }), (parts) => {
        const outcome = outcomeOf(parts.join(''), { x: { a: [1, 'b'] } });
        return ['value', 'missing', 'error'].includes(outcome.kind);
      }),
    );
  });
});

/** Expressions of the part of the language that both know, with types that often do not fit. */
const { expression } = fc.letrec<{ readonly expression: string; readonly leaf: string }>((tie) => ({
  leaf: fc.constantFrom(
    '1',
    '-2',
    '0',
    '3u',
    '1.5',
    "'a'",
    "'ab'",
    '""',
    'true',
    'false',
    'null',
    '[]',
    "['a', 'b']",
    '[1, 2]',
    "{'a': 1}",
    'x',
    'x.a',
    'x.n',
    'x.list',
    'x.t',
    'x.nope',
  ),
  expression: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    tie('leaf'),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', '&&', '||'),
        tie('expression'),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(fc.constantFrom("'a'", '1', '1.5', 'x.t'), tie('expression'))
      .map(([value, range]) => `(${value} in ${range})`),
    tie('expression').map((operand) => `!(${operand} == true)`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
    tie('expression').map((operand) => `size(${operand})`),
    fc.tuple(tie('expression'), tie('expression')).map(([list, index]) => `(${list})[${index}]`),
    fc
      .tuple(tie('expression'), fc.constantFrom('contains', 'startsWith', 'endsWith'), tie('expression'))
      .map(([text, name, other]) => `(${text}).${name}(${other})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('all', 'exists', 'exists_one', 'filter', 'map'), tie('expression'))
      .map(([range, name, step]) => `(${range}).${name}(v, v == 1 || ${step})`),
  ),
}));

/** Comparable with what the other implementation gives. */
function plain(value: unknown): unknown {
  if (isCelList(value)) return Array.from(value, plain);
  return typeof value === 'object' && value !== null ? '[object Object]' : value;
}

function ours(value: CelValue): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value.kind === 'list') return Array.from({ length: value.length }, (_, index) => ours(value.at(index)));
  return '[object Object]';
}

describe('compared with another implementation', () => {
  const x = { a: 1n, n: null, list: [1n, 'a'], t: 'text' };

  it('P8 random expressions have the same value, or none in both', () => {
    fc.assert(
      fc.property(expression, (text) => {
        const theirs = run(text, { x });
        const outcome = outcomeOf(text, { x: { a: 1, n: null, list: [1, 'a'], t: 'text' } });
        const mine = outcome.kind === 'value' ? ours(outcome.value) : 'no value';
        expect(mine).toEqual(isCelError(theirs) ? 'no value' : plain(theirs));
      }),
      { numRuns: 500 },
    );
  });
});
