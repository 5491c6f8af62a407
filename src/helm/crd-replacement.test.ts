import { describe, expect, it } from 'vitest';
import { desiredRelease, TARGET } from '../../test/build/helm-release.ts';
import type { ErrorCode } from '../api/errors.ts';
import type { KubeObject, ManagedField, ObjectMeta } from '../api/kube.ts';
import { judgeReplacement } from './crd-replacement.ts';

const RELEASE = desiredRelease();

interface Shape {
  readonly metadata?: Partial<ObjectMeta>;
  readonly scope?: string;
  readonly versions?: readonly string[];
  readonly stored?: readonly string[];
}

function crd({ metadata = {}, scope = 'Namespaced', versions = ['v1'], stored = ['v1'] }: Shape = {}): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.com', ...metadata },
    spec: { scope, versions: versions.map((name) => ({ name })) },
    status: { storedVersions: stored },
  };
}

function wroteVersions(manager: string): { readonly managedFields: readonly ManagedField[] } {
  return { managedFields: [Object.assign({ manager }, { fieldsV1: { 'f:spec': { 'f:versions': {} } } })] };
}

function helm(namespace: string, name: string): { readonly annotations: Readonly<Record<string, string>> } {
  return { annotations: { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': namespace } };
}

const OURS = { annotations: { 'kubepkg.dev/owned-by': TARGET.package } };
const THEIRS = { annotations: { 'kubepkg.dev/owned-by': 'other' } };
const ANNOTATED_ONLY = { managedFields: [Object.assign({ manager: 'kubepkg' }, { fieldsV1: { 'f:metadata': {} } })] };

describe('P21 a CRD that exists may be replaced', () => {
  it.each<[string, Partial<ObjectMeta>, ErrorCode | undefined]>([
    ['of this package', OURS, undefined],
    ['of another package', THEIRS, 'OwnershipConflict'],
    ['of another package that kubepkg wrote', { ...THEIRS, ...wroteVersions('kubepkg') }, 'OwnershipConflict'],
    ['of this release', helm(TARGET.namespace, TARGET.releaseName), undefined],
    ['of another release', helm('other', TARGET.releaseName), 'OwnershipConflict'],
    [
      'of another release that kubepkg wrote',
      { ...helm(TARGET.namespace, 'another'), ...wroteVersions('kubepkg') },
      'OwnershipConflict',
    ],
    ['without a mark that kubepkg wrote', wroteVersions('kubepkg'), undefined],
    ['without a mark that helm wrote', wroteVersions('helm'), 'OwnershipConflict'],
    ['without a mark that kubepkg annotated', ANNOTATED_ONLY, 'OwnershipConflict'],
    ['without anything', {}, 'OwnershipConflict'],
  ])('%s', (_, metadata, code) => {
    expect(judgeReplacement(crd({ metadata }), crd(), RELEASE)?.code).toBe(code);
    expect(judgeReplacement(crd({ metadata }), crd(), { ...RELEASE, adopt: true })).toBeUndefined();
  });

  it.each<[string, Shape, Shape, ErrorCode | undefined]>([
    ['with another scope', {}, { scope: 'Cluster' }, 'ImmutableField'],
    ['without a version that is stored', { stored: ['v1', 'v2'] }, { versions: ['v2'] }, 'ApiInvalid'],
    ['without a version that is not stored', { versions: ['v1', 'v0'] }, { versions: ['v1'] }, undefined],
  ])('%s, whoever owns it', (_, live, wanted, code) => {
    const release = { ...RELEASE, adopt: true };
    expect(judgeReplacement(crd(live), crd(wanted), release)?.code).toBe(code);
  });
});
