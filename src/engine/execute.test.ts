import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent, aPackage, aRevision, aRevisionComponent, aSource } from '../../test/build/objects.ts';
import { aWorld } from '../../test/build/world.ts';
import { rest } from '../../test/fakes/clock.ts';
import { engineHands } from '../../test/fakes/engine-hands.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import { API_VERSION, FINALIZER } from '../api/names.ts';
import type { PackageRevisionSpec } from '../api/package-revision.ts';
import type { Action } from '../domain/decide/decision.ts';
import type { World } from '../domain/decide/world.ts';
import { resolvePackage } from '../domain/resolve/resolve-package.ts';
import { execute, type Executed } from './execute.ts';
import type { Hands } from './hands.ts';

const TARGET = { package: 'shop', component: 'app', releaseName: 'app', namespace: 'shop' };
const CHART = { kind: 'chart', repository: 'oci://registry.example.org', name: 'app', version: '1.0.0' } as const;
const APP = aRevisionComponent('app', { chart: CHART });

describe('the execution of an action', () => {
  let fakes: EngineWorld;
  let hands: Hands;
  let woken: string[];
  let world: World;

  beforeEach(async () => {
    fakes = new EngineWorld();
    woken = [];
    fakes.addPackage({}, { uid: 'uid-shop', finalizers: ['others/finalizer', FINALIZER] });
    hands = engineHands(fakes, (name) => woken.push(name));
    await hands.journal.start();
    await putRevision();
    world = worldNow();
  });

  async function putRevision(number = 1): Promise<void> {
    const { metadata, ...parts } = aRevision({ number, components: [APP] });
    const labels = { 'kubepkg.dev/package': 'shop' };
    const ownerReferences = [{ apiVersion: API_VERSION, kind: 'Package', name: 'shop', uid: 'uid-shop' }];
    fakes.cluster.put({ ...parts, metadata: { ...metadata, labels, ownerReferences } });
    await rest();
  }

  /** What a turn would have gathered. */
  function worldNow(parts: Partial<World> = {}): World {
    const pkg = hands.journal.package('shop');
    if (pkg?.ok !== true) throw new Error('the package cannot be read');
    const resolution = resolvePackage(aPackage(), aSource([aComponent('app')]), { defaultBackend: 'helm' });
    return aWorld({ package: pkg.value, revisions: hands.journal.revisions(pkg.value), resolution, ...parts });
  }

  const run = (action: Action, on = world): Promise<Executed> => execute(hands, on, action);
  const finalizersOf = (kind: string, name: string): readonly string[] | undefined =>
    fakes.object(kind, name).metadata.finalizers;
  const deliver = (parts: Partial<Extract<Action, { kind: 'deliver' }>> = {}): Action => ({
    kind: 'deliver',
    mode: 'install',
    revision: 'shop-1',
    component: 'app',
    attempt: 1,
    target: TARGET,
    status: { phase: 'Applying', components: [{ name: 'app', state: 'Submitted', attempt: 1 }] },
    ...parts,
  });

  it.each([
    ['deletes the pod that is meant', 'uid-1', undefined],
    ['leaves another one of its name alone', 'uid-2', 'uid-2'],
    ['is content where it is gone', undefined, undefined],
  ])('P10 on a pod that is to be replaced %s', async (_what, there, left) => {
    const ref = { namespace: 'shop', name: 'db-0' };
    if (there !== undefined) fakes.cluster.put({ apiVersion: 'v1', kind: 'Pod', metadata: { ...ref, uid: there } });
    expect(await run({ kind: 'replace-pod', pod: { ...ref, uid: 'uid-1' }, target: TARGET })).toBe('pause');
    const found = await fakes.cluster.read({ apiVersion: 'v1', kind: 'Pod', ...ref });
    expect(found?.metadata.uid).toBe(left);
  });

  describe('on the Package', () => {
    it('adds our finalizer to those of others', async () => {
      fakes.cluster.put({
        ...fakes.object('Package', 'shop'),
        metadata: { name: 'shop', finalizers: ['others/finalizer'] },
      });
      await rest();
      expect(await run({ kind: 'add-finalizer' }, worldNow())).toBe('again');
      expect(finalizersOf('Package', 'shop')).toEqual(['others/finalizer', FINALIZER]);
    });

    it('P20 takes away ours alone', async () => {
      expect(await run({ kind: 'release-finalizer' })).toBe('pause');
      expect(finalizersOf('Package', 'shop')).toEqual(['others/finalizer']);
    });

    it('does neither over a change that it has not seen', async () => {
      fakes.cluster.hold();
      fakes.editPackage({ variant: 'large' }, { finalizers: ['young/finalizer', FINALIZER] });
      await expect(run({ kind: 'release-finalizer' })).rejects.toMatchObject({ code: 'ApiConflict' });
      expect(finalizersOf('Package', 'shop')).toContain('young/finalizer');
    });
  });

  describe('on what a Package asks for', () => {
    const ROLLBACK = 'kubepkg.dev/rollback-to';
    const ADOPT = 'kubepkg.dev/adopt';
    const drop: Action = { kind: 'drop-annotations', annotations: [ROLLBACK, 'kubepkg.dev/force-rollback'] };
    const end: Action = { kind: 'end-adoption', revision: 'shop-1' };
    const annotationsOf = (kind: string, name: string): unknown => fakes.object(kind, name).metadata.annotations;

    async function ask(annotations: Readonly<Record<string, string>>): Promise<void> {
      fakes.editPackage({}, { annotations });
      await rest();
    }

    beforeEach(async () => {
      await ask({ [ROLLBACK]: '3', [ADOPT]: 'true', theirs: 'a' });
      world = worldNow();
    });

    it('drops what was answered, and nothing else', async () => {
      expect(await run(drop)).toBe('again');
      expect(annotationsOf('Package', 'shop')).toEqual({ [ADOPT]: 'true', theirs: 'a' });
    });

    it('ends an adoption, and notes it', async () => {
      expect(await run(end)).toBe('again');
      expect(annotationsOf('Package', 'shop')).toEqual({ [ROLLBACK]: '3', theirs: 'a' });
      expect(annotationsOf('PackageRevision', 'shop-1')).toMatchObject({ [ADOPT]: 'done' });
    });

    it.each([
      ['another number', drop, { [ROLLBACK]: '2' }],
      ['force with it', drop, { [ROLLBACK]: '3', 'kubepkg.dev/force-rollback': 'true' }],
      ['another adoption', end, { [ADOPT]: 'again' }],
    ])('P19 looks again where somebody asks for %s meanwhile', async (_what, action, asked) => {
      await ask(asked);
      expect(await run(action)).toBe('again');
      expect([annotationsOf('Package', 'shop'), fakes.cluster.writes()]).toEqual([asked, []]);
    });

    it.each([
      ['drops', drop, { [ROLLBACK]: '2' }],
      ['ends', end, { [ADOPT]: 'again' }],
    ])('P19 %s nothing over what it has not seen', async (_what, action, asked) => {
      fakes.cluster.hold();
      await ask(asked);
      await expect(run(action)).rejects.toMatchObject({ code: 'ApiConflict' });
      expect(annotationsOf('Package', 'shop')).toEqual(asked);
      expect(annotationsOf('PackageRevision', 'shop-1')).not.toHaveProperty([ADOPT]);
    });
  });

  describe('on revisions', () => {
    const spec: PackageRevisionSpec = { ...aRevision({ number: 2 }).spec };
    const annotations = { 'kubepkg.dev/desired-digest': 'sha256:desired' };
    const create: Action = { kind: 'create-revision', annotations, spec };

    it('creates one that the Package owns, with our finalizer and the digest that it is of', async () => {
      expect(await run(create)).toBe('again');
      expect(fakes.object('PackageRevision', 'shop-2')).toMatchObject({
        metadata: {
          labels: { 'kubepkg.dev/package': 'shop' },
          annotations: { 'kubepkg.dev/desired-digest': 'sha256:desired' },
          finalizers: [FINALIZER],
          ownerReferences: [{ kind: 'Package', name: 'shop', uid: 'uid-shop', controller: true }],
        },
        spec,
      });
    });

    it('I8 lets a leftover of a former Package of that name go, so that the next turn can create its own', async () => {
      const leftover = aRevision({ number: 2, components: [APP] });
      const labels = { 'kubepkg.dev/package': 'shop' };
      const ownerReferences = [{ apiVersion: API_VERSION, kind: 'Package', name: 'shop', uid: 'uid-former' }];
      fakes.cluster.put({ ...leftover, metadata: { ...leftover.metadata, labels, ownerReferences } });
      await rest();
      const action: Action = { kind: 'create-revision', annotations, spec: { ...leftover.spec } };
      await expect(run(action)).rejects.toMatchObject({ class: expect.stringMatching(/transient|terminal/) as string });
      expect(fakes.cluster.get({ apiVersion: API_VERSION, kind: 'PackageRevision', name: 'shop-2' })).toBeUndefined();
      await run(action);
      expect(hands.journal.rawRevision('shop-2')?.metadata.ownerReferences?.[0]?.uid).toBe('uid-shop');
    });

    it('I5 the API server refuses a second one of the same number', async () => {
      await run(create);
      await expect(run(create)).rejects.toMatchObject({ code: 'ApiAlreadyExists' });
    });

    it('records progress, and knows at once what it has recorded', async () => {
      fakes.cluster.hold();
      expect(await run({ kind: 'record', revision: 'shop-1', status: { phase: 'Applying' } })).toBe('again');
      expect(fakes.cluster.writes()).toEqual(['replace PackageRevision shop-1 status']);
      expect(worldNow().revisions[0]?.status).toEqual({ phase: 'Applying' });
    });

    it('records nothing over progress that it has not seen', async () => {
      fakes.cluster.hold();
      fakes.cluster.put({ ...fakes.object('PackageRevision', 'shop-1'), status: { phase: 'Applied' } });
      await expect(run({ kind: 'record', revision: 'shop-1', status: { phase: 'Failed' } })).rejects.toMatchObject({
        code: 'ApiConflict',
      });
    });

    it.each([
      ['that only a former revision has', 'app'],
      ['that no revision has any more', 'data'],
    ])('P10 records the failure of a component %s', async (_which, component) => {
      const { metadata, ...parts } = aRevision({ number: 2, components: [] });
      const ownerReferences = [{ apiVersion: API_VERSION, kind: 'Package', name: 'shop', uid: 'uid-shop' }];
      const labels = { 'kubepkg.dev/package': 'shop' };
      fakes.cluster.put({ ...parts, metadata: { ...metadata, labels, ownerReferences } });
      await rest();
      const target = { ...TARGET, component, releaseName: component };
      const release = {
        target,
        backend: 'helm',
        observation: { state: 'absent' },
        delivery: { kind: 'none' },
      } as const;
      const health = { status: 'unobserved', message: '', notes: [] } as const;
      const releases = { [`shop/${component}`]: { ...release, health } };
      const status = { phase: 'Failed', failure: { component, code: 'ComponentFailed', message: 'it hangs' } } as const;
      const action: Action = {
        kind: 'record',
        revision: 'shop-2',
        status,
        failed: { component, part: 'components', target },
      };
      expect(await run(action, worldNow({ releases }))).toBe('again');
      expect(fakes.object('PackageRevision', 'shop-2')['status']).toMatchObject(status);
    });

    it('prunes one: its finalizer goes first', async () => {
      expect(await run({ kind: 'prune', revision: 'shop-1' })).toBe('again');
      expect(fakes.cluster.all('PackageRevision')).toEqual([]);
    });

    it('prunes one that somebody removes in the same moment', async () => {
      fakes.cluster.before = ({ verb }) => {
        if (verb === 'delete')
          fakes.cluster.remove({ apiVersion: API_VERSION, kind: 'PackageRevision', name: 'shop-1' });
      };
      expect(await run({ kind: 'prune', revision: 'shop-1' })).toBe('again');
    });

    it('I6 prunes one only while it is the one that was looked at', async () => {
      const deleted: unknown[] = [];
      fakes.cluster.before = ({ write }) => {
        if (write?.verb === 'delete') deleted.push(write.uid);
      };
      await run({ kind: 'prune', revision: 'shop-1' });
      expect(deleted).toEqual(['uid-shop-1']);
    });

    it('lets one go without deleting it: the garbage collector does', async () => {
      const { metadata, ...revision } = fakes.object('PackageRevision', 'shop-1');
      fakes.cluster.put({ ...revision, metadata: { ...metadata, finalizers: [FINALIZER, 'others/finalizer'] } });
      await rest();
      expect(await run({ kind: 'release-revision', revision: 'shop-1' })).toBe('again');
      expect(finalizersOf('PackageRevision', 'shop-1')).toEqual(['others/finalizer']);
    });

    it('says that one is gone', async () => {
      const gone: Action = { kind: 'record', revision: 'shop-9', status: {} };
      await expect(run(gone)).rejects.toMatchObject({ code: 'ApiNotFound' });
    });
  });

  describe('P9 of a delivery', () => {
    it('writes the step into the journal before the backend is asked', async () => {
      fakes.cluster.before = ({ line }) => {
        if (line.endsWith('status')) expect(fakes.backend.submitted).toEqual([]);
      };
      expect(await run(deliver())).toBe('again');
      expect(hands.deliveries.view(TARGET).kind).toBe('running');
      await rest();
      expect(fakes.backend.submitted).toEqual(['install shop/app']);
      expect(fakes.cluster.writes()[0]).toBe('replace PackageRevision shop-1 status');
    });

    it('starts nothing when the journal cannot be written, and gives the place back', async () => {
      fakes.cluster.before = ({ line }) => {
        if (line.endsWith('status')) throw new KubepkgError('ApiConflict', 'somebody was quicker');
      };
      await expect(run(deliver())).rejects.toMatchObject({ code: 'ApiConflict' });
      await rest();
      expect(fakes.backend.submitted).toEqual([]);
      expect(hands.pool.reserve('other')).toBe(true);
    });

    it('R12 starts no clock without a place in the pool, and is called once there is one', async () => {
      hands.pool.reserve('other');
      expect(await run(deliver())).toBe('pause');
      expect(fakes.cluster.writes()).toEqual([]);
      hands.pool.release();
      expect(woken).toEqual(['place shop']);
    });

    it('gives its place back at its end, has the release looked at again, and wakes the package', async () => {
      const question = { backend: fakes.backend, target: TARGET, component: undefined, awaited: true };
      await hands.book.ask(question);
      await run(deliver());
      expect(hands.pool.reserve('other')).toBe(false);
      await rest();
      expect(woken).toEqual(['place other', 'shop']);
      expect(hands.pool.reserve('other')).toBe(true);
      expect((await hands.book.ask(question)).observation).toMatchObject({ state: 'present', delivery: 'delivered' });
    });

    it('P21 takes over what is there only if the revision says so', async () => {
      const { metadata, apiVersion, kind, ...revision } = fakes.object('PackageRevision', 'shop-1');
      fakes.backend.leave(TARGET, { owner: 'somebody else' });
      await run(deliver());
      await rest();
      expect(hands.deliveries.view(TARGET)).toMatchObject({ kind: 'failed', code: 'OwnershipConflict' });
      const spec = { ...(revision['spec'] as PackageRevisionSpec), adopt: true };
      fakes.cluster.put({ apiVersion, kind, metadata, spec });
      await rest();
      await run(deliver(), worldNow());
      await rest();
      expect(hands.deliveries.view(TARGET).kind).toBe('accepted');
    });

    it('taken up again writes nothing that is in the journal already', async () => {
      const { status: _recorded, ...again } = deliver() as Extract<Action, { kind: 'deliver' }>;
      await run(again);
      await rest();
      expect(fakes.cluster.writes()).not.toContain('replace PackageRevision shop-1 status');
      expect(fakes.backend.submitted).toEqual(['install shop/app']);
    });

    it('stops the one that runs', async () => {
      fakes.backend.script = (_action, signal) =>
        new Promise((resolve) => {
          const stopped = { kind: 'failed', error: new KubepkgError('HelmKilled', 'stopped') } as const;
          signal.addEventListener('abort', () => {
            resolve(stopped);
          });
        });
      await run(deliver());
      await rest();
      expect(await run({ kind: 'stop', target: TARGET })).toBe('pause');
      await rest();
      expect(hands.deliveries.view(TARGET)).toMatchObject({ kind: 'failed', code: 'HelmKilled' });
    });

    it('refuses a component that the revision does not have', async () => {
      await expect(run(deliver({ component: 'nobody' }))).rejects.toMatchObject({ code: 'Internal' });
    });
  });

  describe('of the other things that are done to a release', () => {
    it.each<['unlock' | 'uninstall', 'pending' | 'delivered']>([
      ['unlock', 'pending'],
      ['uninstall', 'delivered'],
    ])('%s goes on in the background and holds a place', async (kind, delivery) => {
      fakes.backend.leave(TARGET, { delivery });
      expect(await run({ kind, target: TARGET, keepData: true })).toBe('again');
      expect(hands.pool.reserve('other')).toBe(false);
      await rest();
      expect(fakes.backend.submitted).toEqual([`${kind} shop/app`]);
      expect(woken).toEqual(['place other', 'shop']);
    });

    it('prepares charts in the background and wakes the package when they are there', async () => {
      expect(await run({ kind: 'prepare', digest: 'sha256:desired', hooks: false })).toBe('again');
      await rest();
      expect(fakes.artifacts.fetched).toEqual(['app']);
      expect(woken).toEqual(['shop']);
    });

    it('saves values under a namespace that it makes when there is none, and remembers it', async () => {
      const valuesRef = { namespace: 'kubepkg-system', name: 'kubepkg-values-shop-1', key: 'app' };
      const revision = aRevision({ components: [{ ...APP, valuesRef }] });
      expect(await run({ kind: 'save-values', revision: 'shop-1' }, { ...world, revisions: [revision] })).toBe('again');
      expect(fakes.cluster.writes()).toEqual([
        'create Namespace kubepkg-system',
        'create Secret kubepkg-system/kubepkg-values-shop-1',
      ]);
      expect([...hands.savedValues]).toEqual(['uid-shop-1']);
    });

    it('P10 I8 fails a rollback whose values are gone, instead of trying for ever', async () => {
      const lost = { namespace: 'kubepkg-system', name: 'kubepkg-values-shop-1', key: 'app' };
      const own = { ...lost, name: 'kubepkg-values-shop-2' };
      const restored = aRevision({ number: 1, components: [{ ...APP, valuesRef: lost }] });
      const base = aRevision({ number: 2, components: [{ ...APP, valuesRef: own }] });
      const restoring = { ...base, spec: { ...base.spec, restoredFrom: 1 } };
      fakes.cluster.put(restoring);
      await rest();
      await run({ kind: 'save-values', revision: 'shop-2' }, { ...world, revisions: [restored, restoring] });
      const status = { phase: 'Failed', failure: { code: 'DigestMismatch' } };
      expect(fakes.object('PackageRevision', 'shop-2')).toMatchObject({ status });
    });
  });
});
