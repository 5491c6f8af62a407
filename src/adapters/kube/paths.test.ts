import { describe, expect, it } from 'vitest';
import { collectionPath, createPath, groupVersionPath, objectPath, withQuery } from './paths.ts';

const NAMESPACED = { plural: 'configmaps', namespaced: true };
const CLUSTER_SCOPED = { plural: 'clusterroles', namespaced: false };
const A = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'a' };
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'System:My Role' };

describe('the path', () => {
  it.each([
    [objectPath(A, NAMESPACED), '/api/v1/namespaces/n/configmaps/a'],
    [objectPath(A, NAMESPACED, 'status'), '/api/v1/namespaces/n/configmaps/a/status'],
    [createPath(A, NAMESPACED), '/api/v1/namespaces/n/configmaps'],
    [createPath(A, NAMESPACED, 'eviction'), '/api/v1/namespaces/n/configmaps/a/eviction'],
    [collectionPath('v1', NAMESPACED, undefined), '/api/v1/configmaps'],
    [objectPath(ROLE, CLUSTER_SCOPED), '/apis/rbac.authorization.k8s.io/v1/clusterroles/System%3AMy%20Role'],
    [objectPath({ ...ROLE, namespace: 'n' }, CLUSTER_SCOPED), objectPath(ROLE, CLUSTER_SCOPED)],
    [withQuery('/p', { a: 'x y&z', b: undefined, c: 'ü' }), '/p?a=x%20y%26z&c=%C3%BC'],
    [withQuery('/p', { a: undefined }), '/p'],
  ])('%s is as Kubernetes has it', (path, expected) => {
    expect(path).toBe(expected);
  });

  it.each(['', '.', '..', 'a/b', '../b', 'a%2fb'])('is refused for "%s", as name, namespace or subresource', (text) => {
    const refused = expect.objectContaining({ code: 'ApiInvalid' }) as Error;
    expect(() => objectPath({ ...A, name: text }, NAMESPACED)).toThrow(refused);
    expect(() => objectPath({ ...A, namespace: text }, NAMESPACED)).toThrow(refused);
    expect(() => objectPath(A, NAMESPACED, text)).toThrow(refused);
  });

  it.each(['', '/v1', 'v1/', 'a/b/c', '../v1', 'A/v1', 'x?/v1'])('is refused for the apiVersion "%s"', (apiVersion) => {
    expect(() => groupVersionPath(apiVersion)).toThrow(expect.objectContaining({ code: 'ApiInvalid' }));
  });
});
