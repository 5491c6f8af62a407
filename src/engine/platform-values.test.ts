import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import type { JsonValue } from '../lib/json.ts';

const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'ops', name: 'platform' };
const MINUTE = 60_000;

describe("the platform's values", () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld({ valuesSecret: { namespace: 'ops', name: 'platform' } });
    world.addSource([aComponent('app')]);
    world.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  });

  function putSecret(values: string, key = 'values.yaml'): void {
    const { apiVersion, kind, namespace, name } = SECRET;
    const data = { [key]: Buffer.from(values).toString('base64') };
    world.cluster.put({ apiVersion, kind, metadata: { namespace, name }, data });
  }

  const delivered = (): readonly JsonValue[] => world.backend.delivered.map(({ values }) => values);
  const ready = (): string | undefined => world.condition('Ready');
  const message = (): string => world.statusOf().conditions?.find(({ type }) => type === 'Ready')?.message ?? '';

  it('are delivered under those of the user', async () => {
    putSecret('a: {b: 1, c: 2}\nd: 3\n');
    world.addPackage({ components: { app: { values: { a: { b: 5 } } } } });
    await world.start();
    await world.settle();
    expect(delivered()).toEqual([{ a: { b: 5, c: 2 }, d: 3 }]);
  });

  it('reach every package with a revision of its own when they change', async () => {
    putSecret('a: 1\n');
    await world.install();
    putSecret('a: 2\n');
    await world.settle();
    expect([delivered(), ready()]).toEqual([[{ a: 1 }, { a: 2 }], 'True ReconciliationSucceeded']);
    expect(world.phases()).toEqual(['Superseded', 'Applied']);
  });

  it('P22 change nothing when the Secret is written again with the same values', async () => {
    putSecret('a: 1\n');
    await world.install();
    world.results.clear();
    putSecret('{"a": 1}');
    await world.settle();
    expect([delivered(), world.results.size]).toEqual([[{ a: 1 }], 0]);
  });

  it.each<[string, () => void]>([
    ['is not there', () => undefined],
    [
      'has no such key',
      () => {
        putSecret('a: 1\n', 'other');
      },
    ],
    [
      'is no YAML',
      () => {
        putSecret('a: [hidden');
      },
    ],
    [
      'is no map',
      () => {
        putSecret('- hidden\n');
      },
    ],
  ])('are waited for while the Secret %s, without a failure and without telling what it holds', async (_say, put) => {
    put();
    await world.install();
    expect([ready(), world.phases(), world.backend.submitted]).toEqual(['False RequirementsNotMet', [], []]);
    expect(message()).toContain('Secret ops/platform');
    expect(JSON.stringify(world.statusOf())).not.toContain('hidden');
    putSecret('a: 1\n');
    await world.settle();
    expect([ready(), delivered()]).toEqual(['True ReconciliationSucceeded', [{ a: 1 }]]);
  });

  it('that are gone change nothing of what runs', async () => {
    putSecret('a: 1\n');
    await world.install();
    world.cluster.remove(SECRET);
    await world.settle();
    await world.advance(20 * MINUTE);
    expect([ready(), world.condition('Available'), delivered()]).toEqual([
      'False RequirementsNotMet',
      'True ComponentsHealthy',
      [{ a: 1 }],
    ]);
    putSecret('a: 1\n');
    await world.settle();
    expect([ready(), delivered()]).toEqual(['True ReconciliationSucceeded', [{ a: 1 }]]);
  });

  it('that may not be read keep nobody from starting up', async () => {
    const watch = world.cluster.watch.bind(world.cluster);
    world.cluster.watch = (selection, onEvent) => {
      if (selection.namespace !== 'ops') return watch(selection, onEvent);
      queueMicrotask(() => {
        onEvent({ type: 'disturbed', error: new KubepkgError('ApiForbidden', 'secrets may not be listed') });
      });
      return { stop: () => undefined };
    };
    await world.install();
    expect([ready(), message()]).toEqual(['False RequirementsNotMet', expect.stringContaining('may not be listed')]);
  });

  it('are none of a package whose source says so', async () => {
    const source = world.object('PackageSource', 'shop');
    const annotations = { 'kubepkg.dev/skip-platform-values': 'true' };
    world.cluster.put({ ...source, metadata: { ...source.metadata, annotations } });
    await world.install();
    expect([ready(), delivered()]).toEqual(['True ReconciliationSucceeded', [{}]]);
  });

  it('reach a strict chart as far as its schema knows them, also when the process died before they were saved', async () => {
    putSecret('known: 1\nunknown: 2\n');
    const fetch = world.artifacts.fetch.bind(world.artifacts);
    world.artifacts.fetch = async (ref) => ({ ...(await fetch(ref)), valuesKeys: ['known'] });
    let isDead = false;
    world.cluster.before = ({ line }) => {
      if (isDead || !line.startsWith('create Secret')) return;
      isDead = true;
      throw new KubepkgError('ApiUnreachable', 'the connection was lost');
    };
    world.addPackage();
    await world.start();
    await world.settle();
    await world.restart();
    await world.settle();
    await world.advance(MINUTE);
    expect([isDead, delivered(), ready()]).toEqual([true, [{ known: 1 }], 'True ReconciliationSucceeded']);
  });
});
