import { beforeEach, describe, expect, it, vi } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { workload } from '../../test/build/workload.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import { API_VERSION } from '../api/names.ts';
import type { PackageSpec } from '../api/package.ts';
import type { PackageSource } from '../api/package-source.ts';

const SUCCEEDED = 'True ReconciliationSucceeded';
const UNMET = 'False RequirementsNotMet';
const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.org' },
  spec: { group: 'example.org', names: { kind: 'Widget' }, scope: 'Namespaced', versions: [{ name: 'v1' }] },
};

describe('what stands between packages', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld();
  });

  const ready = (name: string): string | undefined => world.condition('Ready', name);
  const message = (name: string): string | undefined =>
    world.statusOf(name).conditions?.find(({ type }) => type === 'Ready')?.message;
  const submitted = (): readonly string[] => world.backend.submitted;

  /** A source with one component, and what it requires. */
  const source = (name: string, requires: readonly object[] = [], rest: Partial<PackageSource['spec']> = {}): void => {
    const variants = [{ name: 'default', components: [aComponent(name)], requires: [...requires] }];
    world.addSource([], { variants, ...rest }, name);
  };
  const wanted = (name: string, spec: Partial<PackageSpec> = {}): void => {
    world.addPackage(spec, { name });
  };
  const remove = (name: string): Promise<unknown> =>
    world.cluster.write({ verb: 'delete', ref: { apiVersion: API_VERSION, kind: 'Package', name } });
  const start = async (): Promise<void> => {
    await world.start();
    await world.settle();
  };

  describe('requirements', () => {
    it('F13a a version is that of what is applied, not that of the source or the spec', async () => {
      source('db');
      source('app', [{ package: 'db', version: '>=2' }]);
      wanted('db');
      await start();
      const finish = world.backend.last();
      source('db', [], { version: '2.0.0' });
      wanted('app');
      await world.settle();
      expect([ready('db'), ready('app')]).toEqual(['False Progressing', UNMET]);
      finish();
      await world.settle();
      expect([ready('db'), ready('app')]).toEqual([SUCCEEDED, SUCCEEDED]);
    });

    it('F13a a version that the source has, and that cannot be applied yet, is not there', async () => {
      source('db');
      source('net');
      source('app', [{ package: 'db', version: '>=2' }]);
      wanted('db');
      await start();
      source('db', [{ package: 'net' }], { version: '2.0.0' });
      wanted('app');
      await world.settle();
      expect([ready('db'), ready('app'), message('app')]).toEqual([UNMET, UNMET, expect.stringContaining('1.0.0')]);
      wanted('net');
      await world.settle();
      expect([ready('db'), ready('app')]).toEqual([SUCCEEDED, SUCCEEDED]);
    });

    it('F13a a capability that only the next version has is not there yet', async () => {
      source('db');
      source('net');
      source('app', [{ capability: 'sql' }]);
      wanted('db');
      await start();
      source('db', [{ package: 'net' }], { version: '2.0.0', provides: ['sql'] });
      wanted('app');
      await world.settle();
      expect([ready('db'), ready('app')]).toEqual([UNMET, UNMET]);
      wanted('net');
      await world.settle();
      expect([ready('db'), ready('app')]).toEqual([SUCCEEDED, SUCCEEDED]);
    });

    it('F05 a chain of 30 starts one after another, each without time passing', async () => {
      for (let index = 0; index < 30; index += 1) {
        source(`p${String(index)}`, index === 0 ? [] : [{ package: `p${String(index - 1)}` }]);
      }
      for (let index = 29; index > 0; index -= 1) wanted(`p${String(index)}`);
      await start();
      expect(ready('p29')).toBe(UNMET);
      expect(world.results.get('p29')).toEqual({ kind: 'settled' });
      wanted('p0');
      await world.settle(2000);
      expect(ready('p29')).toBe(SUCCEEDED);
      expect(submitted()).toEqual(Array.from({ length: 30 }, (_none, index) => `install shop/p${String(index)}`));
    });

    it.each<[string, string]>([
      ['package', 'db'],
      ['capability', 'sql'],
    ])('a %s that is to be ignored is not waited for', async (kind, name) => {
      source('app', [{ [kind]: name }]);
      wanted('app', { ignoreDependencies: [name] });
      await start();
      expect([ready('app'), world.statusOf('app').dependencies]).toEqual([SUCCEEDED, {}]);
    });

    it('a constraint that cannot be read is refused before anything is touched', async () => {
      source('app', [{ package: 'db', version: 'newest' }]);
      wanted('app');
      await start();
      expect([ready('app'), submitted()]).toEqual(['False InvalidConfiguration', []]);
    });

    it('P3 of one package in two ways are both to be met', async () => {
      source('db');
      source('app', [{ package: 'db', version: '>=2' }, { package: 'db' }]);
      wanted('db');
      wanted('app');
      await start();
      expect([ready('app'), world.statusOf('app').dependencies]).toEqual([UNMET, { db: { ready: false } }]);
    });

    it('a package that is being removed is not there', async () => {
      source('db');
      source('app', [{ package: 'db' }]);
      wanted('db');
      await start();
      world.backend.last();
      await remove('db');
      wanted('app');
      await world.settle();
      expect(ready('app')).toBe(UNMET);
    });
  });

  describe('R9 a revision that has started', () => {
    beforeEach(async () => {
      world.backend.objects = ({ component }) => [workload(component, component === 'app' ? 0 : 3)];
      source('db');
      source('app', [{ package: 'db' }]);
      wanted('db');
      wanted('app');
      await start();
    });

    it('P5 goes on when what it requires degrades, and says so at once', async () => {
      expect([ready('app'), world.statusOf('app').dependencies]).toEqual([
        'False Progressing',
        { db: { ready: true } },
      ]);
      world.cluster.put(workload('db', 0));
      await world.settle();
      expect([ready('app'), world.statusOf('app').dependencies]).toEqual([
        'False Progressing',
        { db: { ready: false } },
      ]);
      world.cluster.put(workload('app'));
      await world.settle();
      expect([ready('db'), ready('app')]).toEqual(['False Degraded', SUCCEEDED]);
    });

    it('and is applied stays Ready while what it requires is down, and hears when it is back', async () => {
      world.cluster.put(workload('app'));
      await world.settle();
      world.cluster.put(workload('db', 0));
      await world.settle();
      expect([ready('app'), world.statusOf('app').dependencies]).toEqual([SUCCEEDED, { db: { ready: false } }]);
      world.cluster.put(workload('db'));
      await world.settle();
      expect([ready('app'), world.statusOf('app').dependencies]).toEqual([SUCCEEDED, { db: { ready: true } }]);
    });
  });

  describe('an API that is required', () => {
    const apiWatches = (): readonly string[] =>
      world.cluster.watched().filter((kind) => kind === 'CustomResourceDefinition' || kind === 'APIService');

    beforeEach(() => {
      world.cluster.serve('apiregistration.k8s.io/v1', 'APIService', false);
      source('app', [{ capability: 'api:example.org/v1' }]);
      wanted('app');
    });

    it('P3 is waited for by watches that end with the wait', async () => {
      await start();
      expect([ready('app'), apiWatches()]).toEqual([UNMET, ['CustomResourceDefinition', 'APIService']]);
      world.cluster.put(WIDGETS);
      await world.settle();
      expect([ready('app'), apiWatches()]).toEqual([SUCCEEDED, []]);
    });

    it('P3 is found within a second, though discovery lags behind its definition', async () => {
      await start();
      world.cluster.emit({ type: 'set', object: { ...WIDGETS, spec: {} } });
      await world.settle();
      expect(ready('app')).toBe(UNMET);
      world.cluster.serve('example.org/v1', 'Widget');
      await world.advance(1000);
      expect(ready('app')).toBe(SUCCEEDED);
    });

    it('I9 is not asked for once the package is applied', async () => {
      world.cluster.put(WIDGETS);
      await start();
      const served = vi.spyOn(world.cluster, 'served');
      world.wake('app');
      await world.settle();
      expect(served).not.toHaveBeenCalled();
    });

    it('that is there already is waited for by nobody', async () => {
      world.cluster.put(WIDGETS);
      await start();
      expect([ready('app'), apiWatches()]).toEqual([SUCCEEDED, []]);
    });

    it('that cannot be looked up before a start is looked up again', async () => {
      vi.spyOn(world.cluster, 'served').mockRejectedValueOnce(new KubepkgError('ApiServerError', 'not now'));
      world.cluster.put(WIDGETS);
      await start();
      expect([world.failures, submitted()]).toEqual([['ApiServerError'], []]);
      await world.advance(1000);
      expect(ready('app')).toBe(SUCCEEDED);
    });

    it('P5 that cannot be looked up stops no revision that is under way', async () => {
      world.cluster.put(WIDGETS);
      world.backend.objects = ({ component }) => [workload(component, 0)];
      await start();
      vi.spyOn(world.cluster, 'served').mockRejectedValue(new KubepkgError('ApiServerError', 'not now'));
      source('app', [{ capability: 'api:example.org/v1' }], { version: '2.0.0' });
      world.cluster.put(workload('app'));
      await world.settle();
      expect(world.phases()[0]).toBe('Applied');
    });
  });

  describe('P4 an optional requirement', () => {
    beforeEach(() => {
      world.backend.objects = ({ component }) => [workload(component, component === 'db' ? 0 : 3)];
    });

    it.each<[string, object]>([
      ['package', { package: 'db' }],
      ['capability', { capability: 'sql' }],
    ])('of a %s that is there waits until it is ready', async (_say, requirement) => {
      source('db', [], { provides: ['sql'] });
      source('app', [{ ...requirement, optional: true }]);
      wanted('db');
      wanted('app');
      await start();
      expect(ready('app')).toBe(UNMET);
      world.cluster.put(workload('db'));
      await world.settle();
      expect(ready('app')).toBe(SUCCEEDED);
    });

    it('of a package that goes away is not waited for any more', async () => {
      source('db');
      source('app', [{ package: 'db', optional: true }]);
      wanted('db');
      wanted('app');
      await start();
      await remove('db');
      await world.settle();
      expect(ready('app')).toBe(SUCCEEDED);
    });

    it('that would close a circle is ignored: the other one comes second', async () => {
      source('app', [{ package: 'web', optional: true }]);
      source('web', [{ package: 'app' }]);
      wanted('web');
      wanted('app');
      await start();
      expect([ready('app'), ready('web')]).toEqual([SUCCEEDED, SUCCEEDED]);
      expect(submitted()).toEqual(['install shop/app', 'install shop/web']);
    });
  });

  describe('packages that require each other in a circle', () => {
    beforeEach(async () => {
      source('a', [{ package: 'b' }]);
      source('b', [{ capability: 'sql' }]);
      source('c', [{ package: 'a' }], { provides: ['sql'] });
      for (const name of ['a', 'b', 'c']) wanted(name);
      await start();
    });

    it('each name the circle and the way out', () => {
      expect(['a', 'b', 'c'].map(ready)).toEqual([UNMET, UNMET, UNMET]);
      expect(message('a')).toContain('a → b → c → a');
      expect(message('b')).toContain('list sql in spec.ignoreDependencies of Package b');
      expect(message('c')).toContain('c → a → b → c');
    });

    it('start once one of them is told to ignore its part', async () => {
      world.editPackage({ ignoreDependencies: ['sql'] }, { name: 'b' });
      await world.settle();
      expect(['a', 'b', 'c'].map(ready)).toEqual([SUCCEEDED, SUCCEEDED, SUCCEEDED]);
      expect(submitted()).toEqual(['install shop/b', 'install shop/a', 'install shop/c']);
    });
  });

  describe('packages that conflict', () => {
    it.each<[string, object, object]>([
      ['by its own word', { conflicts: ['mysql'] }, {}],
      ["by the other's word", {}, { conflicts: ['maria'] }],
      ['over a capability', { provides: ['sql'], conflicts: ['sql'] }, { provides: ['sql'] }],
    ])('the one that comes later waits until the other is gone: %s', async (_say, own, other) => {
      source('mysql', [], other);
      source('maria', [], own);
      wanted('mysql');
      await start();
      wanted('maria');
      await world.settle();
      expect([ready('mysql'), ready('maria')]).toEqual([SUCCEEDED, 'False Conflict']);
      expect([world.condition('Stalled', 'maria'), world.results.get('maria')]).toEqual([
        undefined,
        { kind: 'settled' },
      ]);
      await remove('mysql');
      await world.settle();
      expect(ready('maria')).toBe(SUCCEEDED);
      expect(submitted()).toEqual(['install shop/mysql', 'uninstall shop/mysql', 'install shop/maria']);
    });

    it('start when the conflict is withdrawn', async () => {
      source('mysql', [], { conflicts: ['maria'] });
      source('maria');
      wanted('mysql');
      await start();
      wanted('maria');
      await world.settle();
      source('mysql');
      await world.settle();
      expect(ready('maria')).toBe(SUCCEEDED);
    });

    it('created together, the older one goes first', async () => {
      source('mysql', [], { conflicts: ['maria'] });
      source('maria', [], { conflicts: ['mysql'] });
      wanted('mysql');
      await world.clock.advance(1000);
      wanted('maria');
      await start();
      expect([ready('mysql'), ready('maria')]).toEqual([SUCCEEDED, 'False Conflict']);
    });
  });

  describe('P20 packages that are removed together', () => {
    const OTHER = ['install shop/db', 'install shop/app'];

    it('go in reverse: what requires another is gone before it, whichever was removed first', async () => {
      source('db');
      source('app', [{ package: 'db', optional: true }]);
      wanted('db');
      wanted('app');
      await start();
      await Promise.all([remove('db'), remove('app')]);
      await world.settle();
      expect(submitted()).toEqual([...OTHER, 'uninstall shop/app', 'uninstall shop/db']);
      expect(world.cluster.all('Package')).toEqual([]);
    });

    it('in a circle go all the same, the oldest first', async () => {
      source('db', [{ package: 'app' }]);
      source('app', [{ capability: 'db' }]);
      wanted('db', { ignoreDependencies: ['app'] });
      await start();
      await world.clock.advance(1000);
      wanted('app');
      await world.settle();
      world.editPackage({}, { name: 'db' });
      await Promise.all([remove('app'), remove('db')]);
      await world.settle();
      expect(world.cluster.all('Package')).toEqual([]);
    });
  });
});
