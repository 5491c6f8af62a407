import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { ownedFields } from './owned-fields.ts';

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
