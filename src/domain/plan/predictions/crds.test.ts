import { describe, expect, it } from 'vitest';
import { alarms, componentFacts, findingsOf, kubeObject } from '../../../../test/build/plan-facts.ts';
import type { KubeObject } from '../../../api/kube.ts';

function crd(versions: readonly string[], { stored = versions, extra = '' } = {}): KubeObject {
  const listed = versions.map((name) => `{name: ${name}, schema: {openAPIV3Schema: {type: object${extra}}}}`).join();
  return kubeObject(
    `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: parts.example.org},
      spec: {group: example.org, names: {kind: Part}, versions: [${listed}]}, status: {storedVersions: [${stored.join()}]}}`,
  );
}

const SUBJECT = 'component store: CustomResourceDefinition parts.example.org';

describe('a CRD', () => {
  it.each([
    ['keeps the version in which objects are stored', ['v2', 'v1'], []],
    ['loses it', ['v2'], [`StoredVersionLost ${SUBJECT}`]],
  ])('of the templates %s', (_name, versions, expected) => {
    const live = crd(['v1']);
    const facts = componentFacts([{ after: crd(versions), before: live, live, dryRun: 'accepted' }]);
    expect(alarms(findingsOf([facts]))).toEqual(expected);
  });

  it('that would lose a stored version is told in these words alone, although the server refuses it', () => {
    const live = crd(['v1']);
    const dryRun = { code: 'ApiInvalid', message: 'status.storedVersions[0]: Invalid value: "v1"' } as const;
    const facts = componentFacts([{ after: crd(['v2']), before: live, live, dryRun }]);
    expect(alarms(findingsOf([facts]))).toEqual([`StoredVersionLost ${SUBJECT}`]);
  });

  it.each([
    ['F31 differs and stays', 'Skip', ', properties: {a: {type: string}}', [`CRDNotUpgraded ${SUBJECT}`]],
    [
      'F31 differs and stays, as only missing ones are made',
      'Create',
      ', properties: {a: {}}, x: 1',
      [`CRDNotUpgraded ${SUBJECT}`],
    ],
    ['F31 differs and is replaced', 'CreateReplace', ', properties: {a: {type: string}}', []],
    ['is the same', 'Skip', '', []],
  ] as const)('of the crds folder %s', (_name, upgradeCRDs, extra, expected) => {
    const crds = [{ wanted: crd(['v1'], { extra }), live: crd(['v1']) }];
    expect(alarms(findingsOf([componentFacts([], { crds, component: { upgradeCRDs } })]))).toEqual(expected);
  });

  it('of the crds folder that is replaced can lose a version too', () => {
    const crds = [{ wanted: crd(['v2']), live: crd(['v1', 'v2'], { stored: ['v1', 'v2'] }) }];
    const component = { upgradeCRDs: 'CreateReplace' } as const;
    const [finding] = findingsOf([componentFacts([], { crds, component })]);
    expect(finding).toMatchObject({
      code: 'StoredVersionLost',
      message: expect.stringContaining('version v1,') as string,
    });
  });

  it('that the package does not list is worth knowing', () => {
    const facts = [componentFacts([], { crds: [{ wanted: crd(['v1']) }] })];
    expect(findingsOf(facts).map(({ code }) => code)).toEqual(['CRDNotDeclared']);
    expect(findingsOf(facts, { package: { crds: ['parts.example.org'] } })).toEqual([]);
  });
});
