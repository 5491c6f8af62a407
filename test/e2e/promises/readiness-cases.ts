import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import type { ReadyWhen } from '../../../src/api/readiness.ts';
import { formatSeconds } from '../../../src/lib/time.ts';
import { expectAfter } from '../operator/expect-after.ts';
import { customKind } from '../operator/fake-operator.ts';
import { cure, inNamespace, messageOf, phases, publish, says, sim, spoil } from '../operator/packages.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import { PART, type Stage } from './stage.ts';

export function readinessCases({ world, tree, parts }: Stage): void {
  const { backend, cluster } = world;

  /** A component, and one named `last` that is to come after it. */
  async function install(name: string, first: SourceComponent, spec: WrittenPackageSpec = {}): Promise<void> {
    const last = inNamespace(name)('mark', { dependsOn: [first.name] }, 'last');
    await publish(world, name, { tree, components: [first, last] });
    await world.applyPackage(name, spec);
  }

  const lastOf = (namespace: string): Promise<KubeObject | undefined> =>
    cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'last' });

  describe('a component is ready', () => {
    it('P6 R1 F07 once its Deployment is available and its Job has completed', async () => {
      const slow = sim({ 'ready-after': '1s', 'init-for': '1s', 'run-for': '2s' });
      await install('workloads', inNamespace('workloads')('load'), { components: { load: slow } });
      await world.untilPackage('workloads', isReady);
      const job = await cluster.read({ apiVersion: 'batch/v1', kind: 'Job', namespace: 'workloads', name: 'load' });
      expect(job && condition(job, 'Complete')?.status).toBe('True');
      expectAfter(await lastOf('workloads'), job);
    });

    it('P7 F13 when the object of readyWhen is there: no kind, no object, no status are waited for', async () => {
      const late = { apiVersion: 'late.example.org/v1', kind: 'Late', namespace: 'awaiting', name: 'thing' };
      const { namespace, ...place } = late;
      const readyWhen: ReadyWhen[] = [{ ...place, condition: 'Ready', status: 'True' }];
      await install('awaiting', inNamespace('awaiting')('config', { readyWhen }));
      const waiting = await world.untilPackage('awaiting', says(/is not served yet/));
      expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
      await cluster.write({ verb: 'create', object: customKind('late.example.org', late.kind) });
      await world.untilPackage('awaiting', says(/does not exist yet/));
      const { apiVersion, kind, name } = late;
      await cluster.write({ verb: 'create', object: { apiVersion, kind, metadata: { name, namespace } } });
      await world.untilPackage('awaiting', says(/has no status yet/));
      const report = (status: string): Promise<KubeObject> => {
        const lastTransitionTime = formatSeconds(Date.now());
        const conditions = [{ type: 'Ready', status, reason: 'Said', message: '', lastTransitionTime }];
        const patch = { status: { conditions } };
        return cluster.write({ verb: 'merge-patch', subresource: 'status', ref: late, patch });
      };
      await report('False');
      await world.untilPackage('awaiting', says(/Ready is False/));
      expect(await backend.deliveriesOf({ namespace, name: 'last' })).toEqual([]);
      const told = await report('True');
      await world.untilPackage('awaiting', isReady);
      expectAfter(await lastOf('awaiting'), told);
    });

    it('P8 when CEL says so of an object without conditions, in healthCheckExprs and in readyWhen', async () => {
      const own = inNamespace('checked');
      const check = { ...PART, current: "status.phase == 'HEALTH_OK'", inProgress: "status.phase == 'HEALTH_WARN'" };
      const enough: ReadyWhen = { ...PART, name: 'part', expression: 'status.members >= 3', status: 'True' };
      const components = [
        own('part', { healthCheckExprs: [check] }),
        own('mark', { dependsOn: ['part'], readyWhen: [enough] }, 'pool'),
        own('mark', { dependsOn: ['pool'] }, 'last'),
      ];
      await publish(world, 'checked', { tree, components });
      const script = [
        { afterMs: 200, fields: { phase: 'HEALTH_WARN' } },
        { afterMs: 1500, fields: { phase: 'HEALTH_OK', members: 1 } },
      ];
      await world.applyPackage('checked', {
        components: { part: { values: { spec: { script, generationIn: 'status' } } } },
      });
      await world.untilPackage('checked', says(/the expression is false/));
      expect(await lastOf('checked')).toBeUndefined();
      const ref = { ...PART, namespace: 'checked', name: 'part' };
      const patch = { status: { members: 3 } };
      const told = await cluster.write({ verb: 'merge-patch', subresource: 'status', ref, patch });
      await world.untilPackage('checked', isReady);
      const healthy = parts.written.findLast(({ metadata }) => metadata.namespace === 'checked');
      const pool = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'checked', name: 'pool' };
      expectAfter(await cluster.read(pool), healthy);
      expectAfter(await lastOf('checked'), told);
    });

    it('P8 never with CEL that does not compile: said before anything is touched', async () => {
      const broken = { ...PART, current: 'status.phase ==' };
      await install('uncompiled', inNamespace('uncompiled')('part', { healthCheckExprs: [broken] }));
      const pkg = await world.untilPackage('uncompiled', hasReason('InvalidConfiguration'));
      expect(messageOf(pkg)).toContain('component part: install.healthCheckExprs[0].current');
      expect(await world.revisions('uncompiled')).toEqual([]);
      expect(await backend.tracesIn('uncompiled')).toEqual([]);
    });

    it('F20 of custom resources alone, and a note says how little that is', async () => {
      await publish(world, 'silent', { tree, components: [inNamespace('silent')('part')] });
      await world.applyPackage('silent');
      const pkg = await world.untilPackage('silent', isReady);
      expect(messageOf(pkg)).toMatch(/Part silent\/part/);
    });

    it('F33 with a CRD that is larger than an annotation can be', async () => {
      await publish(world, 'large', { tree, components: [inNamespace('large')('large')] });
      await world.applyPackage('large');
      await world.untilPackage('large', isReady);
      expect(phases(await world.revisions('large'))).toEqual(['Applied']);
    });
  });

  describe('what runs', () => {
    it('P22 is watched after it was ready: Degraded is reported, nothing is delivered, and it recovers', async () => {
      await install('seen', inNamespace('seen')('app'));
      await world.untilPackage('seen', isReady);
      await spoil(world, 'seen', 'app');
      const broken = await world.untilPackage('seen', hasReason('Degraded'));
      expect(condition(broken, 'Ready')?.status).toBe('False');
      expect(condition(broken, 'Available')?.status).toBe('False');
      expect(messageOf(broken)).toContain('Deployment seen/app');
      await cure(world, 'seen', 'app');
      const whole = await world.untilPackage('seen', isReady);
      expect(condition(whole, 'Available')?.status).toBe('True');
      expect(await backend.deliveriesOf({ namespace: 'seen', name: 'app' })).toEqual([1]);
      expect(await world.revisions('seen')).toHaveLength(1);
    });
  });
}
