import { describe, expect, it } from 'vitest';
import { compileCel, evaluate, type Outcome } from '../cel.ts';
import { KUBERNETES } from '../library.ts';
import { DYN } from '../types.ts';

const OPTIONS = { variables: new Map([['self', DYN.type]]), library: KUBERNETES, mayBeUnknown: true };

function outcomeOf(expression: string, self: unknown = {}): Outcome {
  const compilation = compileCel(expression, OPTIONS);
  if (compilation.kind === 'invalid') return { kind: 'error', message: compilation.message };
  return evaluate(compilation.program, { self });
}

const TRUE = { kind: 'value', value: true };

describe('lists', () => {
  const self = {
    ints: [1, 2, 2, 3],
    unsorted: [2, 1],
    none: [],
    texts: ['a', 'b', 'b', 'c'],
    ratios: [0.5, 1.5],
    objs: [
      { f1: 'a', f2: 'a' },
      { f1: 'a', f2: 'b' },
      { f1: 'a', f2: 'b' },
    ],
  };

  it.each([
    'self.ints.sum() == 8 && self.none.sum() == 0 && self.ratios.sum() == 2.0',
    'self.ints.min() == 1 && self.ints.max() == 3 && self.texts.min() == "a" && self.texts.max() == "c"',
    'self.ints.isSorted() && self.none.isSorted() && self.texts.isSorted() && !self.unsorted.isSorted()',
    'self.ints.indexOf(2) == 1 && self.ints.lastIndexOf(2) == 2',
    'self.ints.indexOf(10) == -1 && self.ints.lastIndexOf(10) == -1',
    '[[1], [2]].indexOf([1]) == 0',
    "[{'a': 1}, {'b': 2}].lastIndexOf({'b': 2}) == 1",
    'self.objs.indexOf(self.objs[1]) == 1 && self.objs.lastIndexOf(self.objs[1]) == 2',
    '([0] + self.none).min() == 0',
    'dyn([]).sum() == 0 && dyn([1, 2]).sum() == 3 && dyn([1.0, 2.0]).sum() == 3.0 && [].sum() == 0',
    "[duration('1m'), duration('1s')].sum() == duration('1m1s') && [1u, 3u].sum() == 4u",
    "[timestamp('2020-01-01T00:00:00Z'), timestamp('2019-01-01T00:00:00Z')].min() == timestamp('2019-01-01T00:00:00Z')",
    '[3, 1, 2].sort() == [1, 2, 3] && ["b", "a"].sort() == ["a", "b"] && [].sort() == []',
    "self.objs.sortBy(o, o.f2 == 'a')[2].f2 == 'a' && [-3, 1, -2].sortBy(e, e * e) == [1, -2, -3]",
    '[1, 2, 2, 3, 1].distinct() == [1, 2, 3] && [[1], [1]].distinct() == [[1]]',
    '[[1], [2, 3]].flatten() == [1, 2, 3] && [[[1]], [[2]]].flatten() == [[1], [2]]',
    '[[[1]], [[2]]].flatten(2) == [1, 2] && [[1]].flatten(0) == [[1]]',
    '[1, 2, 3].reverse() == [3, 2, 1] && [1, 2, 3, 4].slice(1, 3) == [2, 3] && lists.range(3) == [0, 1, 2]',
    "'abcb'.indexOf('b') == 1 && 'abcb'.lastIndexOf('b') == 3",
  ])('%s', (expression) => {
    expect(outcomeOf(expression, self)).toEqual(TRUE);
  });

  it.each([
    ['self.none.min() == 1', 'min called on empty list'],
    ['self.none.max() == 1', 'max called on empty list'],
    ["['a', 'b'].sum() == 'c'", 'sum() cannot be applied to list(string).()'],
    ['self.texts.sum() == 1', 'no such overload: sum(string)'],
    ['[[1], [2]].min() == [1]', 'min() cannot be applied to list(list(int)).()'],
    ["[{'a': 1}, {'b': 2}].max() == {'b': 2}", 'max() cannot be applied to list(map(string, int)).()'],
    ['self.objs.sort() == []', 'list elements must be comparable'],
    ["[dyn(1), dyn('a')].sort() == []", 'list elements must have the same type'],
    ['[1].flatten(-1) == [1]', 'level must be non-negative'],
    ['[1].slice(0, 2) == [1]', 'cannot slice(0, 2), list is length 1'],
    ['[1].slice(1, 0) == [1]', 'start index must be less than or equal to end index'],
    ['[1].slice(-1, 0) == [1]', 'negative indexes not supported'],
    ['lists.range(1000000).size() > 0', 'too much work'],
    ["'ab'.reverse() == 'ba'", 'reverse() cannot be applied to string.()'],
  ])('fail: %s', (expression, message) => {
    expect(outcomeOf(expression, self)).toEqual({ kind: 'error', message: expect.stringContaining(message) as string });
  });
});

describe('macros with two variables', () => {
  it.each([
    '[1, 2, 3].all(i, v, i < v) && ![1, 2, 0].all(i, v, i < v)',
    "{'a': 1}.exists(k, v, k == 'a' && v == 1) && !self.m.exists(k, v, v > 2)",
    '[1, 2, 2].existsOne(i, v, v == 2 && i == 1) && ![1, 2, 2].existsOne(i, v, v == 2)',
    '[1, 2, 2].existsOne(v, v == 1) && [1, 2, 2].exists_one(i, v, v == 1)',
    '[1, 2, 3].transformList(i, v, i * v) == [0, 2, 6]',
    '[1, 2, 3].transformList(i, v, i > 0, i * v) == [2, 6]',
    "self.m.transformMap(k, v, v + 1) == {'x': 2, 'y': 3}",
    "self.m.transformMap(k, v, k != 'x', v + 1) == {'y': 3}",
    "self.m.transformMapEntry(k, v, {v: k}) == {1: 'x', 2: 'y'}",
    "self.m.transformMapEntry(k, v, v > 1, {v: k}) == {2: 'y'}",
  ])('%s', (expression) => {
    expect(outcomeOf(expression, { m: { x: 1, y: 2 } })).toEqual(TRUE);
  });

  it.each([
    ['[1, 1].transformMapEntry(i, v, {v: i}).size() == 1', 'a key is there already'],
    ['[1].transformMapEntry(i, v, v).size() == 1', 'transformMapEntry() wants a map, and this is an int'],
    ['[1].all(i, 2, true)', 'must be a simple name'],
    ["[1].all(i, v, v == 'a')", '== cannot be applied to int and string'],
  ])('fail: %s', (expression, message) => {
    expect(outcomeOf(expression)).toEqual({ kind: 'error', message: expect.stringContaining(message) as string });
  });
});

describe('patterns', () => {
  it.each([
    "self.find('[0-9]+') == '123' && self.find('xyz') == ''",
    "self.findAll('[0-9]+') == ['123', '456']",
    "self.findAll('[0-9]+', 0) == []",
    "self.findAll('[0-9]+', 1) == ['123']",
    "self.findAll('[0-9]+', 2) == ['123', '456']",
    "self.findAll('[0-9]+', 3) == ['123', '456']",
    "self.findAll('[0-9]+', -1) == ['123', '456']",
    "self.findAll('xyz') == [] && self.findAll('xyz', 1) == []",
    "'baaab'.findAll('a*') == ['', 'aaa', '']",
  ])('%s', (expression) => {
    expect(outcomeOf(expression, 'this is a 123 string 456')).toEqual(TRUE);
  });

  it.each(["self.find(')') == ''", "self.findAll(')') == []", "self.findAll(')', 1) == []"])(
    'are refused before they are used: %s',
    (expression) => {
      expect(compileCel(expression, OPTIONS)).toEqual({
        kind: 'invalid',
        message: expect.stringContaining('error parsing regexp') as string,
      });
    },
  );
});

describe('formats', () => {
  it.each([
    ['dns1123Label', 'my-label-name'],
    ['dns1123Subdomain', 'apiextensions.k8s.io'],
    ['dns1035Label', 'my-label-name'],
    ['qualifiedName', 'apiextensions.k8s.io/v1beta1'],
    ['qualifiedName', 'my.name'],
    ['dns1123LabelPrefix', 'my-label-prefix-'],
    ['dns1123SubdomainPrefix', 'mysubdomain.prefix.-'],
    ['dns1035LabelPrefix', 'my-label-prefix-'],
    ['labelValue', 'my-cool-label-Value'],
    ['labelValue', ''],
    ['uri', 'http://example.com'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
    ['byte', 'aGVsbG8='],
    ['date', '2024-02-29'],
    ['datetime', '2021-01-01T00:00:00Z'],
    ['datetime', '2021-01-01t23:59:59.123+02:00'],
  ])('%s is %j', (name, text) => {
    const expression = `!format.${name}().validate(self).hasValue() && format.named('${name}').value() == format.${name}()`;
    expect(outcomeOf(expression, text)).toEqual(TRUE);
  });

  const LABEL =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  const SUBDOMAIN =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const LABEL_1035 =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  const KEY =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const VALUE =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

  it.each([
    ['dns1123Label', 'contains a space', [LABEL]],
    ['dns1123Label', 'a.b', ['must not contain dots']],
    ['dns1123Label', 'a'.repeat(64), ['must be no more than 63 bytes']],
    ['dns1123Subdomain', 'contains a space', [SUBDOMAIN]],
    ['dns1035Label', 'contains a space', [LABEL_1035]],
    ['qualifiedName', 'contains a space', [`name part ${KEY}`]],
    ['qualifiedName', '/a', ['prefix part must be non-empty']],
    [
      'qualifiedName',
      'a/b/c',
      [`a valid label key ${KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    ['dns1123LabelPrefix', 'contains a space-', [LABEL]],
    ['dns1123SubdomainPrefix', 'contains a space-', [SUBDOMAIN]],
    ['dns1035LabelPrefix', 'contains a space-', [LABEL_1035]],
    ['labelValue', 'my-cool-label-Value!!\n\n!!!', [VALUE]],
    ['uri', 'example.com', ['parse "example.com": invalid URI for request']],
    ['uuid', '123', ['does not match the UUID format']],
    ['byte', 'aGVsbG8', ['invalid base64']],
    ['date', '2020-01-32', ['invalid date']],
    ['date', '2023-02-29', ['invalid date']],
    ['datetime', '2020-01-32T00:00:00Z', ['invalid datetime']],
    ['datetime', '2020-01-01T24:00:00Z', ['invalid datetime']],
  ])('%s is not %j', (name, text, problems) => {
    const expression = `format.${name}().validate(self.text).value() == self.problems`;
    expect(outcomeOf(expression, { text, problems })).toEqual(TRUE);
  });

  it('has no format of an unknown name, and tells formats apart', () => {
    expect(outcomeOf("!format.named('unknown').hasValue() && format.uri() != format.uuid()")).toEqual(TRUE);
  });

  it('formats values of different types', () => {
    expect(outcomeOf("'%d %s %.1f'.format([1, 'abc', 1.0]) == '1 abc 1.0'")).toEqual(TRUE);
  });
});

describe('what an API server refuses', () => {
  it.each([
    ['unknown(self)', '1:1: unknown function unknown'],
    ['self.unknown()', '1:6: unknown function unknown'],
    ["base64.decode('YQ==') == b'a'", 'unknown function decode'],
    ['math.greatest(1, 2) == 2', 'unknown function greatest'],
    ['cel.bind(x, 1, x == 1)', 'unknown function bind'],
    ["authorizer.path('/').check('get').allowed()", 'unknown function allowed'],
    ['1 + 1', 'the result must be a bool, and this is an int'],
  ])('%s', (expression, message) => {
    expect(compileCel(expression, OPTIONS)).toEqual({
      kind: 'invalid',
      message: expect.stringContaining(message) as string,
    });
  });

  it('may be a text, where that is wanted', () => {
    const options = { ...OPTIONS, result: { name: 'string' } } as const;
    expect(compileCel("'a' + 'b'", options).kind).toBe('compiled');
    expect(compileCel('self.a', options).kind).toBe('compiled');
    expect(compileCel('1 == 1', options)).toEqual({
      kind: 'invalid',
      message: '1:1: the result must be a string, and this is a bool',
    });
  });
});
