import { describe, expect, it } from 'vitest';
import { shapeOf } from './accept.ts';
import { compareVersions } from './discovery.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { routeOf } from './route.ts';

describe('a path', () => {
  it.each([
    ['/api', { type: 'core-versions' }],
    ['/apis', { type: 'groups' }],
    ['/apis/apps', { type: 'group', group: 'apps' }],
    ['/apis/apps/v1', { type: 'group-version', group: 'apps', version: 'v1' }],
    ['/api/v1/namespaces', { target: { plural: 'namespaces' } }],
    ['/api/v1/namespaces/a', { target: { plural: 'namespaces', name: 'a' } }],
    ['/api/v1/namespaces/a/finalize', { target: { plural: 'namespaces', name: 'a', subresource: 'finalize' } }],
    ['/api/v1/namespaces/a/pods', { target: { plural: 'pods', namespace: 'a' } }],
    ['/api/v1/namespaces/a/pods/b/log', { target: { plural: 'pods', namespace: 'a', name: 'b', subresource: 'log' } }],
    ['/apis/apps/v1/deployments', { target: { group: 'apps', plural: 'deployments' } }],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab', { target: { plural: 'clusterroles', name: 'a:b' } }],
    ['/version', { type: 'other' }],
  ])('%s names %j', (path, route) => {
    expect(routeOf(path)).toMatchObject(route);
  });
});

describe('an Accept header', () => {
  it.each([
    [undefined, { as: 'object' }],
    ['*/*', { as: 'object' }],
    ['application/vnd.kubernetes.protobuf,application/json', { as: 'object' }],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', { as: 'table', version: 'v1' }],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', { as: 'metadata' }],
    ['application/json;as=Table;v=v3;g=meta.k8s.io', undefined],
    ['application/cbor', undefined],
  ])('%s asks for %j', (header, shape) => {
    expect(shapeOf(header)).toEqual(shape);
  });
});

describe('keys that are there twice', () => {
  it.each([
    ['{"a":1,"b":{"a":2}}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":[{"b":1},{"b":1,"b":2}],"c":"{\\"a\\":1,\\"a\\":2}"}', ['a[1].b']],
    [' { "a" : { "x" : [ ] , "x" : "}" } } ', ['a.x']],
    ['{"\\u0061":1,"a":true}', ['a']],
    ['[]', []],
  ])('of %s are %j', (text, paths) => {
    expect(duplicateKeys(text)).toEqual(paths);
  });
});

describe('versions', () => {
  it('come with the most stable one first, and the newest of these', () => {
    const versions = ['v1beta1', 'v10', 'foo', 'v2', 'v1alpha1', 'v11beta2', 'bar'];
    expect(versions.toSorted(compareVersions)).toEqual(['v10', 'v2', 'v11beta2', 'v1beta1', 'v1alpha1', 'bar', 'foo']);
  });
});
