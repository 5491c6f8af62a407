import { describe, expect, it } from 'vitest';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import type { PlanFacts } from '../../domain/plan/predictions/facts.ts';
import { componentFacts, kubeObject, planFacts } from '../../../test/build/plan-facts.ts';
import { examinationFindings, recipeFindings } from './findings.ts';
import { parseRecipeText } from './recipe-file.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

function pod(image: string): KubeObject {
  return kubeObject(`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{image: "${image}"}]}}`);
}

function codes(facts: PlanFacts): readonly string[] {
  return examinationFindings({ variants: [{ variant: 'default', facts }] }).map(
    ({ severity, code }) => `${severity} ${code}`,
  );
}

function factsOf(objects: readonly KubeObject[], pkg: Partial<PlanFacts['package']> = {}): PlanFacts {
  return planFacts([componentFacts(objects.map((after) => ({ after })))], { package: pkg });
}

const CRD = kubeObject(
  '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.org}, ' +
    'spec: {group: example.org, names: {kind: Thing}, versions: [{name: v1, subresources: {status: {}}}]}}',
);

describe('what an examination finds', () => {
  it.each([
    ['one that is pinned in the list', 'nginx:1', [`docker.io/library/nginx:1@${DIGEST}`], []],
    ['one of a registry with a port', 'localhost:5000/a/b:1', [`localhost:5000/a/b:1@${DIGEST}`], []],
    ['one with a digest of its own', `example.org/x@${DIGEST}`, [`example.org/y:1@${DIGEST}`], []],
    ['one that is not in the list', 'example.org/x:1', [`example.org/y:1@${DIGEST}`], ['error ImageUnpinned']],
    ['one of another tag', 'example.org/x:2', [`example.org/x:1@${DIGEST}`], ['error ImageUnpinned']],
    [
      'one in a list without digests',
      'example.org/x:1',
      ['example.org/x:1'],
      ['error ImageUnpinned', 'error ImageUnpinned'],
    ],
    ['one where the package pins none', 'example.org/x:1', [], ['warning ImagesNotPinned']],
  ])('of an image, %s', (_what, image, images, wanted) => {
    expect(codes(factsOf([pod(image)], { images }))).toEqual(wanted);
  });

  it('a CRD that the package does not declare fails, and one that it only declares is told', () => {
    expect(codes(factsOf([CRD]))).toEqual(['error CRDNotDeclared']);
    expect(codes(factsOf([CRD], { crds: ['things.example.org'] }))).toEqual([]);
    expect(codes(factsOf([], { crds: ['things.example.org'] }))).toEqual(['warning CRDNotBrought']);
  });

  it('an object of a removed API version fails', () => {
    expect(
      codes(factsOf([kubeObject('{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: x}}')])),
    ).toEqual(['error ApiVersionRemoved']);
  });

  it('a Namespace that kubepkg makes itself fails, another does not', () => {
    const namespace = (name: string): KubeObject =>
      kubeObject(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
    expect(codes(factsOf([namespace('shop')]))).toEqual(['error NamespaceInChart']);
    expect(codes(factsOf([namespace('other')]))).toEqual([]);
  });

  it('warns of custom resources that nobody judges, of safe with hooks, and of expressions that are true of nothing', () => {
    const thing = kubeObject('{apiVersion: example.org/v1, kind: Thing, metadata: {name: x}}');
    const objects = [{ after: CRD }, { after: thing }];
    const facts = planFacts(
      [
        componentFacts(objects),
        componentFacts([], {
          component: {
            name: 'migrate',
            hook: true,
            healthCheckExprs: [{ apiVersion: 'v1', kind: 'Pod', current: 'status.a.filter(x, x.b).all(x, x.c)' }],
          },
        }),
      ],
      { package: { rollbackSafe: true, crds: ['things.example.org'] } },
    );
    expect(codes(facts)).toEqual(['warning NoReadiness', 'warning SafeWithHooks', 'warning TrueOfNothing']);
  });

  it.each(['ValuesInvalid', 'RenderFailed', 'ChartInvalid', 'TreeInvalid', 'HelmFailed'] as const)(
    '%s is told once',
    (code) => {
      const facts = planFacts([componentFacts([], { refusal: { code, message: 'no' } })]);
      expect(
        examinationFindings({
          variants: [
            { variant: 'a', facts },
            { variant: 'b', facts },
          ],
        }),
      ).toHaveLength(1);
    },
  );

  it('why nothing could be built is told, and nothing is concluded from it', () => {
    const failure = new KubepkgError('InvalidInput', 'no', { hint: 'do' });
    const facts = factsOf([], { crds: ['things.example.org'] });
    expect(examinationFindings({ variants: [{ variant: 'default', facts }], failure })).toEqual([
      { code: 'InvalidInput', severity: 'error', subject: 'build', message: 'no', remedy: 'do' },
    ]);
  });

  it('P17 a variant that cannot be resolved is told by its name', () => {
    expect(examinationFindings({ variants: [{ variant: 'full', problem: 'x depends on a hook' }] })).toMatchObject([
      { severity: 'error', subject: 'variant full', message: 'x depends on a hook' },
    ]);
  });
});

describe('what a recipe alone tells', () => {
  const text = `apiVersion: kubepkg.dev/v1
kind: Recipe
metadata: {name: shop}
spec:
  version: 1.2.0
  verify:
    charts: [{sources: [x], keyring: k}]
  package:
    variants:
      - name: full
        requires: [{package: shop}]
`;

  it('signatures that are not checked, a requirement of itself, and no default variant, each with its line', () => {
    const findings = recipeFindings(parseRecipeText(text, { file: 'recipe.yaml', directory: '.' }));
    expect(findings.map(({ severity, code, subject }) => [severity, code, subject])).toEqual([
      ['warning', 'NotVerified', 'recipe.yaml:6'],
      ['error', 'RequiresItself', 'recipe.yaml:11'],
      ['warning', 'NoDefaultVariant', 'recipe.yaml:9'],
    ]);
  });
});
