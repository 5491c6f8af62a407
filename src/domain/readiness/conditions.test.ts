import { describe, expect, it } from 'vitest';
import { condition, widget } from '../../../test/build/readiness-objects.ts';
import { describeCondition, generationEvidence, parseGeneration } from './conditions.ts';

describe('an observed generation', () => {
  it.each([
    [2, 2],
    ['2', 2],
    [0, 0],
    [-1, -1],
    ['-1', undefined],
    ['', undefined],
    ['2a', undefined],
    [1.5, undefined],
    [true, undefined],
    [null, undefined],
  ])('%j is read as %j', (written, expected) => {
    expect(parseGeneration(written)).toBe(expected);
  });
});

describe('evidence about the generation', () => {
  const on = (observedGeneration?: unknown) => [condition('Ready', 'True', { observedGeneration })];

  it.each([
    ['the condition, which goes first', { observedGeneration: 1, conditions: on(2) }, 'current'],
    ['the condition, also when it is behind', { observedGeneration: 2, conditions: on(1) }, 'stale'],
    ['the condition, when the status has none', { conditions: on(1) }, 'stale'],
    ['the status, when the condition has none', { observedGeneration: 2, conditions: on() }, 'current'],
    ['the status, written as text', { observedGeneration: '1', conditions: on() }, 'stale'],
    ['the condition that is furthest behind', { conditions: [...on(2), ...on(1)] }, 'stale'],
    ['nothing', { conditions: on() }, 'none'],
    ['a condition that is malformed', { observedGeneration: 2, conditions: on(true) }, 'malformed'],
  ])('is taken from %s', (_case, status, kind) => {
    expect(generationEvidence(widget({ status }), 'Ready').kind).toBe(kind);
  });

  it('is none for an object without a generation', () => {
    const object = { ...widget({ status: { observedGeneration: 1 } }), metadata: { name: 'web' } };
    expect(generationEvidence(object).kind).toBe('none');
  });
});

describe('a condition in words', () => {
  it.each([
    ['not there', [], 'condition Ready is not there yet'],
    [
      'False',
      [condition('Ready', 'False', { reason: 'Busy', message: 'two left' })],
      'condition Ready is False: Busy: two left',
    ],
    ['behind', [condition('Ready', 'True', { observedGeneration: 1 })], 'condition Ready is about generation 1 of 2'],
    ['told twice', [condition('Ready', 'True'), condition('Ready', 'False')], 'condition Ready is False'],
    ['malformed', [{ type: 'Ready' }], 'condition Ready is malformed'],
  ])('%s', (_case, conditions, text) => {
    expect(describeCondition(widget({ status: { conditions } }), 'Ready')).toBe(text);
  });
});
