import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import type { BackendAction, ReleaseTarget, SubmitOutcome } from '../ports/backend.ts';

const STORE: ReleaseTarget = { package: 'shop', component: 'store', releaseName: 'store', namespace: 'shop' };
const COMPONENTS = [aComponent('store'), aComponent('app', { dependsOn: ['store'] })];

describe('a delivery that a controller carries out', () => {
  let world: EngineWorld;

  beforeEach(async () => {
    world = new EngineWorld();
    world.backend.instruct();
    world.addSource(COMPONENTS, { version: '1.0.0' });
    await world.install();
  });

  async function happens(what: () => void): Promise<void> {
    what();
    world.wake('shop');
    await world.settle();
  }

  function newer(): Promise<void> {
    return happens(() => {
      world.addSource(COMPONENTS, { version: '1.1.0' });
    });
  }

  /** Whoever tells the controller to stop gets that answer, and nothing happens; the answer: when that was. */
  function answerStops(outcome: SubmitOutcome): readonly number[] {
    const times: number[] = [];
    const submit = world.backend.submit.bind(world.backend);
    world.backend.submit = (action: BackendAction, signal) => {
      if (action.kind !== 'stop') return submit(action, signal);
      times.push(world.clock.now());
      return Promise.resolve(outcome);
    };
    return times;
  }

  it('P9 whose controller does not listen is stopped once, and fails when that one had time to', async () => {
    const stops = answerStops({ kind: 'accepted' });
    await world.advance(610_000);
    expect([stops.length, world.ready()]).toEqual([1, 'False Progressing']);
    await world.advance(30_000);
    expect([stops.length, world.ready()]).toEqual([1, 'False UpgradeFailed']);
  });

  it('P9 that cannot be stopped at the moment is stopped again after ever longer pauses', async () => {
    const stops = answerStops({ kind: 'failed', error: new KubepkgError('ApiTimeout', 'no answer in time') });
    for (const ms of [601_000, 500, 1000, 2000, 4000, 8000]) await world.advance(ms);
    const first = stops[0] ?? 0;
    expect(stops.map((time) => time - first)).toEqual([0, 1500, 3500, 7500, 15_500]);
  });

  it('P9 that may not be stopped by us fails nevertheless', async () => {
    const stops = answerStops({ kind: 'failed', error: new KubepkgError('ApiForbidden', 'it is forbidden') });
    await world.advance(610_000);
    await world.advance(30_000);
    expect([stops.length, world.ready()]).toEqual([1, 'False UpgradeFailed']);
  });

  it('I3 is let end before a newer desired state takes over', async () => {
    await newer();
    expect(world.phases()).toEqual(['Applying']);
    expect(world.backend.submitted).toEqual(['install shop/store']);
    await happens(() => {
      world.backend.complete(STORE);
    });
    expect(world.phases()).toEqual(['Failed', 'Applying']);
  });

  it('I3 that fails, and that its controller would try again, is stopped before a newer desired state takes over', async () => {
    await happens(() => {
      const failure = { code: 'ApiTimeout', message: 'no answer in time' } as const;
      world.backend.amend(STORE, { delivery: 'failed', failure, goesOn: true });
    });
    await newer();
    expect(world.backend.submitted.slice(0, 2)).toEqual(['install shop/store', 'stop shop/store']);
    expect(world.phases()[0]).toBe('Failed');
  });

  it('I3 whose controller does not listen holds a newer desired state back no longer than a while', async () => {
    const stops = answerStops({ kind: 'accepted' });
    await happens(() => {
      const failure = { code: 'ApiTimeout', message: 'no answer in time' } as const;
      world.backend.amend(STORE, { delivery: 'failed', failure, goesOn: true });
    });
    await newer();
    expect([stops.length, world.phases()]).toEqual([1, ['Applying']]);
    await world.advance(31_000);
    expect(world.phases()[0]).toBe('Failed');
  });
});
