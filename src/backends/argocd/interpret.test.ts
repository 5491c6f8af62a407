import { describe, expect, it } from 'vitest';
import {
  annotated,
  atPhase,
  compared,
  edited,
  NOW,
  recorded,
  synced,
  TARGET,
  withSpec,
  withStatus,
  written,
} from '../../../test/build/argocd.ts';
import type { KubeObject } from '../../api/kube.ts';
import { formatTime } from '../../lib/time.ts';
import type { ReleaseObservation, ReleaseTarget } from '../../ports/backend.ts';
import { readApplication, SKIP_RECONCILE } from './application.ts';
import { interpret, REASONS, SILENCE_MS } from './interpret.ts';
import { NOTE } from './notes.ts';

const TOKEN = 'token-2';
const THEIRS = { initiatedBy: { username: 'admin' }, sync: {} };
const FORMER = { initiatedBy: { username: 'kubepkg' }, info: [{ name: NOTE.attempt, value: 'token-1' }], sync: {} };
const AUTOMATED = { initiatedBy: { automated: true }, sync: {} };

interface Row {
  readonly say: string;
  readonly application: KubeObject;
  /** Milliseconds after the Application was written. */
  readonly after?: number;
  readonly reason: string;
  readonly verdict: Partial<Extract<ReleaseObservation, { state: 'present' }>> | { readonly failure: unknown };
}

/** With the operation of somebody else in the place of ours. */
function taken(application: KubeObject, operation: object): KubeObject {
  return { ...application, operation };
}

function forbidden(application: KubeObject, type: string): KubeObject {
  return withStatus(application, { conditions: [{ type, message: 'repo is not permitted in project' }] });
}

/** A second attempt, written over what the first has left. */
function again(live: KubeObject): KubeObject {
  return written({ live, release: { token: 'token-3' } });
}

const UNDERWAY = { delivery: 'underway', token: TOKEN, digest: 'digest-2' } as const;

const ROWS: readonly Row[] = [
  {
    say: 'an operation that is requested is waited for',
    application: written(),
    reason: 'Requested',
    verdict: { ...UNDERWAY, revision: 0, everDelivered: false },
  },
  {
    say: 'R4 what is compared is not synced',
    application: compared(written()),
    reason: 'Requested',
    verdict: UNDERWAY,
  },
  {
    say: 'R4 a sync of the same before the attempt proves nothing',
    application: again(synced()),
    reason: 'Requested',
    verdict: { delivery: 'underway', token: 'token-3', revision: 1, everDelivered: true },
  },
  {
    say: 'R4 the failure of a former operation is none of the attempt',
    application: withStatus(written(), { operationState: { phase: 'Failed', operation: FORMER, message: 'boom' } }),
    reason: 'Requested',
    verdict: { ...UNDERWAY, revision: 0 },
  },
  {
    say: 'nor is a success of one',
    application: withStatus(written(), { operationState: { phase: 'Succeeded', operation: FORMER } }),
    reason: 'Requested',
    verdict: UNDERWAY,
  },
  {
    say: 'a controller that has not taken it for half a minute is asked after',
    application: written(),
    after: SILENCE_MS,
    reason: 'NotTaken',
    verdict: { ...UNDERWAY, message: expect.stringContaining('2026-01-01T00:00:00Z: is it running?') as string },
  },
  {
    say: 'R3 F03 an Application that the controller is told to skip',
    application: annotated(written(), { [SKIP_RECONCILE]: 'true' }),
    after: SILENCE_MS,
    reason: 'Paused',
    verdict: { ...UNDERWAY, message: expect.stringContaining(SKIP_RECONCILE) as string },
  },
  {
    say: 'an annotation that says false pauses nothing',
    application: annotated(written(), { [SKIP_RECONCILE]: 'false' }),
    reason: 'Requested',
    verdict: UNDERWAY,
  },
  {
    say: 'a project that forbids it',
    application: forbidden(written(), 'InvalidSpecError'),
    reason: 'SpecRefused',
    verdict: { ...UNDERWAY, message: expect.stringContaining('is not permitted in project') as string },
  },
  {
    say: 'an operation that was begun',
    application: atPhase(written(), 'Running', { message: 'waiting for completion of hook batch/Job/a' }),
    after: 10 * SILENCE_MS,
    reason: 'Running',
    verdict: { ...UNDERWAY, message: expect.stringContaining('waiting for completion of hook') as string },
  },
  {
    say: 'one that is to be tried again by Argo CD itself',
    application: atPhase(written(), 'Running', { finishedAt: '2026-01-01T00:00:02Z', retryCount: 1 }),
    reason: 'Running',
    verdict: UNDERWAY,
  },
  {
    say: 'one that is being stopped',
    application: atPhase(written(), 'Terminating'),
    reason: 'Running',
    verdict: UNDERWAY,
  },
  {
    say: 'one that has its record and not its end',
    application: recorded(atPhase(compared(written()), 'Running'), 0),
    reason: 'Running',
    verdict: UNDERWAY,
  },
  {
    say: 'R4 a sync of what was written, after it was written',
    application: synced(),
    reason: 'Synced',
    verdict: { delivery: 'delivered', token: TOKEN, digest: 'digest-2', revision: 1, everDelivered: true },
  },
  {
    say: 'a later delivery has a higher number',
    application: synced({ live: synced(), release: { token: 'token-3' } }, 1),
    reason: 'Synced',
    verdict: { delivery: 'delivered', token: 'token-3', revision: 2 },
  },
  {
    say: 'whoever syncs the same again changes nothing',
    application: recorded(synced(), 1, { username: 'admin' }),
    reason: 'Synced',
    verdict: { delivery: 'delivered', token: TOKEN, revision: 1 },
  },
  {
    say: 'automation that takes our operation away takes no evidence',
    application: withStatus(synced(), { operationState: { phase: 'Failed', operation: AUTOMATED } }),
    reason: 'Synced',
    verdict: { delivery: 'delivered', token: TOKEN, revision: 1 },
  },
  {
    say: 'an operation of somebody else over what was delivered',
    application: taken(withStatus(synced(), { operationState: { phase: 'Running', operation: AUTOMATED } }), AUTOMATED),
    reason: 'Synced',
    verdict: { delivery: 'delivered', token: TOKEN },
  },
  {
    say: 'P22 what cannot be compared any more is delivered still',
    application: forbidden(synced(), 'ComparisonError'),
    reason: 'Synced',
    verdict: { delivery: 'delivered', token: TOKEN },
  },
  {
    say: 'what was put aside is to be given back',
    application: annotated(synced(), { [NOTE.automated]: '{"selfHeal":true}' }),
    reason: 'Synced',
    verdict: { delivery: 'delivered', handBack: true },
  },
  {
    say: 'R4 a sync whose objects are not listed yet',
    application: atPhase(recorded(written(), 0), 'Succeeded'),
    reason: 'NotCompared',
    verdict: UNDERWAY,
  },
  {
    say: 'somebody changed the source, and synced nothing',
    application: edited(synced()),
    reason: 'Edited',
    verdict: {
      delivery: 'delivered',
      token: TOKEN,
      digest: undefined,
      revision: 1,
      note: expect.stringContaining('outside kubepkg') as string,
    },
  },
  {
    say: 'F03 somebody paused it after the delivery',
    application: annotated(synced(), { 'argocd.argoproj.io/skip-reconcile': 'true' }),
    reason: 'Synced',
    verdict: { delivery: 'delivered', note: expect.stringContaining('paused outside kubepkg') as string },
  },
  {
    say: 'somebody put further sources beside it',
    application: withSpec(synced(), { sources: [{ repoURL: 'https://other.example.com' }] }),
    reason: 'Edited',
    verdict: { delivery: 'delivered', digest: undefined },
  },
  {
    say: 'somebody synced something else after the delivery',
    application: recorded(edited(synced()), 1, { username: 'admin' }),
    reason: 'Displaced',
    verdict: { delivery: 'delivered', token: undefined, digest: undefined, revision: 2 },
  },
  {
    say: 'R4 something else was synced in the place of the attempt',
    application: atPhase(recorded(edited(written()), 0), 'Succeeded'),
    reason: 'Displaced',
    verdict: { delivery: 'delivered', token: undefined },
  },
  {
    say: 'an operation of somebody else is in the place of the attempt',
    application: taken(written(), THEIRS),
    reason: 'Occupied',
    verdict: { delivery: 'underway', token: undefined, message: expect.stringContaining('admin') as string },
  },
  {
    say: 'an operation of somebody else runs after a failed attempt',
    application: taken(
      withStatus(written(), { operationState: { phase: 'Running', operation: AUTOMATED } }),
      AUTOMATED,
    ),
    reason: 'Occupied',
    verdict: { delivery: 'underway', token: undefined, message: expect.stringContaining('automated sync') as string },
  },
  {
    say: 'the operation of the attempt failed',
    application: atPhase(written(), 'Failed', {
      message: 'one or more objects failed to apply, reason: x is invalid: y',
    }),
    reason: 'Failed',
    verdict: { delivery: 'failed', token: TOKEN, failure: expect.objectContaining({ code: 'ApiInvalid' }) as unknown },
  },
  {
    say: 'P16 a first sync that failed has the number that its success would have had',
    application: atPhase(written(), 'Failed', { message: 'boom' }),
    reason: 'Failed',
    verdict: { delivery: 'failed', token: TOKEN, revision: 1, everDelivered: false },
  },
  {
    say: 'a failure after what was delivered before',
    application: atPhase(again(synced()), 'Error', { message: 'ComparisonError: Failed to load target state: 404' }),
    reason: 'Failed',
    verdict: { delivery: 'failed', token: 'token-3', revision: 1, everDelivered: true },
  },
  {
    say: 'somebody synced what was written after the attempt had failed',
    application: recorded(compared(atPhase(written(), 'Failed', { message: 'boom' })), 0, { username: 'admin' }),
    reason: 'Synced',
    verdict: { delivery: 'delivered', token: TOKEN, revision: 1 },
  },
  {
    say: 'somebody ended the operation',
    application: atPhase(written(), 'Failed', { message: 'Operation terminated' }),
    reason: 'Failed',
    verdict: { delivery: 'failed', failure: expect.objectContaining({ code: 'Interrupted' }) as unknown },
  },
  {
    say: 'P9 we ended it',
    application: annotated(atPhase(written(), 'Failed', { message: 'Operation terminated' }), {
      [NOTE.stopped]: TOKEN,
    }),
    reason: 'Failed',
    verdict: { delivery: 'failed', failure: expect.objectContaining({ code: 'HelmKilled' }) as unknown },
  },
  {
    say: 'P16 we have just taken it back: the controller may have read it before',
    application: annotated(withoutRequest(written()), { [NOTE.stopped]: TOKEN, [NOTE.stoppedAt]: formatTime(NOW) }),
    after: 4900,
    reason: 'TakenBack',
    verdict: { delivery: 'underway', token: TOKEN },
  },
  {
    say: 'P9 we took it back before it was begun',
    application: annotated(withoutRequest(written()), { [NOTE.stopped]: TOKEN, [NOTE.stoppedAt]: formatTime(NOW) }),
    after: 5000,
    reason: 'Stopped',
    verdict: {
      delivery: 'failed',
      failure: expect.objectContaining({ code: 'HelmKilled' }) as unknown,
      message: expect.stringContaining('is it running?') as string,
    },
  },
  {
    say: 'F03 we took back what somebody had paused',
    application: annotated(withoutRequest(written()), {
      [NOTE.stopped]: TOKEN,
      [NOTE.stoppedAt]: formatTime(NOW),
      'argocd.argoproj.io/skip-reconcile': 'true',
    }),
    reason: 'Stopped',
    verdict: { delivery: 'failed', message: expect.stringContaining('paused outside kubepkg') as string },
  },
  {
    say: 'somebody took it away before it was begun',
    application: withoutRequest(written()),
    reason: 'Lost',
    verdict: { delivery: 'failed', failure: expect.objectContaining({ code: 'ApiConflict' }) as unknown },
  },
  {
    say: 'a success of which no record is left',
    application: atPhase(compared(written()), 'Succeeded'),
    reason: 'Lost',
    verdict: { delivery: 'failed', failure: expect.objectContaining({ code: 'ApiConflict' }) as unknown },
  },
  {
    say: 'P20 an Application that is being deleted, whatever else it says',
    application: deleted(synced()),
    reason: 'Deleting',
    verdict: { delivery: 'draining', revision: 1, everDelivered: false },
  },
];

const NAMED = ROWS.map((row) => [row.say, row] as const);

function withoutRequest({ operation: _, ...rest }: KubeObject): KubeObject {
  return rest;
}

function deleted(application: KubeObject): KubeObject {
  return { ...application, metadata: { ...application.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } };
}

function reasonOf(application: KubeObject, now: number): string | undefined {
  return REASONS.find(({ holds }) => holds({ ...readApplication(application), now }))?.name;
}

describe('what an Application says of a release', () => {
  it.each(NAMED)('%s', (_, { application, after = 1000, reason, verdict }) => {
    expect(reasonOf(application, NOW + after)).toBe(reason);
    expect(interpret(TARGET, application, NOW + after)).toMatchObject({ state: 'present', ...verdict });
  });

  it('has a row for every reason', () => {
    expect(new Set(ROWS.map(({ reason }) => reason))).toEqual(new Set(REASONS.map(({ name }) => name)));
  });

  it.each(NAMED)(
    '%s: in a message that is the same each time, and without values',
    (_, { application, after = 1000 }) => {
      const [one, other] = [0, 7].map((later) => interpret(TARGET, application, NOW + after + later));
      expect(one).toEqual(other);
      expect(JSON.stringify(one)).not.toContain('pink');
    },
  );
});

describe('P21 an Application that is not of the release', () => {
  it.each<[string, Partial<ReleaseTarget>, (application: KubeObject) => KubeObject, object]>([
    ['belongs to another package', { package: 'bar' }, (live) => live, { otherPackage: 'shop' }],
    ['was made by somebody else', {}, (live) => relabelled(live, {}), {}],
    [
      'is that of another release, whose name has the same hash',
      { releaseName: 'api' },
      (live) => live,
      { otherPackage: 'shop' },
    ],
    ['is that of another namespace', { namespace: 'other' }, (live) => live, { otherPackage: 'shop' }],
  ])('%s', (_, target, change, expected) => {
    const observation = interpret({ ...TARGET, ...target }, change(synced()), NOW);
    expect(observation).toMatchObject({ state: 'foreign', ...expected });
    expect('otherPackage' in observation).toBe('otherPackage' in expected);
  });

  it('is not one whose component was renamed', () => {
    expect(interpret({ ...TARGET, component: 'other' }, synced(), NOW)).toMatchObject({ state: 'present' });
  });

  it('is not one whose source somebody changed', () => {
    const source = { helm: { releaseName: 'api' } };
    expect(interpret(TARGET, withSpec(synced(), { source }), NOW)).toMatchObject({ state: 'present' });
  });
});

function relabelled(application: KubeObject, labels: Readonly<Record<string, string>>): KubeObject {
  return { ...application, metadata: { ...application.metadata, labels } };
}
