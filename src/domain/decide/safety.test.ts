import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { aWorld } from '../../../test/build/world.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { isForced, judgeRollback, unsafeAbove, unsafeSince, whyUnsafe } from './safety.ts';
import type { World } from './world.ts';

interface Shape {
  readonly version: string;
  readonly build?: number;
  readonly safe?: boolean;
  readonly applied?: boolean;
  readonly submitted?: boolean;
  readonly namespace?: string;
}

/** `backend` says that this implementation wrote it, so that it lacks nothing. */
function revision(number: number, shape: Shape): PackageRevision {
  const { version, build = 0, safe = false, applied = false, submitted = true, namespace = 'shop' } = shape;
  const base = aRevision({ number, version, components: [aRevisionComponent('app', { namespace })] });
  return {
    ...base,
    spec: { ...base.spec, build, backend: 'helm', rollbackSafe: safe },
    status: {
      phase: applied ? 'Applied' : 'Failed',
      ...(applied ? { appliedAt: '2026-01-01T10:00:00Z' } : {}),
      components: [{ name: 'app', state: applied ? 'Ready' : 'Failed', ...(submitted ? BEGUN : { attempt: 0 }) }],
    },
  };
}

const BEGUN = { attempt: 1, startedAt: '2026-01-01T09:00:00Z' };

function worldOf(shapes: readonly Shape[], force?: string): World {
  const annotations = force === undefined ? {} : { 'kubepkg.dev/force-rollback': force };
  return aWorld({
    package: aPackage({}, { annotations }),
    revisions: shapes.map((shape, index) => revision(index + 1, shape)),
  });
}

function last({ revisions }: World): PackageRevision {
  const found = revisions.at(-1);
  if (found === undefined) throw new Error('there is no revision');
  return found;
}

const GOOD: Shape = { version: '1.0.0', applied: true };
const SAFE: Shape = { version: '2.1.0', safe: true };

it('P11 a revision that has moved a component is not gone back past unforced, whatever its version says', () => {
  const world = worldOf([GOOD, { version: '2.1.0', safe: true, namespace: 'other', submitted: true }]);
  const [target] = world.revisions;
  if (target === undefined) throw new Error('there is no revision');
  expect(unsafeSince(world, target)).toEqual(['2.1.0']);
});

const UNDECLARED = 'does not declare that going back is safe (rollback.safe)';

describe('P11 what speaks against a way back is the cause that holds', () => {
  const moved = { version: '2.1.0', safe: true, namespace: 'other' };

  it.each<[string, readonly Shape[], string]>([
    ['a version that is not declared safe', [GOOD, { version: '2.0.0' }], `version 2.0.0 ${UNDECLARED}`],
    ['a component in another place', [GOOD, moved], 'version 2.1.0 gave a component another place'],
    [
      'one of each',
      [GOOD, { version: '2.0.0' }, { version: '2.0.1' }, moved],
      'versions 2.0.1, 2.0.0 do not declare that going back is safe (rollback.safe), and version 2.1.0 gave a component',
    ],
  ])('%s', (_say, shapes, expected) => {
    const world = worldOf(shapes);
    const [target] = world.revisions;
    if (target === undefined) throw new Error('there is no revision');
    expect(whyUnsafe(world, unsafeSince(world, target), target)).toContain(expected);
  });

  it('of what was moved before the revision that is gone back to nothing is said', () => {
    const world = worldOf([{ ...GOOD, version: '2.0.0', namespace: 'other' }, GOOD, { version: '2.0.0' }]);
    const [, target] = world.revisions;
    expect(whyUnsafe(world, ['2.0.0'], target)).toBe(`version 2.0.0 ${UNDECLARED}`);
  });

  it('of a version that is neither declared nor in its place both are said', () => {
    const world = worldOf([GOOD, { version: '2.0.0', namespace: 'other' }]);
    const [target] = world.revisions;
    expect(whyUnsafe(world, ['2.0.0'], target)).toMatch(/rollback\.safe\), and version 2\.0\.0 gave a component/);
  });

  it('of a version that is forgotten no more is known than that it was not safe', () => {
    expect(whyUnsafe(worldOf([GOOD]), ['1.5.0'])).toBe(`version 1.5.0 ${UNDECLARED}`);
  });
});

describe('P10 a revision that failed is rolled back', () => {
  it.each<[string, readonly Shape[], 'owed' | 'none']>([
    ['when its version says that it may be', [GOOD, SAFE], 'owed'],
    ['not when it does not', [GOOD, { version: '2.0.0' }], 'none'],
    ['when it is the very version and build that runs', [GOOD, { version: '1.0.0' }], 'owed'],
    ['not when it is another build of that version', [GOOD, { version: '1.0.0', build: 1 }], 'none'],
    ['not over an unsafe version that was tried in between', [GOOD, { version: '2.0.0' }, SAFE], 'none'],
    ['over one that was never begun', [GOOD, { version: '2.0.0', submitted: false }, SAFE], 'owed'],
    ['not when it has moved a component', [GOOD, { version: '1.0.0', namespace: 'other', submitted: true }], 'none'],
    ['not when it has changed nothing', [GOOD, { ...SAFE, submitted: false }], 'none'],
    ['when one before it has changed something', [GOOD, SAFE, { ...SAFE, submitted: false }], 'owed'],
    ['not without anything to go back to', [SAFE], 'none'],
  ])('%s', (_say, shapes, expected) => {
    const world = worldOf(shapes);
    const moved = shapes.some(({ namespace }) => namespace !== undefined);
    const failed = last(world);
    const startedAt = '2026-01-01T11:00:00Z';
    const components = (failed.status?.components ?? []).map((each) => ({ ...each, startedAt }));
    const judged = moved ? { ...failed, status: { ...failed.status, components } } : failed;
    expect(judgeRollback(world, judged).kind).toBe(expected);
  });
});

describe('P11 versions that stand in the way back', () => {
  const HISTORY: readonly Shape[] = [
    { version: '1.0.0', applied: true },
    { version: '2.0.0', applied: true },
    { version: '3.0.0', applied: true, safe: true },
  ];

  it.each([
    [1, ['2.0.0']],
    [2, []],
    [3, []],
  ])('to revision %i by request are those since', (number, expected) => {
    const world = worldOf(HISTORY);
    const target = world.revisions.find(({ spec }) => spec.revision === number);
    expect(target === undefined ? undefined : unsafeSince(world, target)).toEqual(expected);
  });

  it.each([
    ['1.0.0', ['2.0.0']],
    ['1.5.0', ['2.0.0']],
    ['2.0.0', []],
    ['3.1.0', []],
    ['4.0.0', []],
  ])('to %s by editing are those that are newer', (version, expected) => {
    expect(unsafeAbove(worldOf(HISTORY), { version })).toEqual(expected);
  });

  it('are none for an upgrade, whatever failed before it', () => {
    const world = worldOf([GOOD, { version: '2.0.0' }]);
    expect(unsafeAbove(world, { version: '2.1.0' })).toEqual([]);
    expect(unsafeAbove(world, { version: '1.0.0' })).toEqual(['2.0.0']);
  });

  it.each([
    [undefined, false],
    ['2.0.0', false],
    ['3.0.0 2.0.0', true],
    ['2.0.0,3.0.0', true],
    ['true', false],
  ])('are forced by %s only when each is named', (force, expected) => {
    const world = worldOf([GOOD, { version: '2.0.0' }, { version: '3.0.0' }], force);
    expect(
      isForced(
        world,
        world.revisions.slice(1).map(({ spec }) => spec.version),
      ),
    ).toBe(expected);
  });
});
