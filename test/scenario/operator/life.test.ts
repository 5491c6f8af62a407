import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { KubepkgError } from '../../../src/api/errors.ts';
import { Gate, OperatorTrial } from './operator-world.ts';

function addressOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}/`;
}

const LEADING = ['election.start', 'engine.start'];

describe('before the operator leads', () => {
  it('it stands for election first, and starts the engine only when it is elected', async () => {
    const trial = new OperatorTrial();
    await trial.settle();
    expect(trial.deeds).toEqual(['election.start']);
    trial.election?.onStarted();
    await trial.settle();
    expect(trial.deeds).toEqual(LEADING);
  });

  it('without election it starts at once', async () => {
    const trial = new OperatorTrial({ leaderElect: false });
    await trial.settle();
    expect(trial.deeds).toEqual(['engine.start']);
  });

  it('it waits for the CRDs, then for its namespace, says each once, and goes on when they come', async () => {
    const trial = new OperatorTrial({ prepared: false });
    await trial.clock.advance(60_000);
    expect(trial.log.at('warn').map(({ fields }) => fields['hint'])).toEqual([expect.stringContaining('kubepkg crds')]);
    expect(trial.ready()).toMatch(/^503 waiting: .*Package, PackageSource, PackageRevision/);
    trial.installCrds();
    await trial.clock.advance(60_000);
    expect(trial.log.at('warn')[1]?.fields['hint']).toContain('kubectl create namespace kubepkg-system');
    expect(trial.ready()).toMatch(/^503 waiting: .*namespace kubepkg-system/);
    expect(trial.deeds).toEqual([]);
    trial.prepare();
    await trial.clock.advance(5000);
    expect(trial.deeds).toEqual(['election.start']);
    expect(trial.log.at('warn')).toHaveLength(2);
  });

  it('whoever runs it hears what is in the way, until nothing but the Lease is missing, and of the Lease', async () => {
    const told: string[] = [];
    const trial = new OperatorTrial({
      prepared: false,
      onObstacle: ({ code }) => told.push(code),
      onStandingBy: () => told.push('standing by'),
      onElected: () => told.push('elected'),
      onLeading: () => told.push('leading'),
    });
    await trial.clock.advance(1000);
    trial.installCrds();
    await trial.clock.advance(60_000);
    trial.prepare();
    await trial.clock.advance(5000);
    trial.election?.onFailure?.(new KubepkgError('ApiForbidden', 'leases may not be created'));
    await trial.lead();
    expect(told).toEqual(['KindNotServed', 'NotFound', 'standing by', 'ApiForbidden', 'elected', 'leading']);
  });

  it('it waits for an API server that does not answer', async () => {
    const trial = new OperatorTrial();
    trial.cluster.before = () => {
      throw new KubepkgError('ApiUnreachable', 'no answer');
    };
    await trial.clock.advance(60_000);
    expect(trial.deeds).toEqual([]);
    expect(trial.log.at('warn').map(({ message }) => message)).toEqual(['waiting: no answer']);
    trial.cluster.before = () => undefined;
    await trial.clock.advance(5000);
    expect(trial.deeds).toEqual(['election.start']);
  });

  it('it does not need to be allowed to look at its namespace', async () => {
    const trial = new OperatorTrial();
    trial.cluster.before = () => {
      throw new KubepkgError('ApiForbidden', 'not allowed');
    };
    await trial.settle();
    expect(trial.deeds).toEqual(['election.start']);
  });

  it.each([
    ['waits for the API server', { prepared: false }, []],
    ['stands for election', {}, ['election.start', 'election.stop']],
  ])('asked to stop while it %s, it ends', async (_what, options, deeds) => {
    const trial = new OperatorTrial(options);
    await trial.settle();
    trial.stop.abort();
    await trial.settle();
    expect(trial.deeds).toEqual([...deeds, 'exit 0']);
  });

  it('asked to stop while an API server hangs, it ends', async () => {
    const trial = new OperatorTrial();
    trial.cluster.before = () => new Gate().passed;
    await trial.settle();
    trial.stop.abort();
    await trial.settle();
    expect(trial.deeds).toEqual(['exit 0']);
  });
});

describe('the readiness probe', () => {
  it('passes while the operator stands by or leads, not while it starts, reads or stops', async () => {
    const trial = new OperatorTrial();
    expect(trial.ready()).toBe('503 starting');
    await trial.settle();
    expect(trial.ready()).toBe('200 standing by for the Lease');
    trial.election?.onStarted();
    await trial.settle();
    expect(trial.ready()).toBe('503 reading what is in the cluster');
    await trial.lead();
    expect(trial.ready()).toBe('200 leading');
    trial.engine.deliveries = 1;
    trial.stop.abort();
    await trial.settle();
    expect(trial.ready()).toBe('503 stopping');
  });
});

describe('charts for controllers', () => {
  it('are served by an operator that stands by, before it is ready, and until it has ended', async () => {
    const trial = new OperatorTrial({ chartsBindAddress: '127.0.0.1:0' });
    const listening = once(trial.charts, 'listening');
    expect(trial.ready()).toBe('503 starting');
    await listening;
    const url = addressOf(trial.charts);
    expect(await (await fetch(url)).text()).toBe('charts');
    await trial.settle();
    expect(trial.ready()).toBe('200 standing by for the Lease');
    const closed = once(trial.charts, 'close');
    trial.stop.abort();
    await closed;
    await trial.settle();
    expect(trial.exitCode).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each(['', '0'])('are served nowhere when the address is %j', async (chartsBindAddress) => {
    const trial = new OperatorTrial({ chartsBindAddress });
    await trial.settle();
    expect(trial.deeds).toEqual(['election.start']);
    expect(trial.charts.listening).toBe(false);
  });

  it('that cannot be served keep the operator from becoming ready: it ends, naming the flag', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const trial = new OperatorTrial({ chartsBindAddress: new URL(addressOf(other)).host });
    await once(trial.charts, 'error');
    await trial.settle();
    expect(trial.failure).toMatchObject({
      code: 'InvalidInput',
      hint: expect.stringContaining('--charts-bind-address') as string,
    });
    expect([trial.ready(), trial.deeds]).toEqual(['503 starting', []]);
    other.close();
  });
});

describe('a leader', () => {
  it('gives every package that is woken its turn, and measures it', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.onWake('a');
    trial.engine.onWake('b');
    await trial.settle();
    expect(trial.deeds).toEqual([...LEADING, 'turn a', 'turn b']);
    expect(trial.metrics.turns).toEqual([
      { result: 'settled', durationMs: 0 },
      { result: 'settled', durationMs: 0 },
    ]);
  });

  it('R12 keeps serving the others while turns of some packages hang', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.turn = (name) =>
      name.startsWith('stuck') ? new Promise(() => undefined) : Promise.resolve({ kind: 'settled' });
    for (const name of ['stuck-1', 'stuck-2', 'stuck-3', 'a', 'b']) trial.engine.onWake(name);
    await trial.settle();
    expect(trial.deeds.slice(-2)).toEqual(['turn a', 'turn b']);
  });

  it('outlives a fault of ours in one turn: logged with its stack, tried again, others go on', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    const fault = new TypeError('undefined is not a function');
    trial.engine.turn = (name) => (name === 'bad' ? Promise.reject(fault) : Promise.resolve({ kind: 'settled' }));
    trial.engine.onWake('bad');
    trial.engine.onWake('good');
    await trial.clock.advance(1000);
    expect(trial.deeds.slice(2)).toEqual(['turn bad', 'turn good', 'turn bad', 'turn bad']);
    const [logged] = trial.log.at('error');
    expect(logged?.fields).toMatchObject({ package: 'bad', error: { code: 'Internal', cause: fault } });
    expect(trial.metrics.turns.map(({ result }) => result)).toContain('failed');
  });

  it('warns of a turn that failed for reasons outside', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    const error = new KubepkgError('ApiForbidden', 'not allowed', { hint: 'grant it' });
    trial.engine.turn = () => Promise.resolve({ kind: 'failed', error });
    trial.engine.onWake('a');
    await trial.settle();
    expect(trial.log.at('error')).toEqual([]);
    expect(trial.log.at('warn')[0]?.fields).toEqual({
      package: 'a',
      code: 'ApiForbidden',
      error: 'not allowed',
      hint: 'grant it',
    });
  });

  it('that cannot read the cluster by a fault of ours gives the Lease away and ends with 1', async () => {
    const trial = new OperatorTrial();
    await trial.settle();
    trial.engine.start = () => Promise.reject(new Error('bug'));
    await trial.lead();
    expect(trial.deeds).toEqual(['election.start', 'engine.abort', 'killChildren', 'election.stop', 'exit 1']);
    expect(trial.log.at('error')).toHaveLength(1);
  });
});

describe('asked to stop', () => {
  it('a leader begins no turn, lets deliveries end, and only then gives the Lease away', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.deliveries = 1;
    trial.stop.abort();
    await trial.settle();
    trial.engine.onWake('a');
    await trial.clock.advance(3_600_000);
    expect(trial.deeds).toEqual([...LEADING, 'engine.drain']);
    trial.engine.delivering.open();
    await trial.settle();
    expect(trial.deeds.slice(2)).toEqual(['engine.drain', 'engine.drain', 'engine.stop', 'election.stop', 'exit 0']);
  });

  it('it waits for a delivery that a turn under way still begins', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    const turn = new Gate();
    trial.engine.turn = async () => {
      await turn.passed;
      trial.engine.deliveries = 1;
      return { kind: 'settled' };
    };
    trial.engine.onWake('a');
    await trial.settle();
    trial.stop.abort();
    await trial.settle();
    turn.open();
    await trial.settle();
    expect(trial.deeds).not.toContain('election.stop');
    trial.engine.delivering.open();
    await trial.settle();
    expect(trial.deeds.slice(-3)).toEqual(['engine.stop', 'election.stop', 'exit 0']);
  });

  it('a second time, it ends deliveries instead of waiting for them', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.deliveries = 1;
    trial.stop.abort();
    await trial.settle();
    trial.insist.abort();
    await trial.settle();
    expect(trial.deeds.slice(2)).toEqual(['engine.drain', 'engine.abort', 'killChildren']);
    trial.engine.delivering.open();
    await trial.settle();
    expect(trial.deeds.slice(-3)).toEqual(['engine.stop', 'election.stop', 'exit 0']);
  });

  it('a second time, it does not wait for ever for deliveries that cannot be ended', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.deliveries = 1;
    trial.stop.abort();
    trial.insist.abort();
    await trial.clock.advance(2000);
    expect(trial.deeds.slice(-3)).toEqual(['engine.stop', 'election.stop', 'exit 0']);
  });

  it('while it still reads the cluster, it ends without reading on', async () => {
    const trial = new OperatorTrial();
    await trial.settle();
    trial.election?.onStarted();
    await trial.settle();
    trial.stop.abort();
    await trial.settle();
    expect(trial.deeds.slice(-3)).toEqual(['engine.stop', 'election.stop', 'exit 0']);
  });
});

describe('a leader that loses its Lease', () => {
  const ends = ['engine.abort', 'killChildren', 'election.stop', 'engine.stop', 'exit 1'];

  it('kills what runs before it does anything else, and ends with 1', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.election?.onLost('it could not be renewed');
    await trial.settle();
    expect(trial.deeds.slice(2)).toEqual(ends);
    expect(trial.log.at('warn')[0]?.fields).toEqual({ reason: 'it could not be renewed' });
  });

  it('does so while it still reads the cluster', async () => {
    const trial = new OperatorTrial();
    await trial.settle();
    trial.election?.onStarted();
    await trial.settle();
    trial.election?.onLost('gone');
    await trial.settle();
    expect(trial.deeds.slice(2)).toEqual(ends);
  });

  it('does so while it lets deliveries end', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.deliveries = 1;
    trial.stop.abort();
    await trial.settle();
    trial.election?.onLost('gone');
    trial.engine.delivering.open();
    await trial.settle();
    expect(trial.deeds.slice(2, 5)).toEqual(['engine.drain', 'engine.abort', 'killChildren']);
    expect(trial.exitCode).toBe(1);
  });

  it('begins no further turn', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.deliveries = 1;
    trial.election?.onLost('gone');
    await trial.settle();
    trial.engine.onWake('a');
    await trial.settle();
    expect(trial.deeds).not.toContain('turn a');
  });

  it('ends in time for the next one even when a delivery does not', async () => {
    const trial = new OperatorTrial();
    await trial.lead();
    trial.engine.deliveries = 1;
    trial.election?.onLost('gone');
    await trial.clock.advance(1999);
    expect(trial.exitCode).toBeUndefined();
    await trial.clock.advance(1);
    expect(trial.exitCode).toBe(1);
  });
});
