import { describe, expect, it } from 'vitest';
import { componentFacts, findingsOf, kubeObject } from '../../../../test/build/plan-facts.ts';
import { REMOVED_APIS } from './removed-apis.ts';

const BUDGET = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget' };
const PART = { apiVersion: 'example.org/v1', kind: 'Part' };
const CRD = kubeObject(
  '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: parts.example.org}, spec: {group: example.org, names: {kind: Part}, versions: [{name: v1}]}}',
);

describe('an object', () => {
  it.each([
    ['F34 of a removed version is an error, with what to write instead', BUDGET, [BUDGET], ['ApiVersionRemoved']],
    ['of a version that goes later is worth knowing', BUDGET, [], ['ApiVersionDeprecated']],
    ['of a kind that nobody defines is waited for', PART, [PART], ['KindNotServed', 'NoReadiness']],
    ['of a kind that is served is fine', { apiVersion: 'v1', kind: 'ConfigMap' }, [PART], []],
  ])('%s', (_name, kind, unserved, codes) => {
    const after = { ...kind, metadata: { name: 'a', namespace: 'shop' } };
    const findings = findingsOf([componentFacts([{ after }])], { cluster: { unserved } });
    expect(findings.map(({ code }) => code).toSorted()).toEqual(codes);
  });

  it('of a kind that an earlier component defines is fine', () => {
    const after = { ...PART, metadata: { name: 'a', namespace: 'shop' } };
    const first = componentFacts([], { crds: [{ wanted: CRD }] });
    const findings = findingsOf([first, componentFacts([{ after }])], {
      cluster: { unserved: [PART] },
      package: { crds: ['parts.example.org'] },
    });
    expect(findings).toEqual([]);
  });

  it('F34 names the replacement', () => {
    const after = { ...BUDGET, metadata: { name: 'a', namespace: 'shop' } };
    const [finding] = findingsOf([componentFacts([{ after }])], { cluster: { unserved: [BUDGET] } });
    expect(finding?.message).toContain('removed it in 1.25');
    expect(finding?.remedy).toContain('policy/v1');
  });
});

describe('F34 a release', () => {
  it('with something on record that is served no more fails every upgrade', () => {
    const recorded = [{ ...BUDGET, name: 'a', namespace: 'shop' }];
    const findings = findingsOf([componentFacts([], { recorded })], { cluster: { unserved: [BUDGET] } });
    expect(findings).toMatchObject([{ code: 'RecordUnreadable', severity: 'error', subject: 'component store' }]);
    expect(findings[0]?.message).toContain('PodDisruptionBudget of policy/v1beta1 (a)');
  });
});

describe('the table of removed API versions', () => {
  it('has each kind of a version once', () => {
    const all = REMOVED_APIS.flatMap(({ apiVersion, kinds }) => kinds.map((kind) => `${apiVersion} ${kind}`));
    expect(new Set(all).size).toBe(all.length);
  });
});
