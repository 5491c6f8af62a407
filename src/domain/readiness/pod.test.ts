import { describe, expect, it } from 'vitest';
import { condition, judge, pod } from '../../../test/build/readiness-objects.ts';

const crashing = {
  containerStatuses: [{ name: 'app', ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
};

describe('a Pod of its own', () => {
  it.each([
    ['F95 that exited with an error is failed', { phase: 'Failed' }, 'failed', 'PodFailed'],
    ['F95 that was evicted is failed', { phase: 'Failed', reason: 'Evicted' }, 'failed', 'Evicted'],
    ['that completed is ready', { phase: 'Succeeded', conditions: [condition('Ready', 'False')] }, 'ready', 'Ready'],
    ['that is ready is ready', { phase: 'Running', conditions: [condition('Ready', 'True')] }, 'ready', 'Ready'],
    [
      'that runs and is not ready progresses',
      { phase: 'Running', conditions: [condition('Ready', 'False')] },
      'progressing',
      'NotReady',
    ],
    [
      'on a lost node progresses',
      { phase: 'Running', conditions: [condition('Ready', 'Unknown')] },
      'progressing',
      'NotReady',
    ],
    ['that crashes and is restarted progresses', { phase: 'Running', ...crashing }, 'progressing', 'NotReady'],
    ['that nobody looked at progresses', undefined, 'progressing', 'NotReady'],
    ['in a phase that does not exist is unknown', { phase: 'Dancing' }, 'unknown', 'UnknownPhase'],
  ])('%s', (_case, status, verdict, reason) => {
    expect(judge(pod({ status }))).toMatchObject({ status: verdict, reason });
  });
});
