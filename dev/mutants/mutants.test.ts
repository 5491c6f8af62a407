import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './list/index.ts';
import { type Mutant, plant } from './mutant.ts';
import { runMutants } from './run.ts';
import { judgeMutant, type RunEvent, UNMUTATED } from './verdict.ts';

const killedBy = { file: 'dev/mutants/fixture/sum.check.ts', test: 'sum adds all' };

function mutant(id: string, changes: Partial<Mutant> = {}): Mutant {
  return {
    id,
    promise: 'P1',
    file: 'dev/mutants/fixture/sum.ts',
    search: 'total += each',
    replace: 'total = each',
    killedBy,
    ...changes,
  };
}

describe('plant', () => {
  it.each([
    ['none', 'let b = 1;'],
    ['two', 'let a = a;'],
  ])('refuses a text that occurs not once but %s times', (_count, text) => {
    expect(() => plant(text, mutant('m', { search: 'a' }))).toThrow();
  });

  it('takes the replacement literally', () => {
    expect(plant('x = a;', mutant('m', { search: 'a', replace: '$&$1' }))).toBe('x = $&$1;');
  });
});

describe('judgeMutant', () => {
  const test = (project: string, state: string, name = 'sum adds all'): RunEvent => ({
    kind: 'test',
    project,
    file: killedBy.file,
    name,
    state,
  });
  const ended = (project: string, ...errors: readonly string[]): RunEvent => ({
    kind: 'module',
    project,
    file: killedBy.file,
    errors,
  });

  it.each([
    ['the named test fails with the fault', [test(UNMUTATED, 'passed'), test('m', 'failed')], 'killed'],
    ['the named test passes with the fault', [test(UNMUTATED, 'passed'), test('m', 'passed'), ended('m')], 'survived'],
    [
      'only another test fails with the fault',
      [test(UNMUTATED, 'passed'), test('m', 'passed'), test('m', 'failed', 'sum is broken')],
      'survived',
    ],
    ['the named test fails anyway', [test(UNMUTATED, 'failed'), test('m', 'failed')], 'unusable'],
    ['there is no such test', [test(UNMUTATED, 'passed', 'else'), test('m', 'failed', 'else')], 'unusable'],
    ['the file does not load with the fault', [test(UNMUTATED, 'passed'), ended('m', 'syntax')], 'unusable'],
    ['the run was cut off', [test(UNMUTATED, 'passed')], 'unusable'],
  ])('%s', (_name, events, kind) => {
    expect(judgeMutant(mutant('m'), events).kind).toBe(kind);
  });
});

it('runs the named tests on sources with faults in them', { timeout: 60_000 }, async () => {
  const evens = { search: 'value % 2 === 0', file: 'dev/mutants/fixture/sum.ts' };
  const judged = await runMutants([
    mutant('caught'),
    mutant('missed', {
      ...evens,
      replace: 'true',
      killedBy: { ...killedBy, test: 'isEven > is asked for one number only' },
    }),
    mutant('broken-anyway', { killedBy: { ...killedBy, test: 'sum is broken on purpose' } }),
    mutant('not-there', { search: 'nowhere' }),
    mutant('does-not-compile', { ...evens, replace: '(' }),
  ]);
  expect(judged.map(({ mutant: { id }, verdict }) => [id, verdict.kind])).toEqual([
    ['caught', 'killed'],
    ['missed', 'survived'],
    ['broken-anyway', 'unusable'],
    ['not-there', 'unusable'],
    ['does-not-compile', 'unusable'],
  ]);
});

describe('the list', () => {
  it('has unique ids, none of them the name of the run without a fault', () => {
    const ids = [UNMUTATED, ...MUTANTS.map(({ id }) => id)];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(MUTANTS)('$id can be planted', (each) => {
    expect(plant(readFileSync(each.file, 'utf8'), each)).not.toBe('');
  });
});
