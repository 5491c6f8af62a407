import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { rest } from '../../test/fakes/clock.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { CRD } from './crd-book.ts';

const NAME = 'widgets.example.org';
const WRITE = `merge-patch CustomResourceDefinition ${NAME}`;
const OWNED = { 'kubepkg.dev/owned-by': 'shop', 'helm.sh/resource-policy': 'keep' };
const FORMER = { 'meta.helm.sh/release-name': 'base', 'meta.helm.sh/release-namespace': 'old' };
const MINUTE = 60_000;

describe('the CRDs of a package', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld();
    source();
  });

  function source(crds: readonly string[] = [NAME], version = '1.0.0', name = 'shop'): void {
    const component = aComponent('app', { namespace: name });
    world.addSource([component], { crds: [...crds], version, rollback: { safe: true } }, name);
  }

  function putCrd(annotations: Readonly<Record<string, string>> = {}, finalizers: readonly string[] = []): void {
    const names = { kind: 'Widget', plural: 'widgets' };
    const versions = [{ name: 'v1', served: true, storage: true }];
    const spec = { group: 'example.org', names, scope: 'Namespaced', versions };
    world.cluster.put({ ...CRD, metadata: { name: NAME, annotations, finalizers }, spec });
  }

  const found = (): KubeObject | undefined => world.cluster.get({ ...CRD, name: NAME });
  const annotations = (): unknown => found()?.metadata.annotations;
  const ready = (name = 'shop'): string | undefined => world.condition('Ready', name);
  const message = (): string | undefined => world.statusOf().conditions?.find(({ type }) => type === 'Ready')?.message;
  const isWatched = (): boolean => world.cluster.watched().includes('CustomResourceDefinition');
  const claims = (): number => world.cluster.writes().filter((line) => line === WRITE).length;

  /** Writes on CRDs and what the backend was asked, in order. */
  function log(): readonly string[] {
    const lines: string[] = [];
    world.cluster.after = ({ line, write }) => {
      if (write !== undefined && line.includes('CustomResourceDefinition')) lines.push(line);
    };
    world.backend.script = (action) => {
      lines.push(action.kind);
      return Promise.resolve({ kind: 'accepted' });
    };
    return lines;
  }

  async function remove(policy: 'Retain' | 'Delete' = 'Retain', name = 'shop'): Promise<void> {
    const known = world.object('Package', name);
    const deletionTimestamp = '2030-01-01T00:00:00Z';
    world.cluster.put({ ...known, spec: { crdPolicy: policy }, metadata: { ...known.metadata, deletionTimestamp } });
    await world.settle();
  }

  async function rival(): Promise<void> {
    source([NAME], '1.0.0', 'rival');
    putCrd({ 'kubepkg.dev/owned-by': 'rival', 'helm.sh/resource-policy': 'keep', ...FORMER });
    world.addPackage({}, { name: 'rival' });
    await world.install();
  }

  it('are claimed and protected once the revision is applied', async () => {
    putCrd({ other: 'kept' });
    const lines = log();
    await world.install();
    expect(lines).toEqual(['install', WRITE]);
    expect(annotations()).toEqual({ other: 'kept', ...OWNED });
    expect(ready()).toBe('True ReconciliationSucceeded');
  });

  it('are claimed when they appear later', async () => {
    await world.install();
    putCrd();
    await world.settle();
    expect(annotations()).toEqual(OWNED);
  });

  it('I9 P22 are not asked for or written again while nothing changes, nor after a restart', async () => {
    putCrd();
    await world.install();
    const before = world.cluster.requests.length;
    world.wake('shop');
    await world.settle();
    await world.advance(10 * MINUTE);
    expect(world.cluster.requests).toHaveLength(before);
    await world.restart();
    await world.settle();
    expect(claims()).toBe(1);
  });

  it('do not wake anybody when they change in what says nothing of their owner', async () => {
    putCrd();
    await world.install();
    world.results.clear();
    world.cluster.put({ ...CRD, metadata: { name: NAME }, status: { conditions: [] } });
    await world.settle();
    expect(world.results.size).toBe(0);
  });

  it('are watched, their metadata alone, only while some package lists any', async () => {
    source([]);
    await world.install();
    expect(isWatched()).toBe(false);
    source();
    await world.settle();
    expect(isWatched()).toBe(true);
    await remove();
    expect(isWatched()).toBe(false);
  });

  it('are watched no more once no revision that is kept lists any', async () => {
    world.addPackage({ revisionHistoryLimit: 1 });
    await world.start();
    await world.settle();
    expect(isWatched()).toBe(true);
    source([], '2.0.0');
    await world.settle();
    world.wake('shop');
    await world.settle();
    expect([world.phases(), isWatched()]).toEqual([['Applied'], false]);
  });

  /** Declares the CRD, and does nothing. */
  function sleepingRival(): void {
    source([NAME], '1.0.0', 'rival');
    world.addPackage({ suspend: true }, { name: 'rival' });
  }

  it('I6 are left to somebody who takes them in the same moment', async () => {
    putCrd();
    sleepingRival();
    world.cluster.before = ({ line }) => {
      if (line === `read CustomResourceDefinition ${NAME}`) putCrd({ 'kubepkg.dev/owned-by': 'rival' });
    };
    await world.install();
    expect([annotations(), claims()]).toEqual([{ 'kubepkg.dev/owned-by': 'rival' }, 0]);
  });

  it('are claimed once when the answer to the claim is lost', async () => {
    putCrd();
    let isLost = false;
    world.cluster.after = ({ line }) => {
      if (line !== WRITE || isLost) return;
      isLost = true;
      // Nor does the watch tell of it.
      world.cluster.hold();
      throw new KubepkgError('ApiUnreachable', 'the connection was lost');
    };
    await world.install();
    await world.advance(MINUTE);
    world.cluster.release();
    await world.settle();
    expect([claims(), annotations(), ready()]).toEqual([1, OWNED, 'True ReconciliationSucceeded']);
  });

  it('are known to be claimed before the watch tells it', async () => {
    putCrd();
    world.cluster.after = ({ line }) => {
      if (line === WRITE) world.cluster.hold();
    };
    await world.install();
    const reads = world.cluster.requests.filter(({ line }) => line === `read CustomResourceDefinition ${NAME}`);
    expect([reads.length, ready()]).toEqual([1, 'True ReconciliationSucceeded']);
  });

  it('are released by a version that does not list them, and claimed again when one that does is back', async () => {
    putCrd();
    await world.install();
    source([], '2.0.0');
    await world.settle();
    expect(annotations()).toEqual({ 'helm.sh/resource-policy': 'keep' });
    source([NAME], '3.0.0');
    await world.settle();
    expect(annotations()).toEqual(OWNED);
  });

  it('P19 are claimed again by a rollback to a version that lists them', async () => {
    putCrd();
    await world.install();
    source([], '2.0.0');
    await world.settle();
    world.editPackage({}, { annotations: { 'kubepkg.dev/rollback-to': '1' } });
    await world.settle();
    expect([ready(), annotations()]).toEqual(['True RolledBack', OWNED]);
  });

  describe('P21 that another package owns', () => {
    beforeEach(rival);

    it('keep the start waiting while that one declares them, and nothing is touched', () => {
      expect([ready(), ready('rival')]).toEqual(['False CRDOwnershipConflict', 'True ReconciliationSucceeded']);
      expect(message()).toContain('package rival');
      expect(world.backend.submitted).toEqual(['install rival/app']);
      expect(world.cluster.all('PackageRevision')).toHaveLength(1);
    });

    it('pass on, protected, before anything is delivered once its source gives them up', async () => {
      const lines = log();
      source([], '2.0.0', 'rival');
      await world.settle();
      expect(lines.indexOf('install')).toBeGreaterThan(lines.indexOf(WRITE));
      expect(lines).toContain(WRITE);
      expect(annotations()).toMatchObject(OWNED);
      expect([ready(), ready('rival')]).toEqual(['True ReconciliationSucceeded', 'True ReconciliationSucceeded']);
    });

    it('pass on when that one is removed', async () => {
      await remove('Retain', 'rival');
      expect([ready(), annotations()]).toEqual(['True ReconciliationSucceeded', { ...FORMER, ...OWNED }]);
    });

    it('become part of the release that has them', async () => {
      const rendered = ({ component }: DesiredRelease): readonly KubeObject[] =>
        component === 'app' ? [{ ...CRD, metadata: { name: NAME } }] : [];
      Object.assign(world.backend, {
        capabilities: { ...world.backend.capabilities, previewsObjects: true },
        preview: (release: DesiredRelease) => Promise.resolve(rendered(release)),
      });
      const { labels, annotations: marks } = { labels: { 'app.kubernetes.io/managed-by': 'Helm' }, annotations: OWNED };
      world.backend.script = () => {
        if (world.backend.submitted.at(-1) === 'install shop/app') {
          expect(found()?.metadata.annotations).toMatchObject({ 'meta.helm.sh/release-namespace': 'shop' });
        }
        return Promise.resolve({ kind: 'accepted' });
      };
      source([], '2.0.0', 'rival');
      await world.settle();
      const release = { 'meta.helm.sh/release-name': 'app', 'meta.helm.sh/release-namespace': 'shop' };
      expect(found()?.metadata).toMatchObject({ labels, annotations: { ...marks, ...release } });
    });
  });

  describe('P20 of a package that is removed', () => {
    beforeEach(async () => {
      putCrd();
      await world.install();
    });

    it('are released and kept before its releases go', async () => {
      const lines = log();
      await remove();
      expect(lines).toEqual([WRITE, 'uninstall']);
      expect(annotations()).toEqual({ 'helm.sh/resource-policy': 'keep' });
      expect(world.cluster.all('Package')).toEqual([]);
    });

    it('F58 go after its releases with crdPolicy Delete', async () => {
      const lines = log();
      await remove('Delete');
      expect(lines).toEqual(['uninstall', `delete CustomResourceDefinition ${NAME}`]);
      expect([found(), world.cluster.all('Package')]).toEqual([undefined, []]);
    });

    it('I6 are left where another one takes them in the same moment', async () => {
      sleepingRival();
      await world.settle();
      world.cluster.before = ({ line }) => {
        if (line !== `read CustomResourceDefinition ${NAME}`) return;
        putCrd({ 'kubepkg.dev/owned-by': 'rival' });
        world.cluster.before = () => undefined;
      };
      await remove('Delete');
      expect(annotations()).toEqual({ 'kubepkg.dev/owned-by': 'rival' });
    });

    it('are waited for, and what holds them is named', async () => {
      putCrd(OWNED, ['customresourcecleanup.apiextensions.k8s.io']);
      const metadata = { name: 'a', namespace: 'shop', finalizers: ['example.org/hold'] };
      world.cluster.put({ apiVersion: 'example.org/v1', kind: 'Widget', metadata });
      await world.settle();
      await remove('Delete');
      expect(ready()).toBe('False Deleting');
      expect(message()).toContain('Widget shop/a has finalizers example.org/hold');
      world.cluster.remove({ apiVersion: 'example.org/v1', kind: 'Widget', namespace: 'shop', name: 'a' });
      world.cluster.remove({ ...CRD, name: NAME });
      await world.settle();
      expect(world.cluster.all('Package')).toEqual([]);
    });

    it('P21 are left where they are another one’s by now', async () => {
      sleepingRival();
      putCrd({ 'kubepkg.dev/owned-by': 'rival' });
      await world.settle();
      await remove('Delete');
      expect(annotations()).toEqual({ 'kubepkg.dev/owned-by': 'rival' });
      expect(world.cluster.all('Package').map(({ metadata }) => metadata.name)).toEqual(['rival']);
    });
  });

  it('that may not be listed keep a start waiting with the permission that is missing', async () => {
    const error = new KubepkgError('ApiForbidden', 'customresourcedefinitions may not be listed');
    const watch = world.cluster.watch.bind(world.cluster);
    world.cluster.watch = (selection, onEvent) => {
      if (selection.kind !== CRD.kind) return watch(selection, onEvent);
      queueMicrotask(() => {
        onEvent({ type: 'disturbed', error });
      });
      return { stop: () => undefined };
    };
    await world.install();
    await rest();
    expect([ready(), message()]).toEqual(['False Progressing', 'customresourcedefinitions may not be listed']);
    expect(world.backend.submitted).toEqual([]);
  });
});
