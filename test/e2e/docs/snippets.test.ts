import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pushTree } from '../../../src/adapters/oci/index.ts';
import { at, type JsonObject } from '../../../src/lib/json.ts';
import { parseYaml, writeYaml } from '../../../src/lib/yaml.ts';
import { GUIDES, type Snippet, snippetsOf } from '../../build/snippets.ts';
import { type ChartFiles, deploymentChart, migrateChart } from '../operator/charts.ts';
import { customKind, FakeOperator } from '../operator/fake-operator.ts';
import { OperatorWorld } from '../operator/world.ts';
import { Reader } from './reader.ts';

const README = 'README.md';
const AUTHORS = 'docs/guides/authors.md';
const CLI = 'docs/guides/cli.md';
const OPERATOR = 'docs/guides/operator.md';
const TROUBLES = 'docs/guides/troubleshooting.md';

/** Rehearsals need no cluster, and have tests of their own. */
const REHEARSALS = /^docs\/guides\/rehearse/;
const SHELL = GUIDES.filter((page) => !REHEARSALS.test(page))
  .flatMap(snippetsOf)
  .filter(({ kind }) => kind === 'shell');

/** Blocks that are not run here, and why; test/architecture/snippets.test.ts has their commands parsed all the same. */
const NOT_RUN: readonly (readonly [page: string, begins: string, why: string])[] = [
  [README, 'make demo', 'they run for minutes, and this is a part of one of them'],
  [README, 'kubepkg operator --backend flux', 'it is another cluster, with Flux or Argo CD'],
  [README, 'kubepkg rehearse', 'test/e2e/embedded/rehearse.test.ts has the same, on a cluster of its own'],
  [AUTHORS, 'kubepkg rehearse', 'the same'],
  [OPERATOR, 'kubepkg operator --backend flux', 'it is another cluster, with Flux'],
  ['docs/guides/argocd.md', 'kubectl -n argocd delete', 'it is another cluster, with Argo CD'],
];

function snippet(page: string, begins: string): Snippet {
  const found = SHELL.find((each) => each.page === page && each.text.startsWith(begins));
  if (found === undefined) throw new Error(`${page} has no block that begins with ${begins}`);
  return found;
}

function yamlOf(page: string): readonly JsonObject[] {
  const blocks = snippetsOf(page).filter(({ kind }) => kind === 'yaml');
  return blocks.map(({ text }) => parseYaml(text.replace('@sha256:…', ':1.0.0'), page) as JsonObject);
}

/** A site that is Available a moment after each change. */
const SITE = `apiVersion: example.org/v1
kind: Site
metadata: {name: main}
spec: {generationIn: status, script: [{afterMs: 300, conditions: {Available: "True"}}]}
`;
const OPERATOR_MANIFEST = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator}
spec:
  selector: {matchLabels: {app: operator}}
  template:
    metadata: {labels: {app: operator}}
    spec: {containers: [{name: operator, image: "example.org/operator@sha256:${'a'.repeat(64)}"}]}
`;

function chart(name: string, version: string, files: ChartFiles): ChartFiles {
  return { ...files, 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n` };
}

/** The folder of a reader, the cluster that the guides are tried on, and what plays the part of its other controllers. */
class Desk {
  #world: OperatorWorld | undefined;
  #reader: Reader | undefined;
  #sites: FakeOperator | undefined;

  async start(): Promise<void> {
    const world = await OperatorWorld.start({ audit: false });
    this.#world = world;
    this.#reader = await Reader.start(world.plane, world.dir);
    await world.cluster.write({ verb: 'create', object: customKind('example.org', 'Site') });
    await world.until('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'sites.example.org', (crd) =>
      JSON.stringify(crd.status ?? {}).includes('"Established"'),
    );
    this.#sites = new FakeOperator({ cluster: world.cluster, apiVersion: 'example.org/v1', kind: 'Site' });
    const pinned = {
      ...deploymentChart(),
      'values.yaml': `replicas: 1\nimage: example.org/app@sha256:${'b'.repeat(64)}\nsim: {}\n`,
    };
    await this.#write('published/redis', chart('redis', '1.2.3', deploymentChart()));
    await this.#write('published/shop', chart('shop', '1.2.0', pinned));
    await this.#write('charts/store', chart('store', '1.0.0', deploymentChart()));
    await this.#write('charts/app', { ...chart('app', '1.0.0', deploymentChart()), 'templates/site.yaml': SITE });
    await this.#write('charts/migrate', chart('migrate', '1.0.0', migrateChart()));
    await this.#write('charts/web', chart('web', '1.0.0', pinned));
    await this.#write('charts/shop', chart('shop', '1.2.0', pinned));
    await this.reader.write('operator.yaml', OPERATOR_MANIFEST);
    for (const name of ['redis', 'shop']) {
      const archive = `${name}-${name === 'redis' ? '1.2.3' : '1.2.0'}.tgz`;
      await this.type(
        `helm package published/${name}; helm push ${archive} oci://registry.example.org/charts --ca-file ${world.plane.caFile}`,
      );
    }
    const url = `${world.plane.registry?.host ?? ''}/shop:1.0.0`;
    await pushTree(`${world.dir}/charts`, url, { caFile: world.plane.caFile, env: {} });
  }

  async stop(): Promise<void> {
    await this.#reader?.stopOperator();
    this.#sites?.stop();
    await this.#world?.stop();
  }

  get world(): OperatorWorld {
    if (this.#world === undefined) throw new Error('the desk is not set up');
    return this.#world;
  }

  get reader(): Reader {
    if (this.#reader === undefined) throw new Error('the desk is not set up');
    return this.#reader;
  }

  type(text: string): Promise<string> {
    return this.reader.type({ text });
  }

  /** A package of the same components at another version. */
  async source(file: string, name: string, version: string): Promise<void> {
    const install = { namespace: name };
    const components = ['store', 'app', 'web'].map((path) => ({
      name: path,
      path: path === 'app' ? 'shop' : path,
      install,
    }));
    const sourceRef = { kind: 'OCIArtifact', url: 'oci://registry.example.org/shop:1.0.0' };
    const spec = { version, rollback: { safe: true }, sourceRef, variants: [{ name: 'default', components }] };
    await this.reader.write(
      file,
      writeYaml({ apiVersion: 'kubepkg.dev/v1', kind: 'PackageSource', metadata: { name }, spec }),
    );
  }

  async #write(folder: string, files: ChartFiles): Promise<void> {
    for (const [path, text] of Object.entries(files)) await this.reader.write(`${folder}/${path}`, text);
  }
}

const desk = new Desk();
beforeAll(() => desk.start(), 180_000);
afterAll(() => desk.stop());

type Step = readonly [page: string, begins: string, before?: () => Promise<unknown>];

/** As on a cluster that has nothing of kubepkg yet. */
async function freshCluster(): Promise<void> {
  await desk.reader.stopOperator();
  await desk.type('kubectl delete namespace kubepkg-system --wait');
}

const revisions = (...replicas: readonly number[]): Promise<string> =>
  desk.type(
    replicas
      .map((count) => `echo 'replicas: ${String(count)}' > v.yaml; kubepkg install shop --values app=v.yaml`)
      .join('\n'),
  );

/** In the order in which they are run: each with what a reader has done before, and the guide does not say again. */
const STEPS: readonly Step[] = [
  [CLI, 'kubepkg crds |', freshCluster],
  [OPERATOR, 'kubepkg crds |', freshCluster],
  [
    README,
    'kubepkg crds |',
    async () => {
      await freshCluster();
      const [first = {}, second = {}] = yamlOf(README);
      await desk.reader.write('shop.yaml', writeYaml(first));
      const spec = { ...(first['spec'] as JsonObject), ...(second['spec'] as JsonObject) };
      await desk.reader.write('shop-1.1.0.yaml', writeYaml({ ...first, spec }));
    },
  ],
  [AUTHORS, 'kubepkg init recipes/shop --chart oci:'],
  [AUTHORS, 'kubepkg init recipes/shop --chart charts', () => desk.type('rm -r recipes')],
  [
    AUTHORS,
    'kubepkg validate recipes/*',
    async () => {
      await desk.type('rm -r recipes/shop; mkdir -p recipes/shop/charts recipes/shop/manifests/operator');
      await desk.type('cp -r charts/web recipes/shop/charts/; cp operator.yaml recipes/shop/manifests/operator/');
      const [recipe] = yamlOf(AUTHORS);
      await desk.reader.write('recipes/shop/recipe.yaml', writeYaml(recipe));
    },
  ],
  [AUTHORS, 'kubepkg build recipes/shop -o dist'],
  [AUTHORS, 'kubepkg build recipes/shop --registry'],
  [AUTHORS, 'kubepkg push charts', () => desk.type('rm -rf shop-1.1.0.yaml')],
  [AUTHORS, 'kubepkg render shop', () => desk.type('cp dist/shop-1.2.0-1.yaml shop.yaml')],
  [
    CLI,
    'kubepkg install shop -f shop.yaml\n',
    async () => {
      await desk.source('shop.yaml', 'shop', '1.2.0');
      await desk.source('shop-1.3.yaml', 'shop', '1.3.0');
    },
  ],
  [CLI, 'kubepkg plan shop -f shop.yaml'],
  [CLI, 'kubepkg plan shop -f shop-1.3.yaml'],
  [CLI, 'kubepkg rollback shop', () => revisions(2, 3, 2)],
  [CLI, 'kubepkg retry shop'],
  [CLI, 'kubepkg suspend shop'],
  [CLI, 'kubepkg history shop'],
  [CLI, 'kubepkg values shop\n'],
  [CLI, 'kubepkg values shop app --wanted'],
  [CLI, 'kubepkg diff shop'],
  [CLI, 'kubepkg events shop'],
  [TROUBLES, 'kubepkg logs'],
  [CLI, 'kubepkg watch'],
  [
    CLI,
    'kubepkg wait shop db',
    async () => {
      await desk.source('db.yaml', 'db', '1.0.0');
      await desk.type('kubepkg install db -f db.yaml');
    },
  ],
  [CLI, 'kubepkg remove shop'],
  [
    CLI,
    'kubepkg adopt shop',
    () =>
      desk.type(
        'helm install my-web charts/web --namespace default; kubectl delete packagesources shop --ignore-not-found',
      ),
  ],
  [CLI, 'source <(kubepkg completion bash)'],
  [CLI, 'kubepkg install shop -f shop.yaml --local', () => desk.reader.stopOperator()],
];

describe('the blocks of the guides, typed by a reader', { timeout: 180_000 }, () => {
  const steps = STEPS.map(([page, begins, before]) => ({ page, begins: begins.trim(), before }));
  it.each(steps)('$page: $begins', async ({ page, begins, before }) => {
    await before?.();
    const { text } = snippet(page, begins);
    // Of the three shells this is one.
    await expect(desk.type(text.replace(/^source.*zsh\)$|^.*fish \| source$/gm, ''))).resolves.toBeTypeOf('string');
  });

  it('the Service of the operator is one that the API server takes', async () => {
    const [service] = yamlOf(OPERATOR);
    expect(at(service, 'kind')).toBe('Service');
    await desk.reader.write('service.yaml', writeYaml(service));
    expect(await desk.type('kubectl apply --dry-run=server -f service.yaml')).toContain('service/');
  });

  it('are all of those that there are, but for those that have a reason', () => {
    const known = [...STEPS, ...NOT_RUN];
    const left = SHELL.filter(
      ({ page, text }) => !known.some(([path, begins]) => path === page && `${text}\n`.startsWith(begins)),
    );
    expect(left.map(({ page, line }) => `${page}:${String(line)}`)).toEqual([]);
    for (const [page, begins] of NOT_RUN) expect(readFileSync(page, 'utf8')).toContain(begins);
  });
});
