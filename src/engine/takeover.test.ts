import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { API_VERSION, FINALIZER } from '../api/names.ts';
import type { PackageRevisionStatus } from '../api/package-revision.ts';
import { at } from '../lib/json.ts';

interface GoRevision {
  readonly number: number;
  readonly version?: string;
  readonly phase?: string;
  readonly restoredFrom?: number;
  readonly safe?: boolean;
  readonly message?: string;
  /** The numbers of the releases of store and app. */
  readonly releases?: readonly number[];
  readonly annotations?: Readonly<Record<string, string>>;
}

describe('the takeover of what the Go implementation left', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld();
    source('1.0.0');
    want('red');
  });

  function source(version: string, safe = true): void {
    const components = [aComponent('store'), aComponent('app', { dependsOn: ['store'] })];
    world.addSource(components, { version, rollback: { safe } });
  }

  const valuesOf = (color: string) => ({ components: { app: { values: { color } } } });

  function want(color: string): void {
    world.addPackage(valuesOf(color), { uid: 'uid-shop', generation: 4, finalizers: [FINALIZER] });
  }

  function said(reason: string, observedGeneration = 4): void {
    const conditions = [
      {
        type: 'Ready',
        status: 'False',
        reason,
        message: 'said',
        observedGeneration,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    world.cluster.put({ ...world.object('Package', 'shop'), status: { conditions } });
  }

  function left({ number, releases = [], annotations = {}, ...parts }: GoRevision): void {
    const { version = '1.0.0', phase = 'Applied', restoredFrom, safe = true, message } = parts;
    const components = ['store', 'app'].map((name) => ({
      name,
      releaseName: name,
      namespace: 'shop',
      ...(name === 'app' ? { dependsOn: ['store'] } : {}),
      chartDigest: 'sha256:of-the-tree',
      valuesDigest: 'sha256:values',
    }));
    const numbers = releases.map((backendRevision, index) => ({
      name: index === 0 ? 'store' : 'app',
      backendRevision,
    }));
    const status = {
      ...(phase === '' ? {} : { phase }),
      ...(message === undefined ? {} : { message }),
      components: numbers,
    };
    world.cluster.put({
      apiVersion: API_VERSION,
      kind: 'PackageRevision',
      metadata: {
        name: `shop-${String(number)}`,
        uid: `uid-shop-${String(number)}`,
        labels: { 'kubepkg.dev/package': 'shop' },
        annotations: { 'kubepkg.dev/desired-digest': `sha256:go-${String(number)}`, ...annotations },
        ownerReferences: [
          { apiVersion: API_VERSION, kind: 'Package', name: 'shop', uid: 'uid-shop', controller: true },
        ],
      },
      spec: {
        package: 'shop',
        revision: number,
        version,
        variant: 'default',
        rollbackSafe: safe,
        components,
        ...(restoredFrom === undefined ? {} : { restoredFrom }),
      },
      status,
    });
  }

  /** Records of both releases, the newest of which runs. */
  function records(...versions: readonly string[]): void {
    for (const name of ['store', 'app']) {
      const target = { package: 'shop', component: name, releaseName: name, namespace: 'shop' };
      world.backend.leave(target, { revision: versions.length });
      for (const [index, chartVersion] of versions.entries()) {
        const revision = index + 1;
        world.backend.remembered.set(`shop/${name} ${String(revision)}`, {
          revision,
          chartName: name,
          chartVersion,
          values: name === 'app' ? { color: 'red' } : {},
          privileged: false,
          files: { 'Chart.yaml': chartVersion },
        });
      }
    }
  }

  async function run(): Promise<void> {
    await world.start();
    await world.settle();
  }

  const statusOf = (number: number): PackageRevisionStatus =>
    world.object('PackageRevision', `shop-${String(number)}`)['status'] as PackageRevisionStatus;
  const message = (): string => world.statusOf().conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  const edit = (spec: Parameters<EngineWorld['editPackage']>[0], annotations = {}): void => {
    world.editPackage(spec, { generation: 5, annotations });
  };

  it('upgrades nothing of a package that runs as it is wanted, and keeps its revision', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    await run();
    expect(world.backend.submitted).toEqual([]);
    expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
    expect(world.phases()).toEqual(['Applied']);
    expect(world.statusOf()).toMatchObject({ version: '1.0.0', currentRevision: 1 });
    expect(statusOf(1).appliedAt).toBe(world.object('PackageRevision', 'shop-1').metadata.creationTimestamp);
    expect(world.object('PackageRevision', 'shop-1').metadata.finalizers).toEqual([FINALIZER]);
    expect(world.events.filter((event) => event.includes('Component'))).toEqual([]);
  });

  it('writes nothing more once it is taken over, also after a restart', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    await run();
    const before = world.cluster.all('PackageRevision').map(({ metadata }) => metadata.resourceVersion);
    await world.restart();
    await world.settle();
    expect(world.cluster.all('PackageRevision').map(({ metadata }) => metadata.resourceVersion)).toEqual(before);
    expect(world.backend.submitted).toEqual([]);
  });

  it('upgrades at the next change only what differs', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    await run();
    edit(valuesOf('blue'));
    await world.settle();
    expect(world.backend.submitted).toEqual(['upgrade shop/app']);
    expect(world.phases()).toEqual(['Superseded', 'Applied']);
  });

  it('takes a change that came while no operator ran for a change', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    edit(valuesOf('blue'));
    await run();
    expect(world.backend.submitted).toEqual(['upgrade shop/app']);
  });

  it('P10 rolls a failing upgrade back to the charts and values that the Go implementation applied', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    await run();
    source('1.1.0');
    edit(valuesOf('blue'));
    world.backend.script = (action) =>
      Promise.resolve(
        'release' in action && action.release.component === 'app' && action.release.values['color'] === 'blue'
          ? { kind: 'failed', error: new KubepkgError('ApiInvalid', 'no') }
          : { kind: 'accepted' },
      );
    await world.settle();
    expect(world.condition('Ready')).toBe('False UpgradeRolledBack');
    const [app, store] = world.backend.delivered.slice(-2).sort((a, b) => (a.component < b.component ? -1 : 1));
    expect(app).toMatchObject({ component: 'app', chart: { version: '1.0.0' }, values: { color: 'red' } });
    expect(store).toMatchObject({ component: 'store', chart: { version: '1.0.0' }, values: {} });
  });

  it('restores what no registry has from the release record', async () => {
    left({ number: 1, releases: [1, 1] });
    records('0.9.0');
    await run();
    // The chart that runs is not the one that the source names, so that is a change.
    expect(world.backend.submitted).toEqual(['upgrade shop/store', 'upgrade shop/app']);
    world.editPackage(valuesOf('red'), { generation: 5, annotations: { 'kubepkg.dev/rollback-to': '1' } });
    await world.settle();
    expect(world.condition('Ready')).toBe('True RolledBack');
    expect(world.backend.delivered.at(-1)?.chart).toMatchObject({ name: 'store', ref: { repository: '' } });
  });

  it.each([
    ['the registry has it no more', 'ArtifactNotFound'],
    ['the registry has another', 'DigestMismatch'],
  ] as const)('makes the chart of the record when %s', async (_case, code) => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    await run();
    edit(valuesOf('blue'));
    await world.settle();
    world.artifacts.failures.set('app', new KubepkgError(code, 'no'));
    world.editPackage(valuesOf('blue'), { generation: 5, annotations: { 'kubepkg.dev/rollback-to': '1' } });
    await world.settle();
    expect(world.condition('Ready')).toBe('True RolledBack');
    expect(world.backend.delivered.at(-1)).toMatchObject({
      chart: { ref: { repository: '' } },
      values: { color: 'red' },
    });
  });

  it('P19 goes back to an older revision of it by request while the record is there', async () => {
    left({ number: 1, version: '0.9.0', phase: 'Superseded', releases: [1, 1] });
    left({ number: 2, releases: [2, 2] });
    records('0.9.0', '1.0.0');
    await run();
    expect(world.backend.submitted).toEqual([]);
    world.editPackage(valuesOf('red'), { generation: 4, annotations: { 'kubepkg.dev/rollback-to': '1' } });
    await world.settle();
    expect(world.condition('Ready')).toBe('True RolledBack');
    expect(world.statusOf().version).toBe('0.9.0');
    expect(world.backend.delivered).toHaveLength(2);
  });

  it('refuses an older revision whose record is gone, and says so', async () => {
    left({ number: 1, version: '0.9.0', phase: 'Superseded', releases: [1, 1] });
    left({ number: 2, releases: [2, 2] });
    records('0.9.0', '1.0.0');
    world.backend.remembered.delete('shop/app 1');
    await run();
    world.editPackage(valuesOf('red'), { generation: 4, annotations: { 'kubepkg.dev/rollback-to': '1' } });
    await world.settle();
    expect(world.backend.submitted).toEqual([]);
    expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
    expect(world.events).toContain('shop Warning RollbackFailed');
  });

  it('P19 drops a request for what runs without a change', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    world.editPackage(valuesOf('red'), { annotations: { 'kubepkg.dev/rollback-to': '1' } });
    await run();
    expect(world.backend.submitted).toEqual([]);
    expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
  });

  it('P11 asks for the safety of a version that the Go implementation applied', async () => {
    left({ number: 1, version: '0.9.0', phase: 'Superseded', releases: [1, 1] });
    left({ number: 2, releases: [2, 2], safe: false });
    records('0.9.0', '1.0.0');
    await run();
    world.editPackage(valuesOf('red'), { generation: 4, annotations: { 'kubepkg.dev/rollback-to': '1' } });
    await world.settle();
    expect(world.backend.submitted).toEqual([]);
  });

  describe('what was held', () => {
    function failed(): void {
      left({ number: 1, version: '0.9.0', phase: 'Superseded', releases: [1, 1] });
      left({ number: 2, phase: 'Failed', safe: false, message: 'component app: it broke', releases: [2] });
      records('0.9.0', '1.0.0');
      said('UpgradeFailed');
    }

    function undone(annotations = {}): void {
      left({ number: 1, version: '0.9.0', phase: 'Superseded', releases: [1, 1] });
      left({ number: 2, phase: 'Failed', message: 'component app: it broke', releases: [2] });
      left({ number: 3, version: '0.9.0', restoredFrom: 1, releases: [3, 3], annotations });
      records('0.9.0', '1.0.0', '0.9.0');
      said('UpgradeRolledBack');
    }

    it('by a failed upgrade stays held, with its cause', async () => {
      failed();
      await run();
      expect(world.condition('Ready')).toBe('False UpgradeFailed');
      expect(message()).toContain('it broke');
      expect(world.phases()).toEqual(['Applied', 'Failed']);
      expect(world.backend.submitted).toEqual([]);
    });

    it('by a failed upgrade is fixed forward', async () => {
      failed();
      await run();
      source('1.0.1');
      edit(valuesOf('red'));
      await world.settle();
      expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
      expect(world.statusOf().version).toBe('1.0.1');
    });

    it('by a rollback stays held, with its cause', async () => {
      undone();
      await run();
      expect(world.condition('Ready')).toBe('False UpgradeRolledBack');
      expect(message()).toContain('it broke');
      expect(world.phases()).toEqual(['Superseded', 'RolledBack', 'Applied']);
      expect(world.backend.submitted).toEqual([]);
    });

    it('by a rollback that was asked for stays held', async () => {
      undone({ 'kubepkg.dev/rollback-requested': 'true' });
      said('RolledBack');
      await run();
      expect(world.condition('Ready')).toBe('True RolledBack');
      expect(world.backend.submitted).toEqual([]);
    });

    it.each([
      ['the spec', () => said('UpgradeRolledBack', 3)],
      ['the version', () => source('1.0.1')],
    ])('is tried again where %s has changed since', async (_what, change) => {
      undone();
      change();
      await run();
      expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
      expect(world.phases().at(-1)).toBe('Applied');
      expect(world.backend.submitted).toEqual(['upgrade shop/store', 'upgrade shop/app']);
    });

    it('stays so while its source is missing for a time', async () => {
      undone();
      world.cluster.remove({ apiVersion: API_VERSION, kind: 'PackageSource', name: 'shop' });
      await run();
      expect(world.condition('Ready')).toBe('False PackageSourceNotFound');
      source('1.0.0');
      await world.settle();
      expect(world.condition('Ready')).toBe('False UpgradeRolledBack');
      expect(world.backend.submitted).toEqual([]);
    });
  });

  it.each(['Applying', ''])(
    'closes a revision that was left %j and goes on from the last applied one',
    async (phase) => {
      left({ number: 1, version: '0.9.0', releases: [1, 1] });
      left({ number: 2, phase, releases: [2] });
      records('0.9.0', '1.0.0');
      await run();
      expect(statusOf(2)).toMatchObject({ phase: 'Failed', failure: { code: 'Interrupted' } });
      expect(world.phases()).toEqual(['Superseded', 'Failed', 'Applied']);
      expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
    },
  );

  it('goes on after a death between the two writes of a step', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    const { cluster } = world;
    const write = cluster.write.bind(cluster);
    let deaths = 2;
    cluster.write = async (request): Promise<KubeObject> => {
      if (request.verb === 'merge-patch' && at(request.patch, 'metadata', 'annotations') !== undefined && deaths > 0) {
        deaths -= 1;
        throw new KubepkgError('ApiUnreachable', 'dead');
      }
      return write(request);
    };
    await run();
    for (let turn = 0; turn < 3; turn += 1) await world.advance(60_000);
    expect(deaths).toBe(0);
    expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
    expect(world.backend.submitted).toEqual([]);
  });

  it('waits for a registry that does not answer before it decides what runs', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    world.artifacts.failures.set('app', new KubepkgError('RegistryUnreachable', 'no answer'));
    await run();
    expect(world.condition('Ready')).toBe('False FetchFailed');
    world.artifacts.failures.clear();
    await world.advance(600_000);
    expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
    expect(world.backend.submitted).toEqual([]);
  });

  it('P20 removes what it took over, revisions and all', async () => {
    left({ number: 1, releases: [1, 1] });
    records('1.0.0');
    await run();
    const pkg = world.object('Package', 'shop');
    world.cluster.put({ ...pkg, metadata: { ...pkg.metadata, deletionTimestamp: '2026-02-01T00:00:00Z' } });
    await world.settle();
    expect(world.backend.submitted).toEqual(['uninstall shop/app', 'uninstall shop/store']);
  });
});
