import { describe, expect, it } from 'vitest';
import { parseYaml } from '../lib/yaml.ts';
import { parseRecipe } from './recipe.ts';

/** In the form that the reference documents, with every field that it has. */
const WHOLE = `
apiVersion: kubepkg.dev/v1alpha1
kind: Recipe
metadata:
  name: shop
  annotations: {kubepkg.dev/description: A shop, kubepkg.dev/home: "https://shop.example.org"}
spec:
  version: 1.9.0
  build: 4
  sources:
    operator: {url: "https://example.org/op.yaml", sha256: ${'a'.repeat(64)}}
    archive: {url: "https://example.org/op.tgz", sha256: ${'a'.repeat(64)}, path: deploy}
    web: {chart: {repository: "oci://registry.example.org/charts", name: web, version: "12.2.0", digest: "sha256:${'b'.repeat(64)}"}}
    own: {dir: charts/own}
    made: {plugin: git, with: {url: "https://git.example.org/app.git", depth: 1}}
  charts:
    operator:
      from: [operator, archive]
      exclude: [{kind: Namespace}, {name: old}]
      patches: [{kind: Deployment, name: op, merge: {spec: {replicas: null}}}]
      crdsDir: true
    web: {from: [web], values: {a: {b: 1}}, overlay: overlay, steps: [{plugin: relocate, with: {registry: r}}]}
  verify:
    images:
      - {repositories: ["ghcr.io/example/*"], key: cosign.pub, signatureDigest: sha384, ignoreTransparencyLog: true}
      - {repositories: [quay.io/x], identity: me, issuer: "https://example.org"}
    charts: [{sources: [web], keyring: keys.gpg}]
  package:
    images: ["example.org/web:1@sha256:${'c'.repeat(64)}"]
    provides: [shop, "api:shop.example.org/v1"]
    crds: [things.shop.example.org]
    rollback: {safe: false}
    variants:
      - name: default
        requires: [{package: db, optional: true}]
        components:
          - {name: operator, path: operator, install: {namespace: shop, upgradeCRDs: CreateReplace, privileged: true}}
          - name: web
            path: web
            install:
              namespace: shop
              dependsOn: [operator]
              readyWhen: [{apiVersion: shop.example.org/v1, kind: Thing, name: shop, condition: Available}]
`;

function problemsOf(text: string): readonly string[] {
  const parsed = parseRecipe(parseYaml(text, 'recipe.yaml'));
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('a recipe', () => {
  it.each(['v1', 'v1beta1', 'v1alpha1'])('of the reference parses as it is, in %s', (version) => {
    expect(problemsOf(WHOLE.replace('v1alpha1', version))).toEqual([]);
  });

  it.each([
    ['exclude', 'excludes', 'spec.charts.operator.excludes: unknown field'],
    ['sha256: aaaa', 'sha512: aaaa', 'spec.sources.operator: url and sha256 go together'],
    [
      '{dir: charts/own}',
      '{dir: charts/own, plugin: git}',
      'spec.sources.own: exactly one of url, chart, dir, plugin is needed',
    ],
    ['https://example.org/op.yaml', 'https://exa mple.org/op.yaml', 'spec.sources.operator.url: is no URL'],
    ['{name: old}', '{}', 'spec.charts.operator.exclude[1]: kind or name is needed'],
    ['from: [web]', 'from: []', 'spec.charts.web.from: must have at least one entry'],
    [', digest: "sha256:', ', digests: "sha256:', 'spec.sources.web.chart.digest: is required'],
    ['version: 1.9.0', 'version: 1.9', 'spec.version: must be a string, not a number'],
    ['kind: Recipe', 'kind: Recipes', 'kind: must be Recipe'],
    ['name: shop\n', 'name: Shop\n', 'metadata.name: must be lower case letters, digits, "-" and "."'],
    [
      'namespace: shop,',
      'namespaces: shop,',
      'spec.package.variants[0].components[0].install.namespaces: unknown field',
    ],
    ['  name: shop\n', '  name: shop\n  labels: {a: 1}\n', 'metadata.labels.a: must be a string, not a number'],
  ])('is refused with %s → %s', (before, after, problem) => {
    expect(problemsOf(WHOLE.replace(before, after))).toContain(problem);
  });
});
