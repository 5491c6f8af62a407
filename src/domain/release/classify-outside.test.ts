import { describe, expect, it } from 'vitest';
import { failedDelivery, type Row, SUBMITTED, TOKEN, viewOf } from '../../../test/build/component-rows.ts';
import { NOW, present } from '../../../test/build/world.ts';
import { classifyComponent } from './classify-component.ts';
import type { ComponentView } from './component-view.ts';

/** A controller outside carries the attempt out. */
const OUTSIDE_ROWS: readonly Row[] = [
  {
    say: 'not begun, and a controller is at work for a former revision: it takes a new instruction',
    view: { release: present({ token: 'former', delivery: 'underway' }) },
    state: 'outOfSync',
  },
  {
    say: 'begun, and the controller is at work on it, after a restart',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'underway' }) },
    state: 'settling',
  },
  {
    say: 'begun, and the controller is at work on what was before',
    progress: SUBMITTED,
    view: { release: present({ token: 'former', delivery: 'underway' }) },
    state: 'begun',
  },
  {
    say: 'P9 at work past the deadline: it is stopped first',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'underway' }), delivery: { kind: 'accepted', token: TOKEN } },
    overdue: true,
    state: 'overrunning',
  },
  {
    say: 'P9 at work past the deadline, and told to stop: its controller has time for that',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'underway' }), stoppingUntil: NOW + 1 },
    overdue: true,
    state: 'settling',
  },
  {
    say: 'P9 at work past the deadline, and told to stop long ago: nobody listens',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'underway' }), stoppingUntil: NOW },
    overdue: true,
    state: 'overdue',
  },
  {
    say: 'P9 stopped',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'failed' }), delivery: { kind: 'accepted', token: undefined } },
    overdue: true,
    state: 'overdue',
  },
  {
    say: 'R5 failed for good, and the controller would go on: it is stopped first',
    progress: SUBMITTED,
    view: {
      release: present({ token: TOKEN, delivery: 'failed', goesOn: true }),
      delivery: failedDelivery({ transient: false }),
    },
    state: 'overrunning',
  },
  {
    say: 'P9 told to stop at its deadline, and not to be read since',
    progress: SUBMITTED,
    view: { release: { state: 'unknown', message: '' }, stoppingUntil: NOW + 1 },
    overdue: true,
    state: 'settling',
  },
  {
    say: 'P9 told to stop long ago, and not to be read',
    progress: SUBMITTED,
    view: { release: { state: 'unknown', message: '' }, stoppingUntil: NOW },
    overdue: true,
    state: 'overdue',
  },
  {
    say: 'P16 a hook that is to be tried again, and whose controller would go on: it is stopped first',
    progress: SUBMITTED,
    view: {
      hook: true,
      jobs: 'never',
      release: present({ token: TOKEN, delivery: 'failed', goesOn: true }),
      delivery: failedDelivery({ transient: true, retryAt: NOW }),
    },
    state: 'overrunning',
  },
  {
    say: 'R5 failed for good, and nothing goes on',
    progress: SUBMITTED,
    view: { release: present({ token: TOKEN, delivery: 'failed' }), delivery: failedDelivery({ transient: false }) },
    state: 'refused',
  },
  {
    say: 'R4 only a former attempt failed for good',
    progress: SUBMITTED,
    view: {
      release: present({ token: 'former', delivery: 'failed' }),
      delivery: { ...failedDelivery({ transient: false }), token: 'former' } as ComponentView['delivery'],
    },
    state: 'begun',
  },
  {
    say: 'delivered and noted, and at work again because of somebody',
    progress: { ...SUBMITTED, backendRevision: 1 },
    view: { release: present({ token: TOKEN, delivery: 'underway' }) },
    state: 'displaced',
  },
];

describe('the state of a component that a controller delivers', () => {
  it.each(OUTSIDE_ROWS)('$say: $state', (row) => {
    const deadline = row.overdue === true ? NOW : NOW + 1000;
    expect(classifyComponent(viewOf(row), { now: NOW, deadline, adopt: row.adopt ?? false })).toBe(row.state);
  });
});
