import { describe, expect, it } from 'vitest';
import type { ManagedField } from '../api/kube.ts';
import { ownsVersions, withSpecTaken } from './crd-fields.ts';

function entry(manager: string, operation: 'Apply' | 'Update', fieldsV1: unknown): ManagedField {
  return Object.assign(
    { manager, operation },
    { apiVersion: 'apiextensions.k8s.io/v1', fieldsType: 'FieldsV1', fieldsV1 },
  );
}

const versions = (...names: readonly string[]): unknown => ({
  'f:spec': { 'f:versions': Object.fromEntries(names.map((name) => [`k:{"name":"${name}"}`, { '.': {} }])) },
});
const labels = { 'f:metadata': { 'f:labels': { 'f:theirs': {} } } };
const injected = entry('cainjector', 'Update', { 'f:spec': { 'f:conversion': { 'f:webhook': {} } } });
const status = Object.assign(entry('apiserver', 'Update', versions('v1')), { subresource: 'status' });

describe('the definition of a CRD', () => {
  it('is held by those who wrote its versions', () => {
    expect([entry('helm', 'Apply', versions('v1')), injected, status].map(ownsVersions)).toEqual([true, false, false]);
  });

  it('passes to kubepkg from who created it; all else stays where it is', () => {
    const created = entry('helm', 'Update', Object.assign({}, versions('v1'), labels));
    expect(withSpecTaken([injected, created, status])).toEqual([
      injected,
      entry('helm', 'Update', labels),
      status,
      entry('kubepkg', 'Apply', versions('v1')),
    ]);
  });

  it('is joined with what kubepkg applied before', () => {
    const applied = entry('kubepkg', 'Apply', Object.assign({}, versions('v2'), labels));
    const created = entry('kubepkg', 'Update', versions('v1'));
    expect(withSpecTaken([created, applied])).toEqual([
      entry('kubepkg', 'Update', {}),
      entry('kubepkg', 'Apply', Object.assign({}, versions('v2', 'v1'), labels)),
    ]);
  });

  it('is left alone where kubepkg holds it alone', () => {
    expect(withSpecTaken([entry('kubepkg', 'Apply', versions('v1')), injected, status])).toBeUndefined();
  });
});
