import { describe, expect, it } from 'vitest';
import { builderOf, condition, judge } from '../../../test/build/readiness-objects.ts';

const crd = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
  spec: {
    group: 'example.dev',
    names: { kind: 'Widget' },
    versions: [
      { name: 'v1', served: true },
      { name: 'v1alpha1', served: false },
    ],
  },
});
const established = { conditions: [condition('NamesAccepted', 'True'), condition('Established', 'True')] };

describe('a CustomResourceDefinition', () => {
  it.each([
    ['established', established.conditions, 'ready'],
    ['not looked at yet', [], 'progressing'],
    ['installing', [condition('Established', 'False', { reason: 'Installing' })], 'progressing'],
    ['established Unknown', [condition('Established', 'Unknown')], 'progressing'],
    ['not established', [condition('Established', 'False', { reason: 'NotAccepted' })], 'failed'],
    ['refused for its names', [condition('NamesAccepted', 'False'), condition('Established', 'True')], 'failed'],
    [
      'refused for its names, listed last',
      [condition('Established', 'True'), condition('NamesAccepted', 'False')],
      'failed',
    ],
  ])('that is %s', (_case, conditions, verdict) => {
    expect(judge(crd({ status: { conditions } })).status).toBe(verdict);
  });

  it.each([
    ['nobody looked', undefined, 'ready'],
    ['served', true, 'ready'],
    ['not served yet', false, 'progressing'],
  ])('F30 is ready when established and served by discovery: %s', (_case, answer, verdict) => {
    const served = (apiVersion: string, kind: string) =>
      apiVersion === 'example.dev/v1' && kind === 'Widget' ? answer : undefined;
    expect(judge(crd({ status: established }), { served }).status).toBe(verdict);
  });

  it('F30 asks for no version that it does not serve', () => {
    const served = (apiVersion: string) => apiVersion === 'example.dev/v1';
    expect(judge(crd({ status: established }), { served }).status).toBe('ready');
  });
});

describe('an APIService', () => {
  const apiService = builderOf('apiregistration.k8s.io/v1', 'APIService');

  it.each([
    ['True', 'ready'],
    ['False', 'progressing'],
    ['Unknown', 'progressing'],
  ])('F29 that is Available %s is %s', (status, verdict) => {
    expect(judge(apiService({ status: { conditions: [condition('Available', status)] } })).status).toBe(verdict);
  });

  it('F29 without a status is not ready', () => {
    expect(judge(apiService()).status).toBe('progressing');
  });
});
