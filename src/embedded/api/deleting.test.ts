import { describe, expect, it } from 'vitest';
import { apiScene, configMap, configMaps, namespace, namespaces, pod, pods } from '../../../test/build/embedded-api.ts';
import type { DeleteOptions, EmbeddedApi } from '../model/api.ts';

const HOLD = 'example.org/hold';

function isThere(api: EmbeddedApi, name: string): boolean {
  return api.list(configMaps()).items.some(({ metadata }) => metadata.name === name);
}

describe('an object that is deleted', () => {
  it('is gone at once, and its end has a version of its own', () => {
    const { api } = apiScene();
    const { object } = api.create(configMaps(), configMap('a'));
    const last = api.delete(configMaps('a'));
    expect(Number(last.metadata.resourceVersion)).toBeGreaterThan(Number(object.metadata.resourceVersion));
    expect(isThere(api, 'a')).toBe(false);
    expect(() => api.delete(configMaps('a'))).toThrow('configmaps "a" not found');
  });

  it('is held by finalizers, to which none can be added, until the last one goes', async () => {
    const { api, clock } = apiScene();
    api.create(configMaps(), configMap('a', {}, { finalizers: [HOLD, 'example.org/other'] }));
    await clock.advance(1000);
    const marked = { deletionTimestamp: '2030-01-01T00:00:01Z', deletionGracePeriodSeconds: 0 };
    expect(api.delete(configMaps('a')).metadata).toMatchObject(marked);
    await clock.advance(1000);
    expect(api.delete(configMaps('a')).metadata).toMatchObject(marked);
    const withFinalizers = (finalizers: readonly string[]): unknown =>
      api.patch(configMaps('a'), { type: 'merge', body: { metadata: { finalizers } } });
    expect(() => withFinalizers([HOLD, 'example.org/new'])).toThrow(/no new finalizers can be added/);
    withFinalizers([HOLD]);
    expect(isThere(api, 'a')).toBe(true);
    withFinalizers([]);
    expect(isThere(api, 'a')).toBe(false);
  });

  it.each<[NonNullable<DeleteOptions['propagationPolicy']>, readonly string[] | undefined]>([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
    ['Background', undefined],
  ])('with the policy %s gets the finalizers %j', (propagationPolicy, finalizers) => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('a'));
    expect(api.delete(configMaps('a'), { propagationPolicy }).metadata.finalizers).toEqual(finalizers);
    expect(isThere(api, 'a')).toBe(finalizers !== undefined);
  });

  it.each([
    [{ uid: 'x' }, /Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition \(x\)/],
    [{ resourceVersion: '1' }, /the ResourceVersion in the precondition \(1\)/],
  ])('is kept when it is not as %j says', (preconditions, message) => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('a'));
    expect(() => api.delete(configMaps('a'), { preconditions })).toThrow(message);
    expect(isThere(api, 'a')).toBe(true);
  });

  it('is kept when it is only tried out', () => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('a'));
    api.delete(configMaps('a'), { dryRun: true });
    expect(isThere(api, 'a')).toBe(true);
  });

  it('may be one of many, by their labels', () => {
    const { api } = apiScene();
    for (const name of ['a', 'b']) api.create(configMaps(), configMap(name, {}, { labels: { name } }));
    expect(api.deleteCollection(configMaps(), { labelSelector: 'name=a' }).items).toHaveLength(1);
    expect([isThere(api, 'a'), isThere(api, 'b')]).toEqual([false, true]);
  });
});

describe('a pod that is deleted', () => {
  function running(api: EmbeddedApi): void {
    api.create(pods(), pod('p'));
    const target = { kind: 'Node', name: 'n' };
    api.create(pods('p', 'binding'), { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target });
  }

  it('without a node is gone at once', () => {
    const { api } = apiScene();
    api.create(pods(), pod('p'));
    api.delete(pods('p'));
    expect(api.list(pods()).items).toEqual([]);
  });

  it('has its time of grace, which can only become shorter', () => {
    const { api } = apiScene();
    running(api);
    const graceAfter = (options: DeleteOptions): unknown => {
      const { deletionGracePeriodSeconds, deletionTimestamp } = api.delete(pods('p'), options).metadata;
      return [deletionGracePeriodSeconds, deletionTimestamp];
    };
    expect(graceAfter({})).toEqual([30, '2030-01-01T00:00:30Z']);
    expect(graceAfter({ gracePeriodSeconds: 60 })).toEqual([30, '2030-01-01T00:00:30Z']);
    expect(graceAfter({ gracePeriodSeconds: 5 })).toEqual([5, '2030-01-01T00:00:05Z']);
    expect(api.list(pods()).items).toHaveLength(1);
    expect(graceAfter({ gracePeriodSeconds: 0 })).toEqual([0, '2030-01-01T00:00:00Z']);
    expect(api.list(pods()).items).toEqual([]);
  });

  it('that has ended is gone at once', () => {
    const { api } = apiScene();
    running(api);
    api.patch(pods('p', 'status'), { type: 'merge', body: { status: { phase: 'Succeeded' } } });
    api.delete(pods('p'));
    expect(api.list(pods()).items).toEqual([]);
  });
});

describe('a namespace that is deleted', () => {
  it('is closed, and goes when it is finalized', () => {
    const { api } = apiScene();
    api.create(namespaces(), namespace('shop'));
    expect(api.delete(namespaces('shop'))).toMatchObject({ status: { phase: 'Terminating' } });
    expect(() => api.create(configMaps(undefined, 'shop'), configMap('a'))).toThrow(
      expect.objectContaining({
        reason: 'Forbidden',
        message:
          'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated',
        details: expect.objectContaining({
          causes: [expect.objectContaining({ reason: 'NamespaceTerminating' })],
        }) as object,
      }),
    );
    const finalizers = { spec: { finalizers: [] } };
    api.update(namespaces('shop', 'finalize'), { ...api.get(namespaces('shop')), ...finalizers });
    expect(() => api.get(namespaces('shop'))).toThrow('namespaces "shop" not found');
  });

  it('may not be one of the cluster itself', () => {
    const { api } = apiScene();
    expect(() => api.delete(namespaces('default'))).toThrow(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });
});
