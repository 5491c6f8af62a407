import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaseClient, type LeaseFault, LeaseServer } from '../../../test/fakes/lease-server.ts';
import { rest, VirtualClock } from '../../../test/fakes/clock.ts';
import { RecordingLog } from '../../../test/fakes/recording-log.ts';
import { KubepkgError } from '../../api/errors.ts';
import { LeaderElector } from './leader-elector.ts';

const LEASE_MS = 8000;
const DEADLINE_MS = 5000;
const RETRY_MS = 1500;

/** One contender, with its own clock and its own way to the server. */
class Contender {
  readonly client: LeaseClient;
  readonly clock = new VirtualClock();
  readonly elector: LeaderElector;
  readonly log = new RecordingLog();
  readonly history: string[] = [];
  readonly failures: string[] = [];

  constructor(server: LeaseServer, identity: string, dead: readonly string[] = []) {
    this.client = new LeaseClient(server);
    this.elector = new LeaderElector({
      cluster: this.client,
      clock: this.clock,
      log: this.log,
      namespace: 'system',
      name: 'operator',
      identity,
      isKnownDead: (holder) => dead.includes(holder),
      onStarted: () => this.history.push('started'),
      onLost: () => this.history.push('lost'),
      onFailure: ({ message }) => this.failures.push(message),
    });
  }

  /** As far as it was told. */
  get leads(): boolean {
    return this.history.at(-1) === 'started';
  }

  async start(): Promise<void> {
    this.elector.start();
    await rest();
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }
}

async function passAll(contenders: readonly Contender[], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) for (const contender of contenders) await contender.pass(100);
}

async function leader(server = new LeaseServer()): Promise<Contender> {
  const contender = new Contender(server, 'a');
  await contender.start();
  return contender;
}

describe('a lease that does not exist', () => {
  it('tells of every try that fails', async () => {
    const one = new Contender(new LeaseServer(), 'a');
    one.client.read = () => Promise.reject(new KubepkgError('ApiForbidden', 'leases may not be read'));
    await one.start();
    await one.pass(2 * RETRY_MS);
    expect(one.failures.length).toBeGreaterThan(1);
    expect(new Set(one.failures)).toEqual(new Set(['leases may not be read']));
    await one.elector.stop();
  });

  it('is made in the format of client-go, and its maker leads', async () => {
    const server = new LeaseServer();
    const contender = await leader(server);
    expect(contender.history).toEqual(['started']);
    expect(server.lease).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'operator', namespace: 'system', resourceVersion: '1' },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 8,
        acquireTime: '2030-01-01T00:00:00.000000Z',
        renewTime: '2030-01-01T00:00:00.000000Z',
        leaseTransitions: 0,
      },
    });
  });

  it('that two want at once, one gets', async () => {
    const server = new LeaseServer();
    const contenders = [new Contender(server, 'a'), new Contender(server, 'b')];
    await Promise.all(contenders.map((contender) => contender.start()));
    expect(contenders.filter((contender) => contender.leads)).toHaveLength(1);
  });
});

describe('a leader', () => {
  it('renews in one request, and changes nothing but the time', async () => {
    const server = new LeaseServer();
    const contender = await leader(server);
    const before = server.spec;
    await contender.pass(RETRY_MS);
    expect(server.writes).toHaveLength(2);
    expect(server.spec).toEqual({ ...before, renewTime: '2030-01-01T00:00:01.500000Z' });
  });

  it('keeps fields that others put there', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: '', strategy: 'OldestEmulationVersion', leaseTransitions: 4 });
    const contender = await leader(server);
    expect(server.spec).toMatchObject({ holderIdentity: 'a', strategy: 'OldestEmulationVersion', leaseTransitions: 5 });
    expect(contender.history).toEqual(['started']);
  });

  it.each<LeaseFault>(['unreachable', 'hangs', 'response-lost'])(
    'that cannot renew (%s) gives up at the renew deadline, before others may take over',
    async (fault) => {
      const contender = await leader();
      contender.client.fault = fault;
      await contender.pass(DEADLINE_MS - 100);
      expect(contender.history).toEqual(['started']);
      await contender.pass(100);
      expect(contender.history).toEqual(['started', 'lost']);
    },
  );

  it.each<LeaseFault>(['unreachable', 'hangs', 'response-lost'])(
    'survives a fault (%s) that ends before the deadline',
    async (fault) => {
      const contender = await leader();
      contender.client.fault = fault;
      await contender.pass(2000);
      contender.client.fault = undefined;
      await contender.pass(60_000);
      expect(contender.history).toEqual(['started']);
      expect(contender.log.at('warn')).not.toEqual([]);
    },
  );

  it('counts from when a renewal was sent, not from when it was answered', async () => {
    const contender = await leader();
    await contender.pass(RETRY_MS);
    contender.client.fault = 'unreachable';
    await contender.pass(DEADLINE_MS - 100);
    expect(contender.leads).toBe(true);
    await contender.pass(100);
    expect(contender.leads).toBe(false);
  });

  it('whose lease was given to another stops at once', async () => {
    const server = new LeaseServer();
    const contender = await leader(server);
    server.put({ holderIdentity: 'b', leaseDurationSeconds: 8, renewTime: 'x' });
    await contender.pass(RETRY_MS);
    expect(contender.history).toEqual(['started', 'lost']);
  });

  it('whose lease was touched by another, or deleted, goes on', async () => {
    const server = new LeaseServer();
    const contender = await leader(server);
    server.put({ ...server.spec, note: 'n' });
    await contender.pass(RETRY_MS);
    server.remove();
    await contender.pass(RETRY_MS);
    expect(contender.history).toEqual(['started']);
    expect(server.spec).toMatchObject({ holderIdentity: 'a' });
  });

  it('that lost the lease may win it again', async () => {
    const contender = await leader();
    contender.client.fault = 'unreachable';
    await contender.pass(DEADLINE_MS);
    contender.client.fault = undefined;
    await contender.pass(RETRY_MS);
    expect(contender.history).toEqual(['started', 'lost', 'started']);
  });
});

describe('the lease of another', () => {
  it('is taken over when no renewal was seen for its duration, whatever the times in it say', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'dead', leaseDurationSeconds: 8, renewTime: '1999-01-01T00:00:00.000000Z' });
    const contender = await leader(server);
    await contender.pass(LEASE_MS - 100);
    expect(contender.history).toEqual([]);
    await contender.pass(100);
    expect(contender.history).toEqual(['started']);
    expect(server.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 1 });
  });

  it('who is known to be dead is taken over when what it had sent has taken effect', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'dead', leaseDurationSeconds: 8, renewTime: 'x' });
    const contender = new Contender(server, 'a', ['dead']);
    await contender.start();
    await contender.pass(1900);
    expect(contender.history).toEqual([]);
    await contender.pass(100);
    expect(contender.history).toEqual(['started']);
    expect(server.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 1 });
  });

  it('is left alone for as long as its holder asked', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'go', leaseDurationSeconds: 15, renewTime: 'x' });
    const contender = await leader(server);
    await contender.pass(14_900);
    expect(contender.history).toEqual([]);
    await contender.pass(100);
    expect(contender.history).toEqual(['started']);
  });

  it('is left alone as long as it is renewed', async () => {
    const server = new LeaseServer();
    const renew = (time: number): void => {
      server.put({ holderIdentity: 'go', leaseDurationSeconds: 8, renewTime: `t${String(time)}` });
    };
    renew(0);
    const contender = await leader(server);
    for (let time = 1; time <= 20; time += 1) {
      renew(time);
      await contender.pass(3000);
    }
    expect(contender.history).toEqual([]);
    // The pause before the next look, and the end of the lease.
    expect(contender.clock.pending()).toHaveLength(2);
  });

  it('is not written to by one who led before', async () => {
    const server = new LeaseServer();
    const contender = await leader(server);
    server.put({ holderIdentity: 'b', leaseDurationSeconds: 60, renewTime: 'x' });
    await contender.pass(RETRY_MS);
    const writes = server.writes.length;
    await contender.pass(10 * RETRY_MS);
    expect(server.writes).toHaveLength(writes);
  });

  it('is taken at the next look when it was given away', async () => {
    const server = new LeaseServer();
    const first = await leader(server);
    const second = new Contender(server, 'b');
    await second.start();
    await first.elector.stop();
    expect(server.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await second.pass(RETRY_MS);
    expect(second.history).toEqual(['started']);
    expect(first.history).toEqual(['started']);
  });
});

describe('stopping', () => {
  it('leaves no timer behind', async () => {
    const server = new LeaseServer();
    const first = await leader(server);
    const second = new Contender(server, 'b');
    await second.start();
    await Promise.all([first.elector.stop(), second.elector.stop()]);
    expect([first, second].flatMap((contender) => contender.clock.pending())).toEqual([]);
  });

  it('without the lease leaves it to its holder', async () => {
    const server = new LeaseServer();
    await leader(server);
    const second = new Contender(server, 'b');
    await second.start();
    await second.elector.stop();
    expect(server.spec).toMatchObject({ holderIdentity: 'a' });
  });

  it.each<LeaseFault>(['unreachable', 'hangs'])('while the server is away (%s) ends all the same', async (fault) => {
    const contender = await leader();
    contender.client.fault = fault;
    const stopped = contender.elector.stop();
    await contender.pass(DEADLINE_MS);
    await stopped;
    expect(contender.log.at('warn')).toHaveLength(1);
  });
});

describe('at any time', () => {
  const fault = fc.constantFrom<LeaseFault | undefined>('unreachable', 'hangs', 'response-lost', undefined, undefined);
  const steps = fc.array(fc.record({ who: fc.nat({ max: 2 }), fault, ms: fc.integer({ min: 100, max: 9000 }) }), {
    minLength: 1,
    maxLength: 12,
  });

  it('at most one leads, and with a healthy server one does', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const server = new LeaseServer();
        const contenders = ['a', 'b', 'c'].map((identity) => new Contender(server, identity));
        for (const contender of contenders) await contender.start();
        const leaders = (): number => contenders.filter((contender) => contender.leads).length;
        for (const step of script) {
          const chosen = contenders[step.who];
          if (chosen !== undefined) chosen.client.fault = step.fault;
          for (let left = step.ms; left > 0; left -= 100) {
            await passAll(contenders, 100);
            expect(leaders()).toBeLessThanOrEqual(1);
          }
        }
        for (const contender of contenders) contender.client.fault = undefined;
        await passAll(contenders, LEASE_MS + 2 * RETRY_MS);
        expect(leaders()).toBe(1);
        await Promise.all(contenders.map((contender) => contender.elector.stop()));
      }),
      { numRuns: 25 },
    );
  });
});
