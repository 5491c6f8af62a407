import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent, aSource } from '../../../test/build/objects.ts';
import { aWorld } from '../../../test/build/world.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import { resolvePackage } from '../resolve/resolve-package.ts';
import { crdObstacle, crdRivals, deleteOwnedCrds, handOverCrds, releaseOwnedCrds, settleCrds } from './crds.ts';
import type { Decision } from './decision.ts';
import { driveRevision } from './drive-revision.ts';
import type { CrdView, World } from './world.ts';

const NAME = 'widgets.example.org';

function crd(parts: Partial<CrdView> = {}): CrdView {
  return { name: NAME, uid: 'uid-crd', owner: undefined, isDeclaredByOwner: false, isKept: false, ...parts };
}

const OWN = crd({ owner: 'shop' });
const OURS = crd({ owner: 'shop', isKept: true });
const LEFT = crd({ owner: 'former' });
const TAKEN = crd({ owner: 'rival', isDeclaredByOwner: true });

interface Scene {
  readonly crds?: readonly CrdView[] | 'unread' | 'unreadable';
  /** What the source lists. */
  readonly wanted?: readonly string[];
  readonly policy?: 'Retain' | 'Delete';
}

function worldOf({ crds = [], wanted = [NAME], policy }: Scene): World {
  return aWorld({
    package: packageOf(policy),
    resolution: resolvePackage(packageOf(policy), aSource([], { crds: [...wanted] }), { defaultBackend: 'helm' }),
    crds:
      crds === 'unread'
        ? { kind: 'unread' }
        : crds === 'unreadable'
          ? { kind: 'unreadable', message: 'customresourcedefinitions may not be listed' }
          : { kind: 'read', crds },
  });
}

function packageOf(policy: 'Retain' | 'Delete' | undefined): Package {
  return aPackage(policy === undefined ? {} : { crdPolicy: policy });
}

function desiredOf({ resolution }: World): DesiredPackage {
  if (resolution?.kind !== 'resolved') throw new Error('it cannot be resolved');
  return resolution.desired;
}

function revisionWith(crds: readonly string[] | undefined): PackageRevision {
  const { spec, ...rest } = aRevision();
  return { ...rest, spec: { ...spec, ...(crds === undefined ? {} : { backend: 'helm', crds: [...crds] }) } };
}

/** `claim widgets.example.org keep`, or what the decision waits for. */
function told(decision: Decision | undefined): string | undefined {
  if (decision === undefined) return undefined;
  if (decision.kind !== 'act') return `${decision.kind} ${decision.reason}`;
  const { action } = decision;
  const names = 'crds' in action ? action.crds.map(({ name }) => name).join(' ') : '';
  if (action.kind === 'claim-crds') return `claim ${names}${action.keep ? ' keep' : ''}`;
  return action.kind === 'delete-crd' ? `delete ${action.crd.name}` : `${action.kind.replace('-crds', '')} ${names}`;
}

describe('P21 the start of a revision that lists a CRD', () => {
  it.each<[string, Scene, string | undefined]>([
    ['goes on where the CRD does not exist', {}, undefined],
    ['goes on where it is nobody’s', { crds: [crd()] }, undefined],
    ['goes on where it is its own', { crds: [OURS] }, undefined],
    ['goes on where its owner has given it up', { crds: [LEFT] }, undefined],
    ['waits while another package owns and declares it', { crds: [TAKEN] }, 'wait CRDOwnershipConflict'],
    ['goes on where that CRD is not listed', { crds: [TAKEN], wanted: ['others.example.org'] }, undefined],
    ['goes on where it lists none', { crds: 'unreadable', wanted: [] }, undefined],
    ['looks first', { crds: 'unread' }, 'observe Progressing'],
    ['waits where it may not look', { crds: 'unreadable' }, 'wait Progressing'],
  ])('%s', (_say, scene, expected) => {
    const world = worldOf(scene);
    expect(told(crdObstacle(world, desiredOf(world)))).toBe(expected);
  });

  it('names the CRD and the package, and is looked at again when that one changes', () => {
    const world = worldOf({ crds: [TAKEN, OURS, crd()] });
    expect(crdObstacle(world, desiredOf(world))?.message).toContain(`${NAME} belongs to package rival`);
    expect(crdRivals(world)).toEqual(['rival']);
  });
});

describe('a CRD passes on before anything is delivered', () => {
  it.each<[string, Scene, readonly string[] | undefined, string | undefined]>([
    ['from an owner that has given it up', { crds: [LEFT] }, [NAME], `claim ${NAME} keep`],
    ['protected also where CRDs go with the package', { crds: [LEFT], policy: 'Delete' }, [NAME], `claim ${NAME} keep`],
    ['not from one that declares it (again)', { crds: [TAKEN] }, [NAME], undefined],
    ['not where it is nobody’s: the release may be refused yet', { crds: [crd()] }, [NAME], undefined],
    ['once', { crds: [OURS] }, [NAME], undefined],
    ['and is looked for first', { crds: 'unread' }, [NAME], 'observe Progressing'],
    ['unless none is listed', { crds: 'unread' }, [], undefined],
    ['as far as it can be seen', { crds: 'unreadable' }, [NAME], undefined],
    ['only when it is listed', { crds: [LEFT] }, [], undefined],
    ['never for a revision that does not say what it owns', { crds: [LEFT] }, undefined, undefined],
  ])('%s', (_say, scene, listed, expected) => {
    expect(told(handOverCrds(worldOf(scene), revisionWith(listed)))).toBe(expected);
  });

  it('I3 but after the hooks of its revision: they run before everything else that it changes', () => {
    const { spec, ...rest } = revisionWith([NAME]);
    const revision = { ...rest, spec: { ...spec, hooks: [aRevisionComponent('migrate')] } };
    const world = worldOf({ crds: [LEFT] });
    expect(told(driveRevision(world, revision))).not.toContain('claim');
    const hooks = [{ name: 'migrate', state: 'Ready' as const, attempt: 1 }];
    expect(told(driveRevision(world, { ...revision, status: { hooks } }))).toBe(`claim ${NAME} keep`);
  });

  it('says from whom, so that nobody else’s is taken', () => {
    const decision = handOverCrds(worldOf({ crds: [LEFT] }), revisionWith([NAME]));
    expect(decision).toMatchObject({ action: { crds: [{ name: NAME, uid: 'uid-crd', from: 'former' }] } });
  });
});

describe('an applied revision', () => {
  it.each<[string, Scene, readonly string[] | undefined, string | undefined]>([
    ['claims what it lists and nobody owns', { crds: [crd()] }, [NAME], `claim ${NAME} keep`],
    ['claims without protection with crdPolicy Delete', { crds: [crd()], policy: 'Delete' }, [NAME], `claim ${NAME}`],
    ['protects its own', { crds: [OWN] }, [NAME], `claim ${NAME} keep`],
    ['P22 leaves its own alone', { crds: [OURS] }, [NAME], undefined],
    ['P22 leaves its own alone with crdPolicy Delete', { crds: [OWN], policy: 'Delete' }, [NAME], undefined],
    ['P21 leaves what another one declares', { crds: [TAKEN] }, [NAME], undefined],
    ['takes what its owner has given up', { crds: [LEFT] }, [NAME], `claim ${NAME} keep`],
    [
      'does not take it back and forth when its source gave it up as well',
      { crds: [LEFT], wanted: [] },
      [NAME],
      undefined,
    ],
    ['leaves one that is being deleted', { crds: [crd({ heldBy: 'its objects' })] }, [NAME], undefined],
    ['releases what it no longer lists', { crds: [OURS] }, [], `release ${NAME}`],
    ['keeps it with crdPolicy Delete', { crds: [OWN], policy: 'Delete' }, [], undefined],
    ['releases nothing of others', { crds: [TAKEN, LEFT, crd()] }, [], undefined],
    ['of the Go operator releases nothing', { crds: [OURS] }, undefined, undefined],
    ['does not wait for what it may not see', { crds: 'unreadable' }, [NAME], undefined],
    ['does not wait for what it has not seen', { crds: 'unread' }, [NAME], undefined],
  ])('%s', (_say, scene, listed, expected) => {
    expect(told(settleCrds(worldOf(scene), revisionWith(listed)))).toBe(expected);
  });
});

it('an applied revision that lists none releases what it owned', () => {
  const { spec, ...rest } = aRevision();
  const applied = { ...rest, spec: { ...spec, backend: 'helm' } };
  expect(told(settleCrds(worldOf({ crds: [OURS] }), applied))).toBe(`release ${NAME}`);
});

describe('P20 a package that is removed', () => {
  it.each<[string, Scene, string | undefined, string | undefined]>([
    ['releases its CRDs before its releases go', { crds: [OURS] }, `release ${NAME}`, undefined],
    [
      'deletes its CRDs after its releases, if told to',
      { crds: [OURS], policy: 'Delete' },
      undefined,
      `delete ${NAME}`,
    ],
    ['waits until they are gone', { crds: [{ ...OURS, heldBy: 'x' }], policy: 'Delete' }, undefined, 'wait Deleting'],
    ['P21 touches none of others', { crds: [TAKEN, LEFT, crd()] }, undefined, undefined],
    ['P21 deletes none of others', { crds: [TAKEN, LEFT, crd()], policy: 'Delete' }, undefined, undefined],
    ['looks before it releases', { crds: 'unread' }, 'wait Deleting', undefined],
    ['looks before it deletes', { crds: 'unreadable', policy: 'Delete' }, undefined, 'wait Deleting'],
  ])('%s', (_say, scene, before, after) => {
    const world = worldOf(scene);
    expect([told(releaseOwnedCrds(world)), told(deleteOwnedCrds(world))]).toEqual([before, after]);
  });

  it('says what holds a CRD, and deletes the others meanwhile', () => {
    const held = { ...OURS, heldBy: 'Widget shop/a has finalizers hold' };
    const other = { ...OURS, name: 'zebras.example.org' };
    expect(deleteOwnedCrds(worldOf({ crds: [held], policy: 'Delete' }))?.message).toContain(held.heldBy);
    expect(told(deleteOwnedCrds(worldOf({ crds: [held, other], policy: 'Delete' })))).toBe('delete zebras.example.org');
  });
});
