import { beforeEach, describe, expect, it, vi } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { workload } from '../../test/build/workload.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import type { SubmitOutcome } from '../ports/backend.ts';

describe('P21 two packages that want one release before there is a record of it', () => {
  let world: EngineWorld;
  /** Ends what the first one has begun and what is not in any record yet: well, or by this error. */
  let end: (error?: KubepkgError) => void;

  beforeEach(async () => {
    world = new EngineWorld();
    const submit = world.backend.submit.bind(world.backend);
    let isHeld = false;
    vi.spyOn(world.backend, 'submit').mockImplementation(async (action, signal): Promise<SubmitOutcome> => {
      if (isHeld || !('release' in action) || action.release.component !== 'store') return submit(action, signal);
      isHeld = true;
      const error = await new Promise<KubepkgError | undefined>((resolve) => {
        end = resolve;
        signal.addEventListener('abort', () => {
          resolve(new KubepkgError('HelmKilled', 'stopped'));
        });
      });
      return error === undefined ? submit(action, signal) : { kind: 'failed', error };
    });
    await world.start();
  });

  const message = (name: string): string =>
    world.statusOf(name).conditions?.find(({ type }) => type === 'Ready')?.message ?? '';

  async function addPackage(name: string, components = [aComponent('store')]): Promise<void> {
    world.addSource(components, {}, name);
    world.addPackage({}, { name });
    await world.settle();
  }

  async function addBoth(): Promise<void> {
    await addPackage('shop');
    await addPackage('front');
  }

  it('one is at work on it, and the other one waits and says for whom', async () => {
    await addBoth();
    expect([world.engine.running(), world.ready('front')]).toEqual([1, 'False Progressing']);
    expect(message('front')).toContain('component store: package shop is at work on release shop/store');
  });

  it('the other one hears at once that it is taken, and has touched nothing', async () => {
    await addBoth();
    end();
    await world.settle();
    expect([world.ready(), world.ready('front')]).toEqual([
      'True ReconciliationSucceeded',
      'False InvalidConfiguration',
    ]);
    expect(message('front')).toContain('it belongs to package shop');
    expect(world.backend.submitted).toEqual(['install shop/store']);
  });

  it('the other one has it when nothing came of the first', async () => {
    await addBoth();
    end(new KubepkgError('ValuesInvalid', 'they do not fit'));
    await world.settle();
    expect([world.ready(), world.ready('front')]).toEqual(['False UpgradeFailed', 'True ReconciliationSucceeded']);
  });

  it('P9 one that comes to it in the middle of its revision waits, stops nothing, and fails once it is taken', async () => {
    world.backend.objects = ({ component }) => (component === 'first' ? [workload('first', 1)] : []);
    await addPackage('front', [aComponent('first'), aComponent('store', { dependsOn: ['first'] })]);
    await addPackage('shop');
    world.cluster.put(workload('first'));
    await world.settle();
    expect(message('front')).toContain('package shop is at work on release shop/store');
    await world.advance(540_000);
    expect(world.engine.running()).toBe(1);
    end();
    await world.settle();
    expect([world.ready(), world.ready('front')]).toEqual(['True ReconciliationSucceeded', 'False UpgradeFailed']);
    expect(message('front')).toContain('it belongs to package shop');
    expect(world.backend.submitted).toEqual(['install shop/first', 'install shop/store']);
  });
});
