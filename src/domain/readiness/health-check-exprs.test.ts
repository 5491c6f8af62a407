import { describe, expect, it } from 'vitest';
import { condition, widget } from '../../../test/build/readiness-objects.ts';
import { judgeHealthCheckExpr, matchesHealthCheck } from './health-check-exprs.ts';

const READY = "status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')";
const FAILED = "status.conditions.exists(c, c.type == 'Ready' && c.status == 'False')";
const base = { apiVersion: 'example.dev/v1', kind: 'Widget', current: READY };

function judge(status: unknown, more = {}) {
  return judgeHealthCheckExpr({ ...base, ...more }, widget({ status }));
}

const withReady = (status: string) => ({ conditions: [condition('Ready', status)] });

describe('a CEL health check', () => {
  it.each([
    ['the same', 'example.dev/v1', 'Widget', true],
    ['another version', 'example.dev/v9', 'Widget', true],
    ['every kind of the group', 'example.dev/v1', '', true],
    ['another kind', 'example.dev/v1', 'Gadget', false],
    ['another group', 'other.dev/v1', 'Widget', false],
    ['the core group', 'v1', 'Widget', false],
    ['no API version', 'a/b/c', 'Widget', false],
  ])('P8 is about objects by group and kind: %s', (_case, apiVersion, kind, matches) => {
    expect(matchesHealthCheck({ apiVersion, kind }, { apiVersion: 'example.dev/v1', kind: 'Widget' })).toBe(matches);
  });

  it.each([
    ['ready', withReady('True'), {}, 'ready'],
    ['not ready', withReady('False'), {}, 'progressing'],
    ['failed', withReady('False'), { failed: FAILED }, 'failed'],
    ['inProgress before failed', withReady('False'), { failed: FAILED, inProgress: 'true' }, 'progressing'],
    ['failed before current', withReady('True'), { failed: 'true' }, 'failed'],
    ['empty ones are not asked', withReady('True'), { failed: '', inProgress: '' }, 'ready'],
    ['an old status', { observedGeneration: 1, ...withReady('True') }, {}, 'progressing'],
    ['a status from the future', { observedGeneration: 3, ...withReady('True') }, {}, 'progressing'],
    ['a fault in failed ends it', withReady('True'), { failed: 'status.nope' }, 'progressing'],
    ['no answer', withReady('True'), { current: 'status.conditions' }, 'unknown'],
    ['no such overload', withReady('True'), { current: "status.conditions + 'a' == ''" }, 'unknown'],
    ['not compiled', withReady('True'), { current: 'status.' }, 'unknown'],
    ['no current', withReady('True'), { current: '' }, 'unknown'],
  ])('P8 gives the verdict of Flux: %s', (_case, status, more, verdict) => {
    expect(judge(status, more).status).toBe(verdict);
  });

  it.each([
    ['no status', undefined, READY, 'status'],
    ['no conditions', {}, READY, 'status.conditions'],
    ['no reason', withReady('True'), "status.conditions.all(c, c.reason == 'x')", 'c.reason'],
    ['no version', {}, "status.?a.orValue('') == '' && status.version == 'v2'", 'status.version'],
  ])('F16 waits for a field and names it: %s', (_case, status, current, path) => {
    const verdict = judge(status, { current });
    expect(verdict).toMatchObject({ status: 'progressing', reason: 'FieldMissing' });
    expect(verdict.message).toContain(` ${path} `);
  });
});
