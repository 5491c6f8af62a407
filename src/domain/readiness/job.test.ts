import { describe, expect, it } from 'vitest';
import { condition, job, judge } from '../../../test/build/readiness-objects.ts';
import { ANNOTATION } from '../../api/names.ts';
import { DEFAULT_READINESS_OPTIONS } from './verdict.ts';

const STARTED = { ...DEFAULT_READINESS_OPTIONS, jobs: 'Started' } as const;
const startTime = '2024-05-01T10:00:01Z';
const complete = { startTime, conditions: [condition('Complete', 'True')] };
const failed = { startTime, conditions: [condition('Failed', 'True', { reason: 'BackoffLimitExceeded' })] };

const spellings = [0, 1, 6].flatMap((backoffLimit) =>
  ['Never', 'OnFailure'].map((restartPolicy) => [backoffLimit, restartPolicy] as const),
);

function specOf(backoffLimit: number, restartPolicy: string): object {
  return { backoffLimit, activeDeadlineSeconds: 600, template: { spec: { restartPolicy, containers: [] } } };
}

describe('a Job', () => {
  it.each(spellings)('F46 that succeeded is ready: backoffLimit %i, restartPolicy %s', (limit, policy) => {
    expect(judge(job(specOf(limit, policy), { ...complete, succeeded: 1, failed: limit })).status).toBe('ready');
  });

  it.each(spellings)('F47 that failed is failed at once: backoffLimit %i, restartPolicy %s', (limit, policy) => {
    const verdict = judge(job(specOf(limit, policy), { ...failed, failed: 0 }));
    expect(verdict).toMatchObject({ status: 'failed', reason: 'BackoffLimitExceeded', final: true });
  });

  it.each([
    ['its deadline passed', [condition('Failed', 'True', { reason: 'DeadlineExceeded' })], 'DeadlineExceeded'],
    [
      'a pod failure policy ended it',
      [condition('Failed', 'True', { reason: 'PodFailurePolicy' })],
      'PodFailurePolicy',
    ],
    [
      'its pods are being stopped',
      [condition('FailureTarget', 'True', { reason: 'BackoffLimitExceeded' })],
      'BackoffLimitExceeded',
    ],
    ['it is complete too', [condition('Complete', 'True'), condition('Failed', 'True', { reason: 'Odd' })], 'Odd'],
  ])('F47 is failed when %s', (_case, conditions, reason) => {
    expect(judge(job({}, { startTime, conditions }))).toMatchObject({ status: 'failed', reason, final: true });
  });

  it.each([
    ['not started', {}],
    ['started, no pod yet', { startTime }],
    ['running', { startTime, active: 1 }],
    ['all completions counted', { startTime, succeeded: 1 }],
    ['more failures than allowed counted', { startTime, active: 1, failed: 7 }],
    ['success decided, pods still ending', { startTime, conditions: [condition('SuccessCriteriaMet', 'True')] }],
    ['Complete False', { startTime, conditions: [condition('Complete', 'False')] }],
    ['Failed Unknown', { startTime, conditions: [condition('Failed', 'Unknown')] }],
  ])('R1 that has merely begun is not ready, and counters decide nothing: %s', (_case, status) => {
    expect(judge(job({}, status))).toMatchObject({ status: 'progressing', reason: 'Running' });
  });

  it('that is suspended waits, and says so', () => {
    const verdict = judge(job({ suspend: true }, { startTime, active: 1 }));
    expect(verdict).toMatchObject({ status: 'progressing', reason: 'Suspended' });
    expect(verdict.message).toContain('spec.suspend');
  });

  it.each([
    ['DeadlineExceeded', 'as it had not completed at the deadline'],
    ['ComponentFailed', 'as its hook had failed'],
  ])('that kubepkg has stopped is not said to be suspended by anybody else: %s', (code, why) => {
    const stopped = job({ suspend: true }, { startTime, active: 0 });
    const annotations = { [ANNOTATION.stoppedFor]: code };
    const verdict = judge({ ...stopped, metadata: { ...stopped.metadata, annotations } });
    // No failure of its own: at a missed deadline, a raised timeout has to stay a reason to try again.
    expect(verdict).toMatchObject({ status: 'progressing', reason: 'Stopped' });
    expect(verdict.message).toContain(why);
  });

  it.each([
    ['not started', {}, {}, 'progressing'],
    ['started, no pod yet', {}, { startTime }, 'progressing'],
    ['running', {}, { startTime, active: 1 }, 'ready'],
    ['suspended', { suspend: true }, { startTime, active: 1 }, 'progressing'],
    ['failed', {}, { ...failed, active: 1 }, 'failed'],
  ])('needs only to have started when the component says so: %s', (_case, spec, status, verdict) => {
    expect(judge(job(spec, status), { options: STARTED }).status).toBe(verdict);
  });

  it('names its counts', () => {
    expect(judge(job({ completions: 3 }, { active: 1, succeeded: 1, failed: 2 })).message).toBe(
      '1 of 3 completed, 1 pods active, 2 failed',
    );
  });
});
