import { describe, expect, it } from 'vitest';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { NOW, present, PROGRESSING } from '../../../test/build/world.ts';
import { ERROR_CODES, type ErrorCode } from '../../api/errors.ts';
import { COMPONENT_STATES, type ComponentState, FAILURE_GRACE_MS } from '../release/classify-component.ts';
import type { ComponentView } from '../release/component-view.ts';
import { failureOf, waitingFor, wakeAt } from './explain.ts';

const FAILED_DELIVERY: ComponentView['delivery'] = {
  kind: 'failed',
  token: 'token',
  code: 'ImmutableField',
  message: 'spec.selector is immutable',
  retryAt: NOW + 5000,
  transient: false,
};

function aView(parts: Partial<ComponentView> = {}): ComponentView {
  return {
    component: aRevisionComponent('app'),
    progress: { name: 'app', state: 'Submitted', attempt: 1 },
    release: present(),
    token: 'token',
    knownRevision: undefined,
    delivery: { kind: 'none' },
    health: PROGRESSING,
    hook: false,
    formerPlaces: [],
    ...parts,
  };
}

describe('what is awaited, in one line', () => {
  it('names the component, its place and until when', () => {
    expect(waitingFor(aView(), { where: '2 of 4', state: 'progressing', deadline: NOW + 999 })).toBe(
      'component app (2 of 4): Deployment shop/app: 0 of 1 replicas available, until 2026-01-01T12:00:00Z',
    );
  });

  it('names no end where no clock runs', () => {
    const line = waitingFor(aView(), { where: '2 of 4', state: 'absent', deadline: undefined });
    expect(line).toBe('component app (2 of 4): its release is being installed');
  });

  it.each(COMPONENT_STATES)('says something about every state: %s', (state) => {
    const line = waitingFor(aView(), { where: '1 of 1', state, deadline: undefined });
    expect(line.replace('component app (1 of 1): ', '')).toMatch(/\w+ \w+/);
  });

  it.each<[ComponentState, Partial<ComponentView>, string]>([
    ['backingOff', { delivery: FAILED_DELIVERY }, 'spec.selector is immutable'],
    [
      'retryable',
      { release: present({ delivery: 'failed', message: 'revision 2 is failed' }) },
      'revision 2 is failed',
    ],
    ['retryable', { release: { state: 'absent' } }, 'an interrupted delivery'],
    ['unknown', { release: { state: 'unknown', message: 'the API server does not answer' } }, 'does not answer'],
    ['unknown', { health: { status: 'unobserved', message: 'not read yet', notes: [] } }, 'not read yet'],
    ['degraded', {}, '0 of 1 replicas available'],
  ])('%s names the cause that is known', (state, parts, cause) => {
    expect(waitingFor(aView(parts), { where: '1 of 1', state, deadline: undefined })).toContain(cause);
  });
});

describe('why a component fails its revision', () => {
  it.each<[ComponentState, Partial<ComponentView>, ErrorCode, string]>([
    ['failed', { progress: { name: 'app', state: 'Failed', message: 'as before' } }, 'ComponentFailed', 'as before'],
    ['foreign', { release: { state: 'foreign', message: 'was not made by kubepkg' } }, 'OwnershipConflict', 'not made'],
    ['refused', { delivery: FAILED_DELIVERY }, 'ImmutableField', 'spec.selector is immutable'],
    ['unhealthy', {}, 'ComponentFailed', '0 of 1 replicas available'],
    ['overdue', {}, 'DeadlineExceeded', '0 of 1 replicas available'],
    ['overdue', { delivery: FAILED_DELIVERY }, 'DeadlineExceeded', 'spec.selector is immutable'],
    [
      'overdue',
      {
        delivery: { ...FAILED_DELIVERY, code: 'HelmKilled', message: 'stopped' },
        progress: { name: 'app', state: 'Submitted', attempt: 2, message: 'attempt 1 failed: no webhook' },
      },
      'DeadlineExceeded',
      'no webhook',
    ],
    ['overdue', { release: { state: 'absent' } }, 'DeadlineExceeded', 'was not delivered'],
    ['overdue', { release: { state: 'unknown', message: 'unreadable' } }, 'DeadlineExceeded', 'unreadable'],
    [
      'overdue',
      {
        release: { state: 'unknown', message: 'cannot be read' },
        progress: { name: 'app', state: 'Submitted', attempt: 1, backendRevision: 0 },
      },
      'DeadlineExceeded',
      'cannot be read',
    ],
    [
      'overdue',
      { release: present({ delivery: 'pending', message: 'revision 2 is pending-upgrade' }) },
      'DeadlineExceeded',
      'revision 2 is pending-upgrade',
    ],
  ])('%s', (state, parts, code, cause) => {
    const failure = failureOf(aView(parts), state, NOW);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(cause);
    expect(ERROR_CODES[failure.code].class).toBe('terminal');
  });

  it('P9 a missed deadline is named', () => {
    expect(failureOf(aView(), 'overdue', NOW).message).toContain('2026-01-01T12:00:00Z');
    expect(failureOf(aView(), 'overdue', undefined).message).not.toContain('undefined');
  });
});

describe('I12 the next moment to look again', () => {
  const failing = (failedSince: number | undefined): Partial<ComponentView> => ({
    health: {
      status: 'failed',
      message: 'it crashes',
      notes: [],
      ...(failedSince === undefined ? {} : { failedSince }),
    },
  });

  it.each<[string, Partial<ComponentView>, number | undefined, number | undefined]>([
    ['there is none without a clock', {}, undefined, undefined],
    ['the deadline', {}, NOW + 10_000, NOW + 10_000],
    ['the end of the pause, when it comes first', { delivery: FAILED_DELIVERY }, NOW + 10_000, NOW + 5000],
    ['the deadline, when the pause ends later', { delivery: FAILED_DELIVERY }, NOW + 4000, NOW + 4000],
    ['the end of the grace period', failing(NOW - 1000), NOW + 60_000, NOW - 1000 + FAILURE_GRACE_MS],
    ['no grace period that nobody began', failing(undefined), NOW + 60_000, NOW + 60_000],
    ['nothing that has passed', failing(NOW - FAILURE_GRACE_MS), NOW + 60_000, NOW + 60_000],
    ['nothing, when all has passed', failing(NOW - FAILURE_GRACE_MS), NOW, undefined],
  ])('%s', (_say, parts, deadline, moment) => {
    expect(wakeAt(aView(parts), deadline, NOW)).toBe(moment);
  });
});
