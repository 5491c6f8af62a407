import { describe, expect, it } from 'vitest';
import { COMPONENT_STATES, type ComponentState } from '../release/classify-component.ts';
import { type Step, STEPS } from './steps.ts';

const ROWS: Readonly<Record<ComponentState, Step>> = {
  failed: 'fail',
  executing: 'wait',
  overrunning: 'stop',
  unknown: 'wait',
  foreign: 'fail',
  absent: 'install',
  misplaced: 'move',
  leftover: 'uninstall',
  draining: 'wait',
  unprovable: 'fail',
  outOfSync: 'upgrade',
  inSync: 'accept',
  locked: 'unlock',
  removing: 'uninstall',
  begun: 'redrive',
  settling: 'wait',
  displaced: 'wait',
  refused: 'fail',
  backingOff: 'wait',
  retryable: 'retry',
  delivered: 'note',
  progressing: 'wait',
  unhealthy: 'fail',
  overdue: 'fail',
  healthy: 'mark-ready',
  ready: 'next',
  degraded: 'rewait',
};

const SUBMITTING: readonly Step[] = ['install', 'upgrade', 'redrive', 'retry'];
const DELIVERED: readonly ComponentState[] = [
  'settling',
  'displaced',
  'delivered',
  'progressing',
  'unhealthy',
  'overdue',
  'healthy',
  'ready',
  'degraded',
];

describe('the step for each state', () => {
  it.each(COMPONENT_STATES)('%s', (state) => {
    expect(STEPS[state].step).toBe(ROWS[state]);
  });

  it('has a row for every state and no other', () => {
    expect(Object.keys(STEPS).sort()).toEqual([...COMPONENT_STATES].sort());
  });

  it.each(DELIVERED)('nothing that was delivered is ever submitted twice: %s submits nothing', (state) => {
    expect(SUBMITTING).not.toContain(STEPS[state].step);
  });

  it.each(['progressing', 'unhealthy', 'healthy', 'ready', 'degraded'] as const)(
    'P10 while a rollback restores, readiness is not asked: %s passes',
    (state) => {
      expect(STEPS[state].restore).toBe('pass');
    },
  );

  it('P10 while a rollback restores, what is not delivered is not passed', () => {
    const passing = COMPONENT_STATES.filter((state) => STEPS[state].restore !== undefined);
    expect(passing.filter((state) => ![...DELIVERED, 'inSync'].includes(state))).toEqual([]);
  });

  it('every reason is a sentence that the reference page can print', () => {
    const unfit = Object.values(STEPS).filter(({ why }) => why === '' || /[|\n]|\.$/.test(why));
    expect(unfit).toEqual([]);
  });
});
