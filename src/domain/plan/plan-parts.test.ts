import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aRevision, aRevisionComponent, aSource } from '../../../test/build/objects.ts';
import { aRelease, aWorld, present, PROGRESSING, releases } from '../../../test/build/world.ts';
import type { PackageSpec } from '../../api/package.ts';
import type { ComponentProgress, PackageRevisionStatus } from '../../api/package-revision.ts';
import type { World } from '../decide/world.ts';
import { resolvePackage } from '../resolve/resolve-package.ts';
import { withAssumedReleases, withOperatorAtWork } from './assumed-releases.ts';
import { chartsOf, UNKNOWN_CHART } from './assumed-charts.ts';
import { chartOf } from './component-plans.ts';
import { endFinding, restFinding } from './end-findings.ts';
import type { Forecast, ForecastEnd, ForeseenStep } from './forecast.ts';
import { versionPlan } from './version-plan.ts';

const APPLIED = { phase: 'Applied', appliedAt: '2026-01-01T00:00:00Z' } as const;

function wanting(version: string, parts: Partial<World> = {}, spec: Partial<PackageSpec> = {}): World {
  const pkg = parts.package ?? aPackage(spec);
  const source = aSource([aComponent('app')], { version });
  return aWorld({ package: pkg, resolution: resolvePackage(pkg, source, { defaultBackend: 'helm' }), ...parts });
}

function forecast(world: World, steps: readonly ForeseenStep[] = []): Forecast {
  const end: ForecastEnd = { kind: 'converged', reason: 'ReconciliationSucceeded', message: '' };
  return { package: 'shop', steps, end, rollback: undefined, actions: [], world };
}

const SOME: readonly ForeseenStep[] = [{ kind: 'fetch', version: '1.0.0', charts: [] }];

describe('the versions of a plan', () => {
  const ran = { revisions: [aRevision({ version: '1.0.0', status: APPLIED })] };

  it.each<[string, World, readonly ForeseenStep[], object]>([
    ['an install', wanting('1.0.0'), SOME, { change: 'install', version: { to: '1.0.0' } }],
    ['an upgrade', wanting('1.1.0', ran), SOME, { change: 'upgrade', version: { from: '1.0.0', to: '1.1.0' } }],
    ['a downgrade', wanting('0.9.0', ran), SOME, { change: 'downgrade', version: { from: '1.0.0', to: '0.9.0' } }],
    ['a change', wanting('1.0.0', ran), SOME, { change: 'change' }],
    ['nothing', wanting('1.0.0', ran), [], { change: 'keep' }],
    [
      'a removal',
      wanting('1.0.0', { ...ran, package: aPackage({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }) }),
      SOME,
      { change: 'remove' },
    ],
    [
      'a constraint',
      wanting('1.0.0', {}, { version: '>=1' }),
      SOME,
      { version: { why: 'PackageSource shop has version 1.0.0, which spec.version >=1 admits' } },
    ],
    ['no source', aWorld(), [], { version: { why: 'there is no PackageSource shop' } }],
    [
      'a rollback',
      wanting('1.1.0', ran),
      [{ kind: 'begin', revision: 3, version: '1.0.0', restoredFrom: 1 }],
      { version: { why: 'revision 1 is restored' } },
    ],
  ])('of %s', (_what, world, steps, expected) => {
    expect(versionPlan(world, forecast(world, steps))).toMatchObject(expected);
  });
});

describe('the versions of a plan that tries nothing', () => {
  it.each<readonly [ForecastEnd, string, string]>([
    [{ kind: 'converged', reason: 'RolledBack', message: '' }, 'keep', '1.0.0'],
    [{ kind: 'stalled', reason: 'UpgradeRolledBack', message: '' }, 'keep', '1.0.0'],
    [{ kind: 'stalled', reason: 'UpgradeFailed', message: '' }, 'keep', '1.0.0'],
    [{ kind: 'blocked', reason: 'RequirementsNotMet', message: '' }, 'upgrade', '1.1.0'],
  ])('P18 %o is %s, to %s', (end, change, to) => {
    const world = wanting('1.1.0', { revisions: [aRevision({ version: '1.0.0', status: APPLIED })] });
    expect(versionPlan(world, { ...forecast(world), end })).toMatchObject({ change, version: { from: '1.0.0', to } });
  });
});

describe('the end of a plan as a finding', () => {
  it.each<[ForecastEnd, string | undefined]>([
    [{ kind: 'converged', reason: 'ReconciliationSucceeded', message: '' }, undefined],
    [{ kind: 'converged', reason: 'RolledBack', message: '' }, 'info'],
    [{ kind: 'removed', reason: 'Deleting', message: '' }, undefined],
    [{ kind: 'blocked', reason: 'Suspended', message: '' }, 'info'],
    [{ kind: 'blocked', reason: 'RequirementsNotMet', message: '' }, 'warning'],
    [{ kind: 'blocked', reason: 'Conflict', message: '' }, 'error'],
    [{ kind: 'stalled', reason: 'UpgradeFailed', message: '' }, 'error'],
    [{ kind: 'invalid', reason: 'VersionMismatch', message: '' }, 'error'],
    [{ kind: 'endless', reason: 'Progressing', message: '' }, 'error'],
  ])('%o is %s', (end, severity) => {
    const [finding] = endFinding('shop', end);
    expect(finding?.severity).toBe(severity);
    expect(finding?.remedy).not.toBe('');
  });

  it.each([
    ['not ready at this generation', 'False', 1, 'Degraded', { kind: 'blocked', reason: 'Degraded', message: 'm' }],
    ['not ready at an older one', 'False', 0, 'Degraded', undefined],
    ['ready', 'True', 1, 'ReconciliationSucceeded', undefined],
    ['not ready for a reason of another version', 'False', 1, 'SomethingNew', undefined],
  ] as const)(
    'is the word of the operator on a package that is %s',
    (_what, status, observedGeneration, reason, end) => {
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const conditions = [{ type: 'Ready', status, reason, message: 'm', observedGeneration, lastTransitionTime }];
      const pkg = { ...aPackage(), status: { conditions } };
      expect(restFinding({ kind: 'converged', reason: 'ReconciliationSucceeded', message: '' }, pkg)).toEqual(end);
    },
  );
});

describe('what is assumed', () => {
  const chart = { kind: 'tree', url: 'oci://registry.example.org/shop:1.0.0', root: '', path: 'app' } as const;
  const recorded = { ...chart, libraries: [], valuesFiles: [], treeDigest: 'sha256:tree' };

  it('of a chart that cannot be fetched is what the same reference had, and else nothing', () => {
    const component = aRevisionComponent('app', { chart: recorded, chartDigest: 'sha256:then' });
    const revisions = [aRevision({ components: [component], status: APPLIED })];
    const world = wanting('1.0.0', { revisions });
    expect(chartsOf(world)['app']).toMatchObject({ digest: 'sha256:then' });
    const other = [
      aRevision({ components: [{ ...component, chart: { ...recorded, path: 'other' } }], status: APPLIED }),
    ];
    expect(chartsOf(wanting('1.0.0', { revisions: other }))['app']?.digest).toBe(UNKNOWN_CHART);
  });

  it('of a release that cannot be read is what the journal says', () => {
    const component = aRevisionComponent('app');
    const components: ComponentProgress[] = [{ name: 'app', state: 'Ready', attempt: 1, backendRevision: 4 }];
    const status = { ...APPLIED, components };
    const revision = aRevision({ components: [component], status });
    const world = aWorld({ revisions: [revision], releases: releases(aRelease(revision, component)) });
    const assumed = withAssumedReleases(world, new Set(['shop/app']));
    expect(assumed.releases['shop/app']?.observation).toMatchObject({
      state: 'present',
      revision: 4,
      digest: 'digest-app',
    });
    expect(withAssumedReleases(world, new Set()).releases['shop/app']?.observation.state).toBe('absent');
  });

  it.each([
    ['begun, with nothing to see of it', { state: 'Submitted', attempt: 1 }, {}, 'running'],
    ['begun, and pending', { state: 'Submitted', attempt: 1 }, { delivery: 'pending' }, 'running'],
    ['noted', { state: 'Submitted', attempt: 1, backendRevision: 1 }, { delivery: 'delivered' }, 'none'],
    ['not begun', { state: 'Pending' }, { delivery: 'pending' }, 'none'],
  ] as const)('of a component that is %s is that the operator is at work or not', (_what, progress, record, kind) => {
    const component = aRevisionComponent('app');
    const status: PackageRevisionStatus = { phase: 'Applying', components: [{ name: 'app', ...progress }] };
    const revision = aRevision({ components: [component], status });
    const observation = Object.keys(record).length === 0 ? ({ state: 'absent' } as const) : present(record);
    const view = aRelease(revision, component, { observation, health: PROGRESSING });
    const world = withOperatorAtWork(aWorld({ revisions: [revision], releases: releases(view) }));
    expect(world.releases['shop/app']?.delivery.kind).toBe(kind);
  });

  it.each([
    [undefined, undefined],
    [aRevisionComponent('app', { chart: { kind: 'chart', name: 'web', version: '1.2.0' } }), 'web 1.2.0'],
    [aRevisionComponent('app', { chart: recorded, chartDigest: `sha256:${'ab'.repeat(32)}` }), 'app abababababab'],
    [aRevisionComponent('app', { chart: recorded, chartDigest: UNKNOWN_CHART }), 'app not fetched'],
  ])('the name of a chart is short: %#', (component, name) => {
    expect(chartOf(component)).toBe(name);
  });
});
