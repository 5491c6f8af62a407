import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { workload } from '../../test/build/workload.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import { API_VERSION } from '../api/names.ts';
import { asArray, asNumber, at } from '../lib/json.ts';

const TWO = [aComponent('app', { dependsOn: ['store'] }), aComponent('store')];
const MINUTE = 60_000;

describe('the engine tells of every transition', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld();
    world.addSource(TWO);
  });

  /** Reasons of what was told since the last call, in order. */
  function told(): readonly string[] {
    return world.events.splice(0).map((line) => line.replace(/^shop (Normal|Warning) /, ''));
  }

  it('of an installation', async () => {
    await world.install();
    expect(told()).toEqual([
      'Progressing',
      'RevisionCreated',
      'ComponentSubmitted',
      'ComponentReady',
      'ComponentSubmitted',
      'ComponentReady',
      'RevisionApplied',
      'ReconciliationSucceeded',
    ]);
  });

  it('of what an upgrade changes, and of nothing that was right already', async () => {
    world.addPackage();
    await world.start();
    await world.settle();
    told();
    world.editPackage({ components: { app: { values: { replicas: 3 } } } });
    await world.settle();
    const reasons = told();
    expect(reasons.filter((reason) => reason === 'ComponentSubmitted')).toHaveLength(1);
    expect(reasons.filter((reason) => reason === 'ComponentReady')).toHaveLength(1);
    expect(reasons).toEqual(expect.arrayContaining(['RevisionCreated', 'RevisionApplied']));
  });

  it('of a failure: the component, the revision, the verdict', async () => {
    world.backend.fail(new KubepkgError('ImmutableField', 'spec.selector cannot change'));
    await world.install();
    expect(told().slice(-3)).toEqual(['ComponentFailed', 'RevisionFailed', 'UpgradeFailed']);
  });

  it('of each attempt', async () => {
    world.backend.fail(new KubepkgError('WebhookNotAnswering', 'no answer'));
    await world.install();
    world.backend.succeed();
    await world.advance(MINUTE);
    expect(told().filter((reason) => /Submitted|Retried/.test(reason))).toEqual([
      'ComponentSubmitted',
      'ComponentRetried',
      'ComponentSubmitted',
    ]);
  });

  it('of health that is lost and found', async () => {
    world.backend.objects = ({ component }) => [workload(component)];
    await world.install();
    told();
    world.cluster.put(workload('app', 1));
    await world.settle();
    expect(told()).toEqual(['Degraded']);
    world.cluster.put(workload('app'));
    await world.settle();
    expect(told()).toEqual(['Recovered', 'ReconciliationSucceeded']);
  });

  it('of being suspended and resumed', async () => {
    await world.install();
    told();
    world.editPackage({ suspend: true });
    await world.settle();
    world.editPackage({});
    await world.settle();
    expect(told()).toEqual(['Suspended', 'Resumed', 'ReconciliationSucceeded']);
  });

  it('of a Package that cannot be read', async () => {
    await world.install();
    told();
    const { metadata } = world.object('Package', 'shop');
    world.cluster.put({ apiVersion: API_VERSION, kind: 'Package', metadata, spec: { upgrade: { timeout: 'soon' } } });
    await world.settle();
    expect(world.events).toEqual(['shop Warning InvalidConfiguration']);
    expect(world.statusOf().observedGeneration).toBe(world.object('Package', 'shop').metadata.generation);
  });

  it('once: a process that takes over repeats nothing, and nothing is told while nothing changes', async () => {
    world.backend.objects = ({ component }) => [workload(component, component === 'app' ? 0 : 3)];
    await world.install();
    told();
    await world.restart();
    await world.settle();
    for (let minute = 0; minute < 5; minute += 1) await world.advance(MINUTE);
    expect(told()).toEqual([]);
    world.cluster.put(workload('app'));
    await world.settle();
    expect(told()).toEqual(['ComponentReady', 'RevisionApplied', 'ReconciliationSucceeded']);
  });

  it('P20 of a removal that is held up, once for each thing that holds it', async () => {
    await world.install();
    await world.cluster.write({ verb: 'delete', ref: { apiVersion: API_VERSION, kind: 'Package', name: 'shop' } });
    world.backend.fail(new KubepkgError('HelmFailed', 'it will not go'));
    await world.settle();
    expect(told()).not.toContain('DeletionBlocked');
    for (let minute = 0; minute < 15; minute += 1) await world.advance(MINUTE);
    expect(told().filter((reason) => reason === 'DeletionBlocked')).toHaveLength(1);
  });

  it('F24 an edit flips Ready before anything is written or delivered for it', async () => {
    await world.install();
    const writes: string[] = [];
    const ready: unknown[] = [];
    world.cluster.after = ({ line, write }) => {
      if (write === undefined) return;
      writes.push(line);
    };
    world.backend.script = () => {
      const { metadata, ...pkg } = world.object('Package', 'shop');
      const condition = asArray(at(pkg, 'status', 'conditions')).find((entry) => at(entry, 'type') === 'Ready');
      const seen = [at(pkg, 'status', 'observedGeneration'), at(condition, 'observedGeneration')];
      ready.push([at(condition, 'status'), ...seen.map((of) => asNumber(of) === metadata.generation)]);
      return Promise.resolve({ kind: 'accepted' });
    };
    world.editPackage({ components: { app: { values: { replicas: 3 } } } });
    await world.settle();
    expect(writes[0]).toBe('replace Package shop status');
    expect(ready).toEqual([['False', true, true]]);
    expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
  });
});
