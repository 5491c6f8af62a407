import { describe, expect, it } from 'vitest';
import { failedDelivery, OURS, type Row, SUBMITTED, TOKEN, viewOf } from '../../../test/build/component-rows.ts';
import { NOW, present, PROGRESSING, READY, RUNNING, UNOBSERVED } from '../../../test/build/world.ts';
import {
  classifyComponent,
  COMPONENT_STATES,
  type ComponentState,
  FAILURE_GRACE_MS,
  UNREAD_GRACE_MS,
} from './classify-component.ts';

const ROWS: readonly Row[] = [
  {
    say: 'not begun, in its former place still',
    view: { release: { state: 'absent' }, formerPlaces: ['old/app'] },
    state: 'misplaced',
  },
  {
    say: 'P20 not begun, in both places',
    view: { release: present({ delivery: 'failed' }), formerPlaces: ['old/app'] },
    state: 'misplaced',
  },
  {
    say: 'not begun, uninstalled, with objects that are not gone',
    view: { release: present({ delivery: 'draining' }) },
    state: 'draining',
  },
  {
    say: 'I12 ready, and not to be read any more past its deadline',
    progress: { state: 'Ready', attempt: 1 },
    view: { release: { state: 'unknown', message: '' } },
    overdue: true,
    state: 'degraded',
  },
  { say: 'failed at this revision', progress: { state: 'Failed' }, state: 'failed' },
  { say: 'its delivery runs', progress: SUBMITTED, view: { delivery: RUNNING }, state: 'executing' },
  {
    say: 'its delivery runs past the deadline',
    progress: SUBMITTED,
    view: { delivery: RUNNING },
    overdue: true,
    state: 'overrunning',
  },
  { say: 'not begun, not read', view: { release: { state: 'unknown', message: '' } }, state: 'unknown' },
  { say: 'not begun, nothing there', state: 'absent' },
  {
    say: 'P21 not begun, somebody else is there',
    view: { release: { state: 'foreign', message: '' } },
    state: 'foreign',
  },
  {
    say: 'not begun, somebody else is there and we adopt',
    view: { release: { state: 'foreign', message: '' } },
    adopt: true,
    state: 'outOfSync',
  },
  {
    say: 'P21 not begun, another package has it, and we adopt: two packages never own one release',
    view: { release: { state: 'foreign', message: '', otherPackage: 'other' } },
    adopt: true,
    state: 'foreign',
  },
  {
    say: 'P22 not begun, right already',
    view: { release: present({ digest: 'digest-app', revision: 3 }), knownRevision: 3 },
    state: 'inSync',
  },
  {
    say: 'right digest on a record that we did not make',
    view: { release: present({ digest: 'digest-app', revision: 4 }), knownRevision: 3 },
    state: 'outOfSync',
  },
  {
    say: 'right digest on a record that failed',
    view: { release: present({ digest: 'digest-app', delivery: 'failed' }), knownRevision: 1 },
    state: 'outOfSync',
  },
  { say: 'another digest', view: { release: present({ digest: 'other' }), knownRevision: 1 }, state: 'outOfSync' },
  {
    say: 'not begun, and a dead process left it pending',
    view: { release: present({ delivery: 'pending' }) },
    state: 'locked',
  },
  {
    say: 'not begun, and a dead process left it half removed',
    view: { release: present({ delivery: 'removing' }) },
    state: 'removing',
  },
  { say: 'begun, and the backend knows nothing of it', progress: SUBMITTED, state: 'begun' },
  {
    say: 'begun, and only the former record is there',
    progress: SUBMITTED,
    view: { release: present({ token: 'former' }) },
    state: 'begun',
  },
  {
    say: 'P9 begun, and past the deadline no trace of it was ever seen: its time has not begun',
    progress: SUBMITTED,
    overdue: true,
    state: 'begun',
  },
  {
    say: 'P9 begun, its release seen and gone since, past the deadline',
    progress: SUBMITTED,
    view: { lastToken: TOKEN },
    overdue: true,
    state: 'overdue',
  },
  {
    say: 'P9 begun for the second time, past the deadline: its time began with the first',
    progress: { ...SUBMITTED, attempt: 2 },
    overdue: true,
    state: 'overdue',
  },
  {
    say: 'begun, the token is there and the record pending: a token is no delivery',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'pending' }) },
    state: 'locked',
  },
  {
    say: 'begun, half removed',
    progress: SUBMITTED,
    view: { release: present({ delivery: 'removing' }) },
    state: 'removing',
  },
  {
    say: 'begun, the record failed in a process that is dead',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'failed' }) },
    state: 'retryable',
  },
  {
    say: 'begun, somebody else is there',
    progress: SUBMITTED,
    view: { release: { state: 'foreign', message: '' } },
    state: 'foreign',
  },
  {
    say: 'begun, not read',
    progress: SUBMITTED,
    view: { release: { state: 'unknown', message: '' } },
    state: 'unknown',
  },
  {
    say: 'ended well, record not seen',
    progress: SUBMITTED,
    view: { delivery: { kind: 'accepted', token: TOKEN } },
    state: 'settling',
  },
  {
    say: 'ended with a terminal error',
    progress: SUBMITTED,
    view: { delivery: failedDelivery({ transient: false }) },
    state: 'refused',
  },
  {
    say: 'R11 ended with a transient error, in its pause',
    progress: SUBMITTED,
    view: { delivery: failedDelivery({ transient: true, retryAt: NOW + 1 }) },
    state: 'backingOff',
  },
  {
    say: 'R11 ended with a transient error, pause over',
    progress: SUBMITTED,
    view: { delivery: failedDelivery({ transient: true }) },
    state: 'retryable',
  },
  {
    say: 'ended with a transient error and left the record pending',
    progress: SUBMITTED,
    view: { delivery: failedDelivery({ transient: true }), release: present({ token: TOKEN, delivery: 'pending' }) },
    state: 'locked',
  },
  {
    say: 'transient error, past the deadline',
    progress: SUBMITTED,
    view: { delivery: failedDelivery({ transient: true }) },
    overdue: true,
    state: 'overdue',
  },
  { say: 'delivered, not noted yet', progress: SUBMITTED, view: { release: OURS }, state: 'delivered' },
  {
    say: 'delivered and noted, not ready',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: { release: OURS, health: PROGRESSING },
    state: 'progressing',
  },
  {
    say: 'delivered, not ready, past the deadline',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: { release: OURS, health: PROGRESSING },
    overdue: true,
    state: 'overdue',
  },
  {
    say: 'delivered, its objects not read',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: { release: OURS, health: UNOBSERVED },
    state: 'progressing',
  },
  { say: 'delivered and ready', progress: SUBMITTED, view: { release: OURS, health: READY }, state: 'healthy' },
  {
    say: 'delivered and ready at the very deadline',
    progress: SUBMITTED,
    view: { release: OURS, health: READY },
    overdue: true,
    state: 'healthy',
  },
  {
    say: 'delivered, failing within the grace period',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: {
      release: OURS,
      health: { status: 'failed', message: '', notes: [], failedSince: NOW - FAILURE_GRACE_MS + 1 },
    },
    state: 'progressing',
  },
  {
    say: 'F22 delivered, failing for longer than the grace period',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: { release: OURS, health: { status: 'failed', message: '', notes: [], failedSince: NOW - FAILURE_GRACE_MS } },
    state: 'unhealthy',
  },
  {
    say: 'F47 delivered, its Job failed: no grace',
    progress: SUBMITTED,
    view: { release: OURS, health: { status: 'failed', message: '', notes: [], final: true, failedSince: NOW } },
    state: 'unhealthy',
  },
  {
    say: 'delivered and noted, then replaced by somebody',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: { release: present({ token: TOKEN, revision: 2 }) },
    state: 'displaced',
  },
  {
    say: 'delivered and noted, then removed by somebody',
    progress: { ...SUBMITTED, backendRevision: 1 },
    state: 'displaced',
  },
  {
    say: 'accepted as right, not ready',
    progress: { state: 'Submitted', attempt: 0, backendRevision: 1 },
    view: { release: present({ digest: 'digest-app' }), knownRevision: 1, health: PROGRESSING },
    state: 'progressing',
  },
  {
    say: 'accepted as right, then removed by somebody: delivered like any other',
    progress: { state: 'Submitted', attempt: 0, backendRevision: 1 },
    state: 'absent',
  },
  { say: 'ready', progress: { state: 'Ready', attempt: 1 }, view: { release: OURS, health: READY }, state: 'ready' },
  {
    say: 'ready, after a restart not read yet',
    progress: { state: 'Ready', attempt: 1 },
    view: { release: OURS, health: UNOBSERVED },
    state: 'unknown',
  },
  {
    say: 'P1 was ready and is no more',
    progress: { state: 'Ready', attempt: 1 },
    view: { release: OURS, health: PROGRESSING },
    state: 'degraded',
  },
  {
    say: 'I8 was ready, release removed by somebody: nothing of it will ever be read',
    progress: { state: 'Ready', attempt: 1 },
    view: { health: UNOBSERVED },
    state: 'degraded',
  },
];

const HOOK_ROWS: readonly Row[] = [
  {
    say: 'P16 a hook that a controller is at work on',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'underway' }) },
    state: 'settling',
  },
  {
    say: 'P16 a hook that a controller was at work on for a former revision',
    view: { release: present({ token: 'former', delivery: 'underway' }) },
    state: 'leftover',
  },
  { say: 'a hook not begun, nothing there', state: 'absent' },
  { say: 'P16 a hook not begun, something of a former attempt there', view: { release: present() }, state: 'leftover' },
  { say: 'P16 a hook that is done, whatever became of it', progress: { state: 'Ready', attempt: 1 }, state: 'ready' },
  {
    say: 'P21 a hook is never adopted',
    view: { release: { state: 'foreign', message: '' } },
    adopt: true,
    state: 'foreign',
  },
  {
    say: 'P16 a hook cut off, its Jobs not looked for yet',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'pending' }) },
    state: 'unknown',
  },
  {
    say: 'P16 a hook cut off before its Job was made',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'pending' }), jobs: 'never' },
    state: 'locked',
  },
  {
    say: 'P16 a hook cut off after its Job was made: the Job counts',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'pending' }), jobs: 'some', health: READY },
    state: 'healthy',
  },
  {
    say: 'P16 a hook cut off after its Job was made, and noted: the Job is still awaited',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: { release: present({ token: TOKEN, delivery: 'pending' }), jobs: 'some', health: PROGRESSING },
    state: 'progressing',
  },
  {
    say: 'P16 a hook begun, nothing of it was ever there: it is begun again',
    progress: SUBMITTED,
    state: 'begun',
  },
  {
    say: 'P16 a hook that was there, and that somebody removed: whether its Job ran is not known',
    progress: { ...SUBMITTED, backendRevision: 0 },
    state: 'unprovable',
  },
  {
    say: 'P16 a hook that was there, though that could not be noted, and that somebody removed',
    progress: SUBMITTED,
    view: { lastToken: TOKEN },
    state: 'unprovable',
  },
  {
    say: 'P16 a hook of which an earlier attempt was there, and that is not there yet: it is begun again',
    progress: SUBMITTED,
    view: { lastToken: 'an-earlier-one' },
    state: 'begun',
  },
  {
    say: 'P16 a hook that was delivered, and that somebody removed',
    progress: { ...SUBMITTED, backendRevision: 1 },
    state: 'unprovable',
  },
  {
    say: 'P16 a hook that somebody is removing',
    progress: { ...SUBMITTED, backendRevision: 0 },
    view: { release: present({ token: TOKEN, delivery: 'draining' }) },
    state: 'draining',
  },
  {
    say: 'P16 a hook that was there, and in whose place is something else: that is not removed to run it again',
    progress: { ...SUBMITTED, backendRevision: 0 },
    view: { release: present({ token: undefined, delivery: 'underway' }) },
    state: 'displaced',
  },
  {
    say: 'P16 a hook that was there before it had a number',
    progress: { ...SUBMITTED, backendRevision: 0 },
    view: { release: present({ token: TOKEN }), health: PROGRESSING },
    state: 'delivered',
  },
  {
    say: 'P16 a hook that was there before its delivery failed in a way that may pass, and whose Job never was',
    progress: { ...SUBMITTED, backendRevision: 0 },
    view: {
      release: present({ token: TOKEN, delivery: 'failed' }),
      jobs: 'never',
      delivery: failedDelivery({ transient: true }),
    },
    state: 'retryable',
  },
  {
    say: 'P16 a hook whose Job counted, and of which no Job is there nor noted any more: somebody is removing it',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: {
      release: present({ token: TOKEN, delivery: 'failed' }),
      jobs: 'never',
      delivery: failedDelivery({ transient: true }),
    },
    state: 'unprovable',
  },
  {
    say: 'P16 a hook cut off, whose Job may have run and be gone',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'failed' }), jobs: 'unknown' },
    state: 'unprovable',
  },
  {
    say: 'P16 a hook that failed for reasons that may pass, before its Job was made',
    progress: SUBMITTED,
    view: {
      release: present({ token: TOKEN, delivery: 'failed' }),
      jobs: 'never',
      delivery: failedDelivery({ transient: true }),
    },
    state: 'retryable',
  },
  {
    say: 'a hook begun, and only what a former attempt left is there',
    progress: SUBMITTED,
    view: { release: present({ token: 'former' }) },
    state: 'leftover',
  },
];

describe('the state of a component', () => {
  it.each(ROWS)('$say: $state', (row) => {
    const deadline = row.overdue === true ? NOW : NOW + 1000;
    expect(classifyComponent(viewOf(row), { now: NOW, deadline, adopt: row.adopt ?? false })).toBe(row.state);
  });

  it.each(HOOK_ROWS)('$say: $state', (row) => {
    const view = { ...viewOf(row), hook: true };
    expect(classifyComponent(view, { now: NOW, deadline: NOW + 1000, adopt: row.adopt ?? false })).toBe(row.state);
  });

  it.each<[number, ComponentState]>([
    [0, 'unknown'],
    [UNREAD_GRACE_MS - 1, 'unknown'],
    [UNREAD_GRACE_MS, 'overdue'],
  ])('P9 that cannot be read %d ms past its deadline is %s: one lost answer fails nothing', (past, state) => {
    const view = viewOf({ say: '', progress: SUBMITTED, view: { release: { state: 'unknown', message: '' } }, state });
    expect(classifyComponent(view, { now: NOW, deadline: NOW - past, adopt: false })).toBe(state);
  });

  it('has a row for every state', () => {
    expect(new Set([...ROWS, ...HOOK_ROWS].map((row) => row.state))).toEqual(new Set(COMPONENT_STATES));
  });
});
