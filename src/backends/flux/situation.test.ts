import { describe, expect, it } from 'vitest';
import { type HelmReleaseShape, helmRelease } from '../../../test/build/flux-release.ts';
import { TARGET } from '../../../test/build/helm-release.ts';
import { factsOf } from './facts.ts';
import { interpret, VERDICTS } from './interpret.ts';
import { REASONS } from './reasons.ts';
import { type Situation, SITUATIONS, situationOf } from './situation.ts';

const NOW = Date.UTC(2030, 0, 1);

function situation(shape: HelmReleaseShape): Situation {
  return situationOf(factsOf(helmRelease(shape)));
}

const TRUE = { ready: ['True', 'UpgradeSucceeded', 2], released: ['True', 'UpgradeSucceeded', 2] } as const;
const FAILED = { ready: ['False', 'UpgradeFailed', 2], released: ['False', 'UpgradeFailed', 2] } as const;
const STALLED = { ...FAILED, failures: 1, recorded: 1, reconciling: undefined, stalled: 'RetriesExceeded' } as const;

describe('the situation of a HelmRelease', () => {
  // What the builder makes without further words is an attempt that was delivered.
  it.each<[Situation, string, HelmReleaseShape]>([
    ['delivered', 'everything is there', {}],
    ['delivered', 'a later turn has begun', { reconciling: 'Fulfilling prerequisites' }],
    [
      'delivered',
      'a later turn waits for a source that was lost',
      { ready: ['False', 'ArtifactFailed', 2], reconciling: 'Fulfilling prerequisites' },
    ],
    [
      'delivered',
      'a registry does not answer a later turn',
      { ready: ['False', 'SourceNotReady', 2], reconciling: 'Fulfilling prerequisites' },
    ],
    ['delivered', 'somebody asked for another turn', { requestedAt: 'flux-cli' }],
    [
      'delivered',
      'somebody asked for another turn, which has ended',
      { requestedAt: 'flux-cli', handledAt: 'flux-cli' },
    ],
    ['delivered', 'somebody took the request away', { requestedAt: undefined }],
    ['delivered', 'the spec was edited to the same effect', { edited: true }],
    ['delivered', 'Flux writes values otherwise than foretold, of the very spec', { configDigest: 'sha256:other' }],
    ['delivered', 'Flux does not track digests, and the spec is ours', { chartVersion: '1.0.0', ociDigest: undefined }],
    [
      'skipped',
      'R4 the turn that took the request had to wait for the chart, and nothing was released since',
      { former: 'sha256:newest' },
    ],
    [
      'skipped',
      'P10 the same, while the conditions still tell of a failure before it that left no release',
      { ...FAILED, reconciling: undefined, former: 'sha256:newest' },
    ],
    ['changed', 'other values by an edit', { edited: true, configDigest: 'sha256:other' }],
    ['changed', 'another chart by an edit', { edited: true, ociDigest: 'sha256:other' }],
    ['changed', 'a chart of another version', { chartVersion: '1.1.0+a1a1a1a1a1a1' }],
    [
      'working',
      'the values of the newest release are not those that were planned',
      { plannedDigest: 'sha256:planned' },
    ],
    ['working', 'the last write of the turn is missing', { observed: 1, handledAt: 'token-0' }],
    ['working', 'R4 the generation that a turn ended with is a former one', { observed: 1 }],
    [
      'working',
      'R4 the newest release has failed, and the conditions are of before',
      { history: [['failed', 'sha256:newest']] },
    ],
    [
      'working',
      'the newest release is not in the history yet',
      { history: [['superseded', 'sha256:former']], handledAt: 'token-0' },
    ],
    [
      'working',
      'a later turn acts',
      { reconciling: "Running 'upgrade' action with timeout of 10m0s", ready: ['Unknown', 'Progressing', 2] },
    ],
    [
      'waiting',
      'P7 a later turn acted and was cut off, and begins again',
      { ready: ['False', 'PendingRelease', 2], reconciling: 'Fulfilling prerequisites' },
    ],
    [
      'working',
      'P7 a later turn acted and was cut off, and the next one has begun',
      { ready: ['Unknown', 'Progressing', 2], reconciling: 'Fulfilling prerequisites' },
    ],
    [
      'working',
      'a later turn has acted, and not written all of it',
      { reconciling: "Running 'upgrade' action with timeout of 10m0s" },
    ],
    ['working', 'a retry of the same spec is not handled', { handledAt: 'token-0' }],
    [
      'working',
      'a retry whose request was taken away, with the release of before',
      { requestedAt: undefined, former: 'sha256:newest' },
    ],
    [
      'working',
      'no request, and none was ever handled',
      { requestedAt: undefined, handledAt: undefined, former: 'sha256:newest' },
    ],
    ['working', 'no action was planned for this spec', { attempted: 1 }],
    ['working', 'the newest release failed', { history: [['failed', 'sha256:newest']] }],
    [
      'waiting',
      'a lost source after an action that failed',
      {
        ready: ['False', 'ArtifactFailed', 2],
        released: ['False', 'UpgradeFailed', 2],
        reconciling: 'Fulfilling prerequisites',
      },
    ],
    [
      'working',
      'a lost source, and nothing new since the attempt',
      { ready: ['False', 'ArtifactFailed', 2], former: 'sha256:newest' },
    ],
    ['working', 'Ready is of the generation before', { ready: ['True', 'UpgradeSucceeded', 1] }],
    ['unseen', 'a new spec, and a status of before', { generation: 3 }],
    ['unseen', 'nothing at all is written', { empty: true }],
    ['unseen', 'a retry of a spec that is stalled', { ...STALLED, handledAt: 'token-0', handledResetAt: 'token-0' }],
    [
      'working',
      'the true outcome of a turn for the spec before',
      { generation: 3, ready: ['True', 'UpgradeSucceeded', 3], released: ['True', 'UpgradeSucceeded', 3] },
    ],
    [
      'working',
      'a failure of the spec before, stamped with the new generation',
      {
        ...FAILED,
        generation: 3,
        failures: 1,
        ready: ['False', 'UpgradeFailed', 3],
        released: ['False', 'UpgradeFailed', 3],
        reconciling: 'Fulfilling prerequisites',
      },
    ],
    [
      'working',
      'the failure of the former attempt while the next one runs',
      {
        ...FAILED,
        ready: ['Unknown', 'Progressing', 2],
        reconciling: "Running 'upgrade' action with timeout of 10m0s",
        handledAt: 'token-0',
      },
    ],
    [
      'working',
      'the failure of the former attempt, with its counters, before the next one is planned',
      {
        ...FAILED,
        failures: 3,
        reconciling: 'Fulfilling prerequisites',
        handledAt: 'token-0',
        handledResetAt: 'token-0',
      },
    ],
    [
      'waiting',
      'a source that was just made',
      { observed: 1, attempted: 1, ready: ['False', 'SourceNotReady', 2], reconciling: 'Fulfilling prerequisites' },
    ],
    [
      'waiting',
      'values that are not there',
      { observed: 1, attempted: 1, ready: ['False', 'ValuesError', 2], reconciling: 'Fulfilling prerequisites' },
    ],
    [
      'working',
      'what the former spec waited for',
      { generation: 3, ready: ['False', 'SourceNotReady', 2], reconciling: 'Fulfilling prerequisites' },
    ],
    ['failing', 'a render error', { ...FAILED, observed: 1, failures: 1, reconciling: 'Fulfilling prerequisites' }],
    [
      'failing',
      'a render error while it is tried again',
      {
        ...FAILED,
        observed: 1,
        failures: 2,
        ready: ['Unknown', 'Progressing', 2],
        reconciling: "Running 'upgrade' action with timeout of 10m0s",
      },
    ],
    [
      'failing',
      'a pause before the next try',
      { ...FAILED, observed: 1, failures: 1, recorded: 1, reconciling: 'x', reconcilingReason: 'ProgressingWithRetry' },
    ],
    [
      'settling',
      'a failed release, about to be given up',
      {
        ...FAILED,
        observed: 1,
        failures: 1,
        recorded: 1,
        reconciling: "Running 'upgrade' action with timeout of 10m0s",
      },
    ],
    [
      'working',
      'a failed release whose count is not written yet',
      { ...FAILED, observed: 1, reconciling: "Running 'upgrade' action with timeout of 10m0s" },
    ],
    [
      'working',
      'a wait that was cut short for a newer request',
      {
        observed: 1,
        failures: 1,
        ready: ['Unknown', 'Progressing', 2],
        released: ['False', 'HealthCheckCanceled', 2],
        reconciling: 'Fulfilling prerequisites',
      },
    ],
    ['failed', 'a failure that nothing follows', { ...FAILED, observed: 1, failures: 1 }],
    ['stalled', 'given up', STALLED],
    [
      'stalled',
      'an expression that does not parse, before anything was planned',
      {
        attempted: undefined,
        history: [],
        ready: ['False', 'InvalidCELExpression', 2],
        stalled: 'InvalidCELExpression',
      },
    ],
    ['paused', 'suspended by somebody, who did not wait', { suspend: true, generation: 3, observed: 3 }],
    ['paused', 'suspended by somebody after another attempt was stopped', { suspend: true, stopped: 'token-0' }],
    [
      'working',
      'P9 suspended by us, while a turn that had begun before goes on',
      { suspend: true, generation: 3, observed: 2, stopped: 'token-2', reconciling: 'Fulfilling prerequisites' },
    ],
    [
      'stopping',
      'P16 suspended by us, which no turn has ended with: one may begin that read it before',
      { suspend: true, generation: 3, observed: 2, stopped: 'token-2' },
    ],
    [
      'stopped',
      'suspended by us, while it waited for its source',
      {
        suspend: true,
        generation: 3,
        observed: 3,
        stopped: 'token-2',
        reconciling: 'Fulfilling prerequisites',
        ready: ['False', 'SourceNotReady', 3],
      },
    ],
    ['stopped', 'suspended by us', { suspend: true, generation: 3, observed: 3, stopped: 'token-2' }],
  ])('is %s: %s', (expected, _, shape) => {
    expect(situation({ ...('ready' in shape ? {} : TRUE), ...shape })).toBe(expected);
  });

  it('has a verdict for each, with a reason', () => {
    expect(Object.keys(VERDICTS).sort()).toEqual([...SITUATIONS].sort());
    for (const { why } of [...Object.values(VERDICTS), ...Object.values(REASONS)]) expect(why).not.toBe('');
  });
});

describe('R5 the early noise of a new HelmRelease', () => {
  it.each(Object.entries(REASONS).flatMap(([reason, { means }]) => (means === 'waits' ? [reason] : [])))(
    '%s is no failure',
    (reason) => {
      const shape = {
        observed: -1,
        attempted: undefined,
        history: [],
        ready: ['False', reason, 2],
        reconciling: 'x',
      } as const;
      expect(situation(shape)).toBe('waiting');
    },
  );
});

describe('the release that a HelmRelease delivers', () => {
  const look = (shape: HelmReleaseShape, now = NOW): ReturnType<typeof interpret> =>
    interpret(factsOf(helmRelease(shape)), TARGET, { now, values: { known: {} } });

  it('has the number of the newest release, the token and the digest', () => {
    expect(look({})).toEqual({
      state: 'present',
      revision: 2,
      token: 'token-2',
      digest: 'digest-2',
      delivery: 'delivered',
      everDelivered: true,
      message: 'release revision 2 is deployed',
    });
  });

  it('says so when it was edited to the same effect', () => {
    expect(look({ edited: true }).message).toContain('HelmRelease shop-ns/web was edited outside kubepkg');
    expect(look({ edited: true }).note).toBe('HelmRelease shop-ns/web was edited outside kubepkg');
    expect(look({})).not.toHaveProperty('note');
  });

  it('F03 says that it is paused, and by what', () => {
    const { delivery, message, failure } = look({ suspend: true, generation: 3, observed: 3 });
    expect([delivery, failure]).toEqual(['underway', undefined]);
    expect(message).toBe('paused outside kubepkg: HelmRelease shop-ns/web is suspended');
  });

  it('is nobody’s attempt once somebody else has changed it', () => {
    const changed = look({ edited: true, configDigest: 'sha256:other' });
    expect(changed).toMatchObject({ delivery: 'delivered', token: undefined, digest: undefined });
    expect(changed.message).toContain('HelmRelease shop-ns/web was changed outside kubepkg');
  });

  it('is delivered, and nobody’s attempt, where another version of kubepkg left it', () => {
    expect(look({ unmarked: true })).toMatchObject({ delivery: 'delivered', revision: 2, token: undefined });
    expect(look({ unmarked: true }).message).toContain('names no attempt');
  });

  it('F01 is not delivered by what is Ready from the version before', () => {
    const stale = look({ generation: 3 });
    expect(stale).toMatchObject({ delivery: 'underway', revision: 2 });
  });

  it('says that a controller is silent, with the time since when, and the same each time', () => {
    const shape = { generation: 3, instructedAt: '2030-01-01T00:00:00Z' };
    expect(look(shape, NOW + 29_999).message).toBe('helm-controller has not looked at HelmRelease shop-ns/web yet');
    const silent = look(shape, NOW + 30_000);
    expect(silent.message).toBe(
      'helm-controller has not looked at HelmRelease shop-ns/web since 2030-01-01T00:00:00Z: is it running?',
    );
    expect(look(shape, NOW + 999_000)).toEqual(silent);
  });

  it('goes on where only a stop ends it', () => {
    const shape = { ...FAILED, observed: 1, failures: 1, reconciling: 'Fulfilling prerequisites' };
    expect(look(shape)).toMatchObject({ delivery: 'failed', goesOn: true });
    expect(look(STALLED).goesOn).toBeUndefined();
  });

  it('keeps why it failed when it is stopped, or else what it was at', () => {
    const stop = { suspend: true, generation: 3, observed: 3, stopped: 'token-2' };
    const failing = { ...FAILED, failures: 1, message: 'execution error at (web/x.yaml:1:2): no', reconciling: 'x' };
    expect(look({ ...failing, ...stop }).failure).toMatchObject({ code: 'RenderFailed' });
    const waiting = {
      attempted: 1,
      ready: ['False', 'SourceNotReady', 2],
      message: 'no such tag',
      reconciling: 'x',
    } as const;
    expect(look({ ...waiting, ...stop })).toMatchObject({
      delivery: 'failed',
      failure: { code: 'HelmKilled', message: expect.stringContaining('no such tag') as string },
    });
    expect(look({ ...failing, ...stop }).goesOn).toBeUndefined();
  });

  it('was delivered once if some release of it was', () => {
    expect(
      look({
        ...STALLED,
        history: [
          ['failed', 'sha256:b'],
          ['superseded', 'sha256:a'],
        ],
      }).everDelivered,
    ).toBe(true);
    expect(look({ ...STALLED, history: [['failed', 'sha256:b']] }).everDelivered).toBe(false);
  });

  it('I10 shows nothing of Flux’s words about what may quote values', () => {
    const shape = {
      observed: 1,
      attempted: 1,
      ready: ['False', 'ReconcileError', 2],
      message: 'hunter2',
      reconciling: 'hunter2',
    } as const;
    expect(JSON.stringify(look({ ...shape, reconcilingReason: 'ProgressingWithRetry' }))).not.toContain('hunter2');
  });
});
