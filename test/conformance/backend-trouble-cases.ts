import { describe, expect, it } from 'vitest';
import type { BackendCapabilities } from '../../src/ports/backend.ts';
import { type BackendWorld, failureIn, presentOf } from './backend-world.ts';

const NO_ABORT = new AbortController().signal;
const SECRET = 'hunter2-is-secret';

export function troubleCases(world: BackendWorld, capabilities: BackendCapabilities): void {
  describe('trouble', () => {
    if (capabilities.runsProcesses) {
      interruptionCases(world);
    } else {
      it('8 has nothing to unlock', async () => {
        const target = await world.target();
        const observed = await world.delivered(await world.release(target));
        const outcome = await world.harness.createBackend().submit({ kind: 'unlock', target, observed }, NO_ABORT);
        expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'Unsupported' } });
      });
    }

    it('11 R11 a namespace that is not there is transient', async () => {
      const target = await world.target({ namespace: 'backend-never-made' });
      const { outcome } = await world.deliver(await world.release(target));
      expect(outcome).toMatchObject({ error: { code: 'ApiNotFound', class: 'transient' } });
    });

    it('11 a missing permission is forbidden, and is said by the look already', async () => {
      const target = await world.target();
      await expect(world.harness.createPowerlessBackend().observe(target)).rejects.toMatchObject({
        code: 'ApiForbidden',
      });
    });

    it('11 values that the schema of the chart refuses are terminal', async () => {
      const target = await world.target();
      const { outcome } = await world.deliver(
        await world.release(target, { chart: { name: 'strict' }, values: { port: 'x' } }),
      );
      expect(outcome).toMatchObject({ error: { code: 'ValuesInvalid', class: 'terminal' } });
    });

    it('11 F83 a schema is skipped when asked to, and never fetched from elsewhere', async () => {
      const target = await world.target();
      const schema = JSON.stringify({ $ref: 'https://schemas.example.com/values.json' });
      const chart = { name: 'strict', files: { 'values.schema.json': schema } };
      const refused = await world.deliver(await world.release(target, { chart }));
      expect(refused).toMatchObject({
        outcome: { kind: 'refused', error: { code: 'ValuesInvalid' } },
        observed: { state: 'absent' },
      });
      const observed = await world.delivered(await world.release(target, { chart, skipSchemaValidation: true }));
      expect(observed.delivery).toBe('delivered');
    });

    it.each([
      ['a schema refuses', { name: 'strict' }, { password: SECRET }],
      ['the API server refuses', { name: 'broken' }, { port: SECRET }],
      [
        'a template quotes',
        { name: 'web', files: { 'templates/fail.yaml': '{{ fail .Values.password }}' } },
        { password: SECRET },
      ],
      [
        'a template makes into bad YAML',
        { name: 'web', files: { 'templates/bad.yaml': 'a: {{ .Values.password }}: {\n' } },
        { password: SECRET },
      ],
    ])('12 I10 a value that %s is in no message, and the message is the same each time', async (_, chart, values) => {
      const target = await world.target();
      const first = failureIn(await world.deliver(await world.release(target, { chart, values })));
      expect(first.message).not.toBe('');
      expect(first.message).not.toContain(SECRET);
      expect(JSON.stringify(await world.observe(target))).not.toContain(SECRET);
      const second = failureIn(await world.deliver(await world.release(target, { chart, values })));
      expect(second.message).toBe(first.message);
    });
  });
}

function interruptionCases(world: BackendWorld): void {
  const { interrupt } = {
    interrupt: (...args: Parameters<NonNullable<typeof world.harness.interrupt>>) => {
      if (world.harness.interrupt === undefined) throw new Error('a backend that runs processes can be interrupted');
      return world.harness.interrupt(...args);
    },
  };
  const hooked = { name: 'hooked' };
  const slow = { runFor: '300s' };

  it('8 F72 an upgrade whose owner was killed is pending, is refused, and goes on once it is unlocked', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target, { chart: hooked }));
    const release = await world.release(target, { chart: hooked, values: slow, digest: 'd-2' });
    await interrupt({ kind: 'upgrade', release, observed });
    const pending = presentOf(await world.observe(target));
    expect(pending).toMatchObject({ token: release.token, digest: 'd-2', delivery: 'pending', everDelivered: true });
    const next = await world.release(target, { chart: hooked, values: { runFor: '0.1s' }, digest: 'd-3' });
    expect((await world.deliver(next)).outcome).toMatchObject({ kind: 'failed', error: { code: 'ReleaseLocked' } });
    const unlock = { kind: 'unlock', target, observed: pending } as const;
    expect(await world.harness.createBackend().submit(unlock, NO_ABORT)).toEqual({ kind: 'accepted' });
    expect(await world.observe(target)).toMatchObject({
      token: release.token,
      delivery: 'failed',
      revision: pending.revision,
    });
    expect(await world.harness.createBackend().submit(unlock, NO_ABORT)).toEqual({ kind: 'accepted' });
    expect((await world.delivered(next)).digest).toBe('d-3');
  });

  it('8 F72 a first install whose owner was killed runs the install hooks when it is driven again', async () => {
    const target = await world.target();
    const release = await world.release(target, { chart: hooked, values: slow });
    await interrupt({ kind: 'install', release, observed: { state: 'absent' } });
    const pending = presentOf(await world.observe(target));
    expect(pending).toMatchObject({ token: release.token, delivery: 'pending', everDelivered: false });
    await world.harness.createBackend().submit({ kind: 'unlock', target, observed: pending }, NO_ABORT);
    const before = await world.read('Job', 'web-install', target.namespace);
    await world.delivered(await world.release(target, { chart: hooked }));
    expect((await world.read('Job', 'web-install', target.namespace))?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(await world.read('Job', 'web-upgrade', target.namespace)).toBeUndefined();
  });

  it('8 an unlock that is late leaves a release alone that went on', async () => {
    const target = await world.target();
    const first = await world.delivered(await world.release(target));
    const second = await world.delivered(await world.release(target));
    const stale = { ...first, delivery: 'pending' } as const;
    const outcome = await world.harness.createBackend().submit({ kind: 'unlock', target, observed: stale }, NO_ABORT);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ApiConflict' } });
    expect(await world.observe(target)).toEqual(second);
  });

  it('9 a first install whose owner was killed can be removed', async () => {
    const target = await world.target();
    const release = await world.release(target, { chart: hooked, values: slow });
    await interrupt({ kind: 'install', release, observed: { state: 'absent' } });
    const pending = presentOf(await world.observe(target));
    expect(await world.uninstall(target, pending)).toEqual({ kind: 'accepted' });
  });

  it('14 a delivery that is stopped at its deadline ends, and can be seen', async () => {
    const target = await world.target();
    const observed = await world.delivered(await world.release(target, { chart: hooked }));
    const release = await world.release(target, { chart: hooked, values: slow });
    const controller = new AbortController();
    const running = world.harness.createBackend().submit({ kind: 'upgrade', release, observed }, controller.signal);
    const isPending = async (): Promise<boolean> => presentOf(await world.observe(target)).token === release.token;
    await expect.poll(isPending, { timeout: 30_000, interval: 20 }).toBe(true);
    controller.abort();
    expect(await running).toMatchObject({ kind: 'failed', error: { code: 'HelmKilled', class: 'transient' } });
    expect(['failed', 'pending']).toContain(presentOf(await world.observe(target)).delivery);
  });

  it('14 a delivery that was stopped before it began changes nothing', async () => {
    const target = await world.target();
    const release = await world.release(target);
    const action = { kind: 'install', release, observed: { state: 'absent' } } as const;
    expect((await world.harness.createBackend().submit(action, AbortSignal.abort())).kind).toBe('failed');
    expect(await world.observe(target)).toEqual({ state: 'absent' });
  });
}
