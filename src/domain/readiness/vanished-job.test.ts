import { describe, expect, it } from 'vitest';
import { condition, job } from '../../../test/build/readiness-objects.ts';
import { judgeVanishedJob, type VanishedJob } from './vanished-job.ts';
import { DEFAULT_READINESS_OPTIONS } from './verdict.ts';

const CONTEXT = { options: DEFAULT_READINESS_OPTIONS, related: [], siblings: [], served: () => undefined };
const done = job({}, { conditions: [condition('Complete', 'True')] });
const broken = job({}, { conditions: [condition('Failed', 'True', { reason: 'BackoffLimitExceeded' })] });
const running = job({}, { active: 1, startTime: '2026-01-01T00:00:00Z' });

describe('F49 a Job that its time to live has removed', () => {
  it.each<[string, VanishedJob, string, boolean | undefined]>([
    ['seen to succeed, of a component', { last: done, isHook: false }, 'ready', undefined],
    ['seen to succeed, of a hook', { last: done, isHook: true }, 'ready', undefined],
    ['seen to fail, of a component', { last: broken, isHook: false }, 'failed', true],
    ['seen to fail, of a hook', { last: broken, isHook: true }, 'failed', true],
    ['never seen, of a component', { last: undefined, isHook: false }, 'ready', undefined],
    ['never seen, of a hook', { last: undefined, isHook: true }, 'failed', true],
    ['last seen running, of a component', { last: running, isHook: false }, 'ready', undefined],
    ['last seen running, of a hook', { last: running, isHook: true }, 'failed', true],
  ])('%s, is %s', (_say, vanished, status, final) => {
    const verdict = judgeVanishedJob(vanished, CONTEXT);
    expect([verdict.status, verdict.final]).toEqual([status, final]);
  });

  it('is said where nobody saw its end', () => {
    const unseen = 'finished and removed before its end was observed';
    expect(judgeVanishedJob({ last: undefined, isHook: false }, CONTEXT).note).toBe(unseen);
    expect(judgeVanishedJob({ last: undefined, isHook: true }, CONTEXT).message).toContain(unseen);
  });
});
