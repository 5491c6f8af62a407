import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../model/object.ts';
import { readSchema } from './read-schema.ts';
import { schemaProblems } from './schema-problems.ts';
import { validateValue } from './validate-value.ts';

function schemaWith(rule: JsonMap): JsonMap {
  return {
    type: 'object',
    properties: { memory: { type: 'string' }, hosts: { type: 'array', items: { type: 'string' } } },
    'x-kubernetes-validations': [rule],
  };
}

const SPEC = 'spec.schema';

describe('the rule of a definition', () => {
  it.each([
    ["quantity(self.memory).isLessThan(quantity('1Gi'))", { memory: '512Mi' }, { memory: '2Gi' }],
    ["self.hosts.all(h, url('https://' + h).getPort() == '443')", { hosts: ['a:443'] }, { hosts: ['a:80'] }],
    ["self.hosts.all(h, cidr('10.0.0.0/8').containsIP(h))", { hosts: ['10.1.1.1'] }, { hosts: ['11.1.1.1'] }],
    ['self.hosts.isSorted()', { hosts: ['a', 'b'] }, { hosts: ['b', 'a'] }],
    ['self.hosts.all(h, !format.dns1123Label().validate(h).hasValue())', { hosts: ['a-b'] }, { hosts: ['A_B'] }],
    ['self.hosts.all(i, h, self.hosts.indexOf(h) == i)', { hosts: ['a', 'b'] }, { hosts: ['a', 'a'] }],
  ])('is kept with the functions of Kubernetes: %s', (rule, good, bad) => {
    const props = schemaWith({ rule, message: 'broken' });
    expect(schemaProblems(props, SPEC)).toEqual([]);
    const schema = readSchema(props);
    expect(validateValue(good, schema, { path: 'spec' })).toEqual([]);
    expect(validateValue(bad, schema, { path: 'spec' })).toEqual([
      expect.objectContaining({ message: expect.stringContaining('broken') as string }),
    ]);
  });

  it.each([
    ['number', {}, 'self * 2.0 < 5.0', 1, 3],
    ['integer', {}, 'self * 2 < 5', 1, 3],
    ['string', { format: 'duration' }, "self < duration('24h')", '1h', '3 days'],
    [
      'string',
      { format: 'date-time' },
      "self < timestamp('2024-01-01T00:00:00Z')",
      '2023-01-01T00:00:00Z',
      '2024-01-01T00:00:00.001Z',
    ],
    ['string', { format: 'date' }, "self < timestamp('2024-01-01T00:00:00Z')", '2023-12-31', '2024-01-01'],
    ['string', { format: 'byte' }, "self == b'hello'", 'aGVsbG8=', 'aGVsbA=='],
    ['string', {}, "self < 'b'", 'a', 'b'],
  ])('knows what a %s with %j is: %s', (type, more, rule, good, bad) => {
    const props = { type, ...more, 'x-kubernetes-validations': [{ rule, message: 'broken' }] };
    expect(schemaProblems({ type: 'object', properties: { f: props } }, SPEC)).toEqual([]);
    const schema = readSchema(props);
    expect(validateValue(good, schema, { path: 'spec.f' })).toEqual([]);
    expect(validateValue(bad, schema, { path: 'spec.f' })).toEqual([
      expect.objectContaining({ field: 'spec.f', message: expect.stringContaining('broken') as string }),
    ]);
  });

  it.each(['has(self.package) != has(self.host)', 'has(self.__package__) != has(self.host)'])(
    'reads a field that is named like a word of CEL: %s',
    (rule) => {
      const fields = { package: { type: 'string' }, host: { type: 'string' } };
      const props = { type: 'object', properties: fields, 'x-kubernetes-validations': [{ rule, message: 'broken' }] };
      const schema = readSchema(props);
      const problems = (value: JsonMap): number => validateValue(value, schema, { path: 'spec' }).length;
      expect([{ package: 'a' }, { host: 'a' }, {}, { package: 'a', host: 'a' }].map(problems)).toEqual([0, 0, 1, 1]);
    },
  );

  it('is broken by a value of a type that it cannot look at', () => {
    const schema = readSchema(schemaWith({ rule: 'self.memory + 1 == 2' }));
    expect(validateValue({ memory: '1' }, schema, { path: 'spec' })).toEqual([
      expect.objectContaining({ message: expect.stringContaining('no such overload evaluating rule') as string }),
    ]);
  });

  it.each([
    ['unknown(self.memory)', '1:1: unknown function unknown'],
    ['math.greatest(1, 2) == 2', '1:6: unknown function greatest'],
    ["authorizer.path('/x') == self.memory", '1:12: unknown function path'],
    ["self.memory.find(')') == ''", 'error parsing regexp'],
    ['size(self.memory)', 'the result must be a bool, and this is an int'],
  ])('is refused with the definition where it does not compile: %s', (rule, why) => {
    expect(schemaProblems(schemaWith({ rule }), SPEC)).toEqual([
      expect.objectContaining({
        field: `${SPEC}.x-kubernetes-validations[0].rule`,
        message: expect.stringMatching(new RegExp(`compilation failed: .*${why.replaceAll(/[()]/g, '.')}`)) as string,
      }),
    ]);
  });

  it('is refused where its message does not compile', () => {
    const rule = { rule: 'self.memory != ""', messageExpression: 'size(self.memory)' };
    expect(schemaProblems(schemaWith(rule), SPEC)).toEqual([
      expect.objectContaining({
        field: `${SPEC}.x-kubernetes-validations[0].messageExpression`,
        message: expect.stringContaining(
          'messageExpression compilation failed: 1:1: the result must be a string, and this is an int',
        ) as string,
      }),
    ]);
  });
});
