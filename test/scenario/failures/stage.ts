import { readFileSync } from 'node:fs';
import { KubepkgError } from '../../../src/api/errors.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { LABEL } from '../../../src/api/names.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { failureOf } from '../../../src/helm/errors.ts';
import { encodeRecord } from '../../../src/helm/record.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { aComponent } from '../../build/objects.ts';
import { CliWorld } from '../../fakes/cli-world.ts';
import { EngineWorld } from '../../fakes/engine-world.ts';

/** One thing that goes wrong. */
export interface Failure {
  /** For the page: what is wrong, as its cause would be told. */
  readonly what: string;
  /** What the status has to say of it. */
  readonly cause: string;
  readonly play: (stage: Stage) => Promise<void>;
}

const HELM_OUTPUT = new URL('../../fixtures/helm-output/4.1.4.json', import.meta.url);

/** The real engine, a package `shop` with one component `web`, and the command line that looks at both. */
export class Stage {
  readonly world = new EngineWorld();
  readonly #objects: KubeObject[] = [];

  constructor() {
    for (const [apiVersion, kind] of [
      ['apps/v1', 'StatefulSet'],
      ['apps/v1', 'DaemonSet'],
      ['example.org/v1', 'Database'],
    ] as const) {
      this.world.cluster.serve(apiVersion, kind);
    }
    for (const [apiVersion, kind] of [
      ['v1', 'Node'],
      ['storage.k8s.io/v1', 'StorageClass'],
      ['apiregistration.k8s.io/v1', 'APIService'],
      ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
    ] as const) {
      this.world.cluster.serve(apiVersion, kind, false);
    }
  }

  /** Installs a chart with these objects, each in the state that it is to be in; `around` is what else there is. */
  async install(
    objects: readonly KubeObject[],
    {
      around = [],
      component = {},
    }: { around?: readonly KubeObject[]; component?: Partial<SourceComponent['install']> } = {},
  ): Promise<void> {
    this.#objects.push(...objects);
    for (const object of around) this.world.cluster.put(object);
    this.world.backend.objects = () => objects;
    this.world.addSource([aComponent('web', component)]);
    await this.world.install();
  }

  /** Helm ends as it did in one of the recorded runs. */
  async refuse(run: string): Promise<void> {
    const runs = JSON.parse(readFileSync(HELM_OUTPUT, 'utf8')) as Record<string, { exitCode: number; stderr: string }>;
    const { exitCode = 1, stderr = '' } = runs[run] ?? {};
    const context = { release: 'shop/web', values: {}, aborted: false, names: [], paths: {} };
    const error = failureOf({ exitCode, stderr, stdout: '' }, context);
    this.world.backend.script = () => Promise.resolve({ kind: 'failed', error });
    this.world.addSource([aComponent('web')]);
    await this.world.install();
  }

  /** What `kubepkg status` prints, a line each. */
  async status(name = 'shop'): Promise<readonly string[]> {
    this.#record();
    const cli = new CliWorld();
    cli.other = this.world.cluster;
    const code = await cli.run('status', name);
    if (code !== 0) throw new KubepkgError('Internal', `kubepkg status ended with ${String(code)}: ${cli.stderr.text}`);
    return cli.stdout.text.trimEnd().split('\n');
  }

  /** As helm would have recorded what the backend in memory has delivered. */
  #record(): void {
    if (this.#objects.length === 0) return;
    const labels = { name: 'web', owner: 'helm', status: 'deployed', version: '1', [LABEL.package]: 'shop' };
    const metadata = { name: 'sh.helm.release.v1.web.v1', namespace: 'shop', labels };
    const secret = { apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', metadata };
    const manifest = this.#objects.map((object) => `---\n${writeYaml(object)}`).join('');
    const info = { status: 'deployed', description: '' };
    const record = { name: 'web', namespace: 'shop', version: 1, info, chart: {}, config: {}, manifest, hooks: [] };
    this.world.cluster.put(encodeRecord(secret, record));
  }
}
