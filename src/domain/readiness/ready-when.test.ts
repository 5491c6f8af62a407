import { describe, expect, it } from 'vitest';
import { condition, widget } from '../../../test/build/readiness-objects.ts';
import type { ReadyWhen } from '../../api/readiness.ts';
import { evaluateReadyWhen } from './ready-when.ts';

const entry: ReadyWhen = {
  apiVersion: 'example.dev/v1',
  kind: 'Widget',
  name: 'web',
  condition: 'Available',
  status: 'True',
};
const served = { served: true };
const available = (status: string, more = {}) => condition('Available', status, more);

function evaluate(status: unknown, changes: Partial<ReadyWhen> = {}) {
  return evaluateReadyWhen({ ...entry, ...changes }, widget({ status }), served);
}

describe('an entry of readyWhen', () => {
  it('P7 waits for a kind that is not served yet', () => {
    expect(evaluateReadyWhen(entry, undefined, { served: false })).toMatchObject({
      status: 'progressing',
      reason: 'KindNotServed',
    });
  });

  it('P7 waits for an object that does not exist yet', () => {
    expect(evaluateReadyWhen(entry, undefined, served)).toMatchObject({ status: 'progressing', reason: 'NotFound' });
  });

  it('F13 waits for a status, and asks whether anyone writes it', () => {
    const verdict = evaluate(undefined);
    expect(verdict).toMatchObject({ status: 'progressing', reason: 'NoStatus' });
    expect(verdict.message).toContain('controller');
  });

  it('R6 does not hold for an object that is being deleted', () => {
    const object = widget({
      metadata: { deletionTimestamp: '2024-05-01T10:00:00Z' },
      status: { observedGeneration: 2, conditions: [available('True')] },
    });
    expect(evaluateReadyWhen(entry, object, served).status).toBe('terminating');
  });

  it.each([
    ['the status that is wanted', [available('True')], 'True', 'ready'],
    ['another status', [available('False')], 'True', 'progressing'],
    ['False, as wanted', [available('False')], 'False', 'ready'],
    ['Unknown, which is not True', [available('Unknown')], 'True', 'progressing'],
    ['Unknown, which is not False', [available('Unknown')], 'False', 'progressing'],
    ['another spelling', [available('true')], 'True', 'progressing'],
    ['white space', [available('True ')], 'True', 'progressing'],
    ['a boolean', [{ type: 'Available', status: true }], 'True', 'progressing'],
    ['no status', [{ type: 'Available' }], 'True', 'progressing'],
    ['another type', [condition('available', 'True')], 'True', 'progressing'],
    ['a text instead of an entry', ['Available'], 'True', 'progressing'],
    ['two entries that agree', [available('True'), available('True')], 'True', 'ready'],
    ['two entries that differ', [available('True'), available('False')], 'True', 'progressing'],
    ['no conditions', undefined, 'True', 'progressing'],
    ['a map of conditions', { Available: 'True' }, 'True', 'progressing'],
  ])('passes on an exact match only: %s', (_case, conditions, status, verdict) => {
    expect(evaluate({ observedGeneration: 2, conditions }, { status }).status).toBe(verdict);
  });

  it.each([
    [
      'F15 the condition is about generation 1',
      { conditions: [available('True', { observedGeneration: 1 })] },
      'progressing',
    ],
    [
      'F15 the condition is about generation 2',
      { conditions: [available('True', { observedGeneration: 2 })] },
      'ready',
    ],
    [
      'F23 only the condition has a generation',
      { conditions: [available('True', { observedGeneration: 2 })] },
      'ready',
    ],
    ['R6 the status is about generation 1', { observedGeneration: 1, conditions: [available('True')] }, 'progressing'],
    ['R6 the status is about generation 2', { observedGeneration: 2, conditions: [available('True')] }, 'ready'],
    [
      'the status is about generation 1, in text',
      { observedGeneration: '1', conditions: [available('True')] },
      'progressing',
    ],
    [
      'the status is about generation 2, in text',
      { observedGeneration: '2', conditions: [available('True')] },
      'ready',
    ],
    [
      'the condition is current, the status is behind',
      { observedGeneration: 1, conditions: [available('True', { observedGeneration: 2 })] },
      'ready',
    ],
    [
      'the condition names no number',
      { conditions: [available('True', { observedGeneration: 'two' })] },
      'progressing',
    ],
    ['the status names no number', { observedGeneration: 'two', conditions: [available('True')] }, 'progressing'],
    ['nothing has a generation', { conditions: [available('True')] }, 'ready'],
  ])('holds for the generation that it has to: %s', (_case, status, verdict) => {
    expect(evaluate(status).status).toBe(verdict);
  });

  it.each([
    ['on the condition', { conditions: [available('True', { observedGeneration: 1 })] }],
    ['on the status', { observedGeneration: 1, conditions: [available('True')] }],
  ])('can opt out of the guard: %s', (_case, status) => {
    expect(evaluate(status, { observedGeneration: 'Ignore' }).status).toBe('ready');
  });

  it('names the current value and the one that is wanted', () => {
    const conditions = [available('False', { reason: 'Starting', message: 'two pods left' })];
    expect(evaluate({ conditions }).message).toBe(
      'condition Available is False: Starting: two pods left; True is wanted',
    );
  });

  it('F25 several entries are judged on one snapshot', () => {
    const status = {
      conditions: [available('True'), condition('Progressing', 'False'), condition('Degraded', 'True')],
    };
    const verdicts = [
      evaluate(status),
      evaluate(status, { condition: 'Progressing', status: 'False' }),
      evaluate(status, { condition: 'Degraded', status: 'False' }),
    ];
    expect(verdicts.map((verdict) => verdict.status)).toEqual(['ready', 'ready', 'progressing']);
  });
});

describe('an expression of readyWhen', () => {
  function judge(expression: string, status: unknown, changes: Partial<ReadyWhen> = {}) {
    const { condition: _condition, ...rest } = entry;
    return evaluateReadyWhen({ ...rest, expression, ...changes }, widget({ status }), served);
  }

  it.each([
    ['true', "status.phase == 'Deployed'", { phase: 'Deployed' }, 'ready', 'Ready'],
    ['false', "status.phase == 'Deployed'", { phase: 'Deploying' }, 'progressing', 'ExpressionNotMet'],
    ['on the whole object', "self.status.phase == 'Deployed'", { phase: 'Deployed' }, 'ready', 'Ready'],
    ['not on the status', "kind == 'Widget'", undefined, 'ready', 'Ready'],
    ['F16 a missing field', "status.phase == 'Deployed'", {}, 'progressing', 'FieldMissing'],
    ['F13 no status', "status.phase == 'Deployed'", undefined, 'progressing', 'NoStatus'],
    ['F13 no status, by self', "self.status.phase == 'Deployed'", undefined, 'progressing', 'NoStatus'],
    ['no bool', 'status.phase', { phase: 'Deployed' }, 'unknown', 'EvaluationError'],
    ['not compiled', 'status.', { phase: 'Deployed' }, 'unknown', 'EvaluationError'],
    ['R6 an old status', 'status.ok == true', { ok: true, observedGeneration: 1 }, 'progressing', 'NotObserved'],
    ['R6 a current status', 'status.ok == true', { ok: true, observedGeneration: 2 }, 'ready', 'Ready'],
  ])('P7 %s', (_case, expression, status, verdict, reason) => {
    expect(judge(expression, status)).toMatchObject({ status: verdict, reason });
  });

  it('can opt out of the guard', () => {
    const status = { ok: true, observedGeneration: 1 };
    expect(judge('status.ok == true', status, { observedGeneration: 'Ignore' }).status).toBe('ready');
  });
});
