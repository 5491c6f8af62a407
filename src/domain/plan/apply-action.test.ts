import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../../test/build/deep-freeze.ts';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aRelease, aWorld, present, READY, releases, RUNNING } from '../../../test/build/world.ts';
import type { Action } from '../decide/decision.ts';
import type { CrdView, World } from '../decide/world.ts';
import { applyAction } from './apply-action.ts';

const COMPONENT = aRevisionComponent('app');
const REVISION = aRevision({ number: 1, components: [COMPONENT], status: { phase: 'Applying' } });
const TARGET = { package: 'shop', component: 'app', releaseName: 'app', namespace: 'shop' };
const THINGS: CrdView = { name: 'things', uid: 'u1', owner: 'other', isDeclaredByOwner: true, isKept: false };

function worldWith(parts: Partial<World> = {}, release: Parameters<typeof aRelease>[2] = {}): World {
  const views = releases(aRelease(REVISION, COMPONENT, release));
  return deepFreeze(aWorld({ revisions: [REVISION], releases: views, ...parts }));
}

function releaseAfter(world: World, action: Action) {
  return applyAction(world, action).releases['shop/app'];
}

const deliver: Action = {
  kind: 'deliver',
  mode: 'upgrade',
  revision: REVISION.metadata.name,
  component: 'app',
  attempt: 1,
  target: TARGET,
  status: { phase: 'Applying', message: 'noted first' },
};

describe('a world after an action that has succeeded', () => {
  it('has the release delivered for the attempt, with its digest, and healthy', () => {
    const world = worldWith({}, { observation: present({ revision: 3, token: 'former', handBack: true }) });
    const after = applyAction(world, deliver);
    expect(after.releases['shop/app']).toMatchObject({
      observation: { revision: 4, digest: 'digest-app', delivery: 'delivered', everDelivered: true, handBack: true },
      delivery: { kind: 'accepted' },
      health: { status: 'ready' },
    });
    expect(after.revisions[0]?.status).toEqual({ phase: 'Applying', message: 'noted first' });
  });

  it('has the release gone, and that noted', () => {
    const world = worldWith({}, { observation: present(), health: READY });
    const action: Action = { kind: 'uninstall', keepData: true, target: TARGET };
    expect(releaseAfter(world, action)).toMatchObject({
      observation: { state: 'absent' },
      health: { status: 'unobserved' },
    });
  });

  it('has nothing going on after a stop, whoever was at it', () => {
    const running = {
      observation: present({ delivery: 'pending', token: 't' }),
      delivery: { ...RUNNING, token: 't' },
    } as const;
    expect(releaseAfter(worldWith({}, running), { kind: 'stop', target: TARGET })).toMatchObject({
      observation: { delivery: 'pending' },
      delivery: { kind: 'failed', code: 'HelmKilled', token: 't', transient: true },
    });
    const underway = { observation: present({ delivery: 'underway', goesOn: true }), stop: { token: 't', until: 1 } };
    const stopped = releaseAfter(worldWith({}, underway), { kind: 'stop', target: TARGET });
    expect(stopped).toMatchObject({ observation: { delivery: 'failed', goesOn: false } });
    expect(stopped).not.toHaveProperty('stop');
  });

  it('has a record settled, and given back what was put aside', () => {
    const pending = worldWith({}, { observation: present({ delivery: 'pending' }) });
    expect(releaseAfter(pending, { kind: 'unlock', target: TARGET })?.observation).toMatchObject({
      delivery: 'failed',
    });
    const aside = worldWith({}, { observation: present({ handBack: true }) });
    const given = releaseAfter(aside, { kind: 'hand-back', target: TARGET });
    expect(given?.observation).not.toHaveProperty('handBack');
  });

  it.each<[string, Action, readonly Partial<CrdView>[]]>([
    [
      'claimed, and kept',
      { kind: 'claim-crds', keep: true, crds: [{ name: 'things', uid: 'u1' }] },
      [{ owner: 'shop', isKept: true, isDeclaredByOwner: false }],
    ],
    [
      'claimed, and not kept',
      { kind: 'claim-crds', keep: false, crds: [{ name: 'things', uid: 'u1' }] },
      [{ owner: 'shop', isKept: false }],
    ],
    [
      'left where it is another one',
      { kind: 'claim-crds', keep: true, crds: [{ name: 'things', uid: 'u2' }] },
      [THINGS],
    ],
    [
      'let go, and kept',
      { kind: 'release-crds', crds: [{ name: 'things', uid: 'u1' }] },
      [{ owner: undefined, isKept: true }],
    ],
    ['deleted', { kind: 'delete-crd', crd: { name: 'things', uid: 'u1' } }, []],
  ])('has CRDs %s', (_what, action, expected) => {
    const after = applyAction(worldWith({ crds: { kind: 'read', crds: [THINGS] } }), action);
    expect(after.crds).toMatchObject({ kind: 'read', crds: expected });
  });

  it('has the CRDs that an applied revision lists, owned by nobody yet', () => {
    const lists = { ...REVISION, spec: { ...REVISION.spec, crds: ['things', 'others'] } };
    const world = worldWith({ revisions: [lists], crds: { kind: 'read', crds: [THINGS] } });
    const record: Action = { kind: 'record', revision: REVISION.metadata.name, status: { phase: 'Applied' } };
    expect(applyAction(world, record).crds).toMatchObject({
      crds: [THINGS, { name: 'others', owner: undefined, isKept: false }],
    });
    expect(applyAction(world, { ...record, status: { phase: 'Applying' } }).crds).toBe(world.crds);
  });

  it.each<[string, Action, (world: World) => unknown, unknown]>([
    ['add-finalizer', { kind: 'add-finalizer' }, (world) => world.package.metadata.finalizers, ['kubepkg.dev/cleanup']],
    ['release-finalizer', { kind: 'release-finalizer' }, (world) => world.package.metadata.finalizers, []],
    [
      'drop-annotations',
      { kind: 'drop-annotations', annotations: ['a'] },
      (world) => world.package.metadata.annotations,
      { b: '2', 'kubepkg.dev/adopt': 'true' },
    ],
    [
      'end-adoption',
      { kind: 'end-adoption', revision: REVISION.metadata.name },
      (world) => [world.package.metadata.annotations, world.revisions[0]?.metadata.annotations?.['kubepkg.dev/adopt']],
      [{ a: '1', b: '2' }, 'done'],
    ],
    ['restore-namespace', { kind: 'restore-namespace', namespace: 'n1' }, (world) => world.surplusPrivileges, ['n2']],
    ['save-values', { kind: 'save-values', revision: 'shop-1' }, (world) => world.valuesSaved, true],
    ['prune', { kind: 'prune', revision: REVISION.metadata.name }, (world) => world.revisions, []],
    [
      'release-revision',
      { kind: 'release-revision', revision: REVISION.metadata.name },
      (world) => world.revisions[0]?.metadata.finalizers,
      [],
    ],
    [
      'take-over',
      { kind: 'take-over', revision: REVISION.metadata.name, annotations: { x: '1' }, status: { phase: 'Applied' } },
      (world) => [world.revisions[0]?.metadata.annotations?.['x'], world.revisions[0]?.status],
      ['1', { phase: 'Applied' }],
    ],
    [
      'complete-revision',
      { kind: 'complete-revision', revision: REVISION.metadata.name },
      (world) => world.revisions[0]?.metadata.annotations?.['kubepkg.dev/additions'],
      '{}',
    ],
  ])('has what %s does', (kind, action, look, expected) => {
    const annotations = { a: '1', b: '2', 'kubepkg.dev/adopt': 'true' };
    const finalizers = kind === 'add-finalizer' ? [] : ['kubepkg.dev/cleanup'];
    const pkg = aPackage({}, { annotations, finalizers });
    const world = worldWith({ package: pkg, surplusPrivileges: ['n1', 'n2'], valuesSaved: false });
    expect(look(applyAction(world, action))).toEqual(expected);
  });

  it('has a revision that is begun, whose values are to be saved, and its releases read', () => {
    const world = worldWith({}, { observation: present() });
    const spec = { ...REVISION.spec, revision: 2, components: [COMPONENT, aRevisionComponent('new')] };
    const hooks = [aRevisionComponent('hook')];
    const after = applyAction(world, { kind: 'create-revision', spec: { ...spec, hooks }, annotations: { k: 'v' } });
    expect(after.revisions.map(({ metadata }) => metadata.name)).toEqual([REVISION.metadata.name, 'shop-2']);
    expect(after.valuesSaved).toBe(false);
    expect(after.releases).toMatchObject({
      'shop/app': { observation: { state: 'present' }, health: { status: 'ready' } },
      'shop/new': { observation: { state: 'absent' } },
      'shop/hook': { observation: { state: 'absent' }, jobs: 'never' },
    });
  });
});
