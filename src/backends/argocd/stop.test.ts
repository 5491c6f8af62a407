import { beforeEach, describe, expect, it } from 'vitest';
import {
  annotated,
  atPhase,
  noteIn,
  specOf,
  synced,
  withSpec,
  withStatus,
  written,
} from '../../../test/build/argocd.ts';
import { ArgoCdWorld } from '../../../test/build/argocd-world.ts';
import { TARGET } from '../../../test/build/helm-release.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { at } from '../../lib/json.ts';
import { NOTE } from './notes.ts';

const ADMIN = { initiatedBy: { username: 'admin' }, sync: {} };

describe('an attempt that is stopped', () => {
  let world: ArgoCdWorld;

  beforeEach(() => {
    world = new ArgoCdWorld();
  });

  async function stop(application: KubeObject): Promise<KubeObject> {
    world.put(application);
    const observed = await world.present();
    expect(await world.submit({ kind: 'stop', target: TARGET, observed })).toBe('accepted');
    return world.application() ?? written();
  }

  it('P9 and was begun, is terminated as Argo CD terminates', async () => {
    const after = await stop(atPhase(written(), 'Running', { message: 'waiting' }));
    expect(at(after['status'], 'operationState')).toMatchObject({ phase: 'Terminating', message: 'waiting' });
    expect(after['operation']).toBeDefined();
    expect(noteIn(after, 'stopped')).toBe('token-2');
    expect(await world.present()).toMatchObject({ delivery: 'underway' });
  });

  it('P9 and was not begun, is taken back', async () => {
    const after = await stop(written());
    expect(after).not.toHaveProperty('operation');
    expect(await world.present()).toMatchObject({ delivery: 'underway', token: 'token-2' });
    expect(await world.submit({ kind: 'stop', target: TARGET, observed: await world.present() })).toBe('accepted');
    expect(world.application()).toEqual(after);
    await world.clock.advance(5000);
    expect(await world.present()).toMatchObject({ delivery: 'failed', token: 'token-2' });
  });

  it('and that nobody would look at any more, is looked at again', async () => {
    const { operation: _operation, ...stuck } = atPhase(written(), 'Running');
    const after = await stop(stuck);
    expect(at(after['status'], 'operationState', 'phase')).toBe('Terminating');
    expect(at(after['operation'], 'info')).toEqual([{ name: NOTE.attempt, value: 'token-2' }]);
  });

  it.each<[string, KubeObject]>([
    ['delivered', synced()],
    ['failed', atPhase(written(), 'Failed', { message: 'no' })],
    ['displaced by an operation of somebody else', { ...withStatus(synced(), {}), operation: ADMIN }],
  ])('twice, or once it was %s, changes nothing', async (_, application) => {
    await stop(application);
    expect(world.cluster.writes()).toEqual([]);
  });

  it('late, leaves what went on since', async () => {
    world.put(written());
    const observed = await world.present();
    world.put(written({ release: { token: 'token-3' } }));
    expect(await world.submit({ kind: 'stop', target: TARGET, observed })).toBe('failed ApiConflict');
    expect(world.application()?.['operation']).toBeDefined();
  });

  it('while Argo CD writes at the same time, is stopped all the same', async () => {
    world.put(written());
    const observed = await world.present();
    const lost: string[] = [];
    world.cluster.before = ({ verb, line }) => {
      if (verb !== 'replace' || lost.length > 0) return;
      lost.push(line);
      throw new KubepkgError('ApiConflict', line);
    };
    expect(await world.submit({ kind: 'stop', target: TARGET, observed })).toBe('accepted');
    expect(world.application()).not.toHaveProperty('operation');
  });
});

describe('what was put aside', () => {
  const aside = annotated(synced(), { [NOTE.automated]: '{"selfHeal":true}' });

  async function handBack(application: KubeObject): Promise<unknown> {
    const world = new ArgoCdWorld();
    world.put(application);
    const observed = await world.present();
    expect(await world.submit({ kind: 'hand-back', target: TARGET, observed })).toBe('accepted');
    const after = world.application() ?? written();
    expect(noteIn(after, 'automated')).toBeUndefined();
    expect(await world.present()).toMatchObject({ delivery: 'delivered', handBack: false });
    return at(specOf(after), 'syncPolicy', 'automated');
  }

  it.each<[string, KubeObject, unknown]>([
    ['is given back', aside, { selfHeal: true }],
    [
      'is what somebody chose meanwhile',
      withSpec(aside, { syncPolicy: { automated: { prune: true } } }),
      { prune: true },
    ],
    ['is nothing where somebody spoilt the note', annotated(synced(), { [NOTE.automated]: 'x' }), undefined],
    ['is nothing where nothing was', synced(), undefined],
  ])('%s', async (_, application, automated) => {
    expect(await handBack(application)).toEqual(automated);
  });
});

describe('an unlock', () => {
  it('is refused: nothing of Argo CD can be left locked by us', async () => {
    const world = new ArgoCdWorld();
    world.put(synced());
    const observed = await world.present();
    expect(await world.submit({ kind: 'unlock', target: TARGET, observed })).toBe('refused Unsupported');
  });
});
