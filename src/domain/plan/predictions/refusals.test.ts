import { describe, expect, it } from 'vitest';
import { alarms, componentFacts, findingsOf, kubeObject } from '../../../../test/build/plan-facts.ts';
import type { ErrorCode } from '../../../api/errors.ts';

describe('a component that is refused', () => {
  it.each<readonly [ErrorCode, readonly string[]]>([
    ['ValuesInvalid', ['ValuesInvalid component store']],
    ['RenderFailed', ['RenderFailed component store']],
    ['ChartInvalid', ['RenderFailed component store']],
    ['ArtifactNotFound', ['ChartMissing component store']],
    ['DigestMismatch', ['ChartMissing component store']],
    ['OwnershipConflict', ['ForeignObject component store']],
    // Those go by themselves: nothing is foretold of them.
    ['RegistryUnreachable', []],
    ['KindNotServed', []],
  ])('with %s', (code, expected) => {
    expect(alarms(findingsOf([componentFacts([], { refusal: { code, message: 'no' } })]))).toEqual(expected);
  });

  it("as an object is somebody else's, but adopts it", () => {
    const refusal = { code: 'OwnershipConflict', message: 'no' } as const;
    expect(alarms(findingsOf([componentFacts([], { refusal })], { package: { adopts: true } }))).toEqual([]);
  });

  it.each([
    ['that reads what only hooks are told can become one', false, '.Values.kubepkg.fromVersion', 'phase: PreUpgrade'],
    ['that is a hook already', true, '.Values.kubepkg.fromVersion', 'correct the chart'],
    ['that lacks something else', false, '.Values.image', 'correct the chart'],
  ])('%s', (_name, hook, value, remedy) => {
    const message = `executing "m/templates/m.yaml" at <${value}>: nil pointer evaluating interface {}`;
    const refusal = { code: 'RenderFailed', message } as const;
    expect(findingsOf([componentFacts([], { refusal, component: { hook } })])[0]?.remedy).toContain(remedy);
  });

  it('F83 as its schema is elsewhere can go without the schema', () => {
    const refusal = { code: 'ValuesInvalid', message: 'refers to https://example.org/schema.json' } as const;
    expect(findingsOf([componentFacts([], { refusal })])[0]?.remedy).toContain('install.skipSchemaValidation');
  });
});

describe('F82 a hook', () => {
  it.each([
    ['whose schema allows other keys only', { hook: true }, ['port'], ['HookValuesRefused hook store']],
    ['whose schema allows the versions', { hook: true }, ['port', 'kubepkg'], []],
    ['without a strict schema', { hook: true }, undefined, []],
    ['whose schema is not asked', { hook: true, skipSchemaValidation: true }, ['port'], []],
    ['that is none', { hook: false }, ['port'], []],
  ])('%s', (_name, component, valuesKeys, expected) => {
    expect(alarms(findingsOf([componentFacts([], { component, valuesKeys })]))).toEqual(expected);
  });
});

describe('an object that a dry run refuses', () => {
  const after = kubeObject('{apiVersion: example.org/v1, kind: Part, metadata: {name: a, namespace: shop}}');
  const wanted = kubeObject(
    '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: parts}, spec: {group: example.org, names: {kind: Part}, versions: []}}',
  );
  const readyWhen = [{ apiVersion: 'example.org/v1', kind: 'Part', name: 'a', condition: 'Ready', status: 'True' }];

  it.each<readonly [ErrorCode, readonly string[]]>([
    ['ApiInvalid', ['Refused component store: Part shop/a']],
    ['ApiForbidden', ['NotTried component store: Part shop/a']],
    ['WebhookNotAnswering', ['NotTried component store: Part shop/a']],
    ['ApiNotFound', []],
    ['KindNotServed', []],
    ['ApiConflict', []],
  ])('with %s', (code, expected) => {
    const facts = componentFacts([{ after, dryRun: { code, message: 'no' } }], { component: { readyWhen } });
    expect(alarms(findingsOf([facts]))).toEqual(expected);
  });

  it('by a definition that the upgrade replaces may be accepted then', () => {
    const dryRun = { code: 'ApiInvalid', message: 'unknown field' } as const;
    const component = { readyWhen, upgradeCRDs: 'CreateReplace' } as const;
    const facts = componentFacts([{ after, dryRun }], { component, crds: [{ wanted }] });
    expect(alarms(findingsOf([facts]))).toEqual([]);
  });
});
