import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { isAppliedAlready, ownedFields } from './owned-fields.ts';

function managed(entries: readonly Readonly<Record<string, unknown>>[]): KubeObject {
  return {
    apiVersion: 'kubepkg.dev/v1',
    kind: 'Package',
    metadata: { name: 'shop', labels: { a: '1', b: '2' }, managedFields: entries },
    spec: {
      version: '1.x',
      variant: 'default',
      ignoreDependencies: ['x'],
      components: { app: { enabled: true, values: { a: { b: 1 } } } },
    },
  };
}

function applied(fieldsV1: unknown, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { manager: 'kubepkg', operation: 'Apply', fieldsV1, ...more };
}

describe('the fields that a manager has applied', () => {
  it.each([
    [
      'of nested maps',
      { 'f:spec': { 'f:version': {}, 'f:components': { 'f:app': { 'f:enabled': {} } } } },
      { spec: { version: '1.x', components: { app: { enabled: true } } } },
    ],
    [
      'of a map that is owned as a whole',
      { 'f:spec': { 'f:components': { 'f:app': { 'f:values': {} } } } },
      { spec: { components: { app: { values: { a: { b: 1 } } } } } },
    ],
    [
      'of a map whose existence is owned too',
      { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
      { metadata: { labels: { a: '1' } } },
    ],
    [
      'of a list, whole',
      { 'f:spec': { 'f:ignoreDependencies': { 'v:"x"': {} } } },
      { spec: { ignoreDependencies: ['x'] } },
    ],
    [
      'without those that are gone meanwhile',
      { 'f:spec': { 'f:suspend': {}, 'f:version': {} } },
      { spec: { version: '1.x' } },
    ],
  ])('are those %s', (_what, fields, owned) => {
    expect(ownedFields(managed([applied(fields)]), 'kubepkg')).toEqual(owned);
  });

  it.each([
    ['another manager', { manager: 'kubectl' }],
    ['an update', { operation: 'Update' }],
    ['the status', { subresource: 'status' }],
  ])('are not those of %s', (_what, more) => {
    expect(ownedFields(managed([applied({ 'f:spec': { 'f:version': {} } }, more)]), 'kubepkg')).toEqual({});
  });
});

describe('what is to be applied', () => {
  const apiVersion = 'kubepkg.dev/v1';
  const fields = { 'f:spec': { 'f:version': {}, 'f:components': { 'f:app': { 'f:values': {} } } } };
  const entry = applied(fields, { apiVersion });
  const spec = { version: '1.x', components: { app: { values: { a: { b: 1 } } } } };

  function wanted(more: object = {}): KubeObject {
    return { apiVersion, kind: 'Package', metadata: { name: 'shop' }, spec: { ...spec, ...more } };
  }

  it.each<[string, boolean, readonly Readonly<Record<string, unknown>>[], object]>([
    ['just what was applied', true, [entry], {}],
    ['just what was applied, whatever others have set', true, [applied({}, { manager: 'kubectl' }), entry], {}],
    ['another value', false, [entry], { version: '2.x' }],
    ['a field more', false, [entry], { variant: 'default' }],
    ['a field less', false, [entry], { version: undefined }],
    ['another part of a map', false, [entry], { components: { app: { values: { a: { b: 1, c: 2 } } } } }],
    ['what somebody else has applied', false, [{ ...entry, manager: 'kubectl' }], {}],
    ['what was written otherwise', false, [{ ...entry, operation: 'Update' }], {}],
    ['what was applied in another version', false, [applied(fields, { apiVersion: 'kubepkg.dev/v2' })], {}],
    ['what was applied in two versions', false, [entry, applied({}, { apiVersion: 'kubepkg.dev/v2' })], {}],
    ['what nobody is known to have applied', false, [], {}],
  ])('%s is there already: %s', (_what, isThere, entries, more) => {
    expect(isAppliedAlready(managed(entries), wanted(more), 'kubepkg')).toBe(isThere);
  });

  it('is not there where labels differ', () => {
    const labelled = applied({ ...fields, 'f:metadata': { 'f:labels': { 'f:a': {} } } }, { apiVersion });
    const labels = (a: string): KubeObject => ({ ...wanted(), metadata: { name: 'shop', labels: { a } } });
    const isThere = (object: KubeObject): boolean => isAppliedAlready(managed([labelled]), object, 'kubepkg');
    expect([labels('1'), labels('2'), wanted()].map(isThere)).toEqual([true, false, false]);
  });
});
