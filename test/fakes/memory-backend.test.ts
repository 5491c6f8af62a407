import { KubepkgError } from '../../src/api/errors.ts';
import type { KubeObject } from '../../src/api/kube.ts';
import { asString } from '../../src/lib/json.ts';
import { parseYaml } from '../../src/lib/yaml.ts';
import type { FetchedChart } from '../../src/ports/artifacts.ts';
import type { BackendAction, DesiredRelease, SubmitOutcome } from '../../src/ports/backend.ts';
import type { FixtureChart } from '../build/fixture-chart.ts';
import { backendConformance } from '../conformance/backend.ts';
import type { BackendHarness } from '../conformance/backend-world.ts';
import { MemoryBackend } from './memory-backend.ts';
import { MemoryCluster } from './memory-cluster.ts';

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };
const NO_ABORT = new AbortController().signal;

/** The charts of test/fixtures/charts, as far as the fake needs to know them. */
class MemoryCharts {
  readonly #charts = new Map<string, FixtureChart>();

  add(chart: FixtureChart): FetchedChart {
    const { name, version = '1.0.0' } = chart;
    const path = `/charts/${String(this.#charts.size)}/${name}-${version}.tgz`;
    this.#charts.set(path, chart);
    return {
      ref: { kind: 'chart', repository: 'oci://registry.example.com/charts', name, version },
      ...{ digest: `sha256:${path}`, path, name, version, sizeBytes: 1, hasPostHooks: false },
    };
  }

  objects(release: DesiredRelease): readonly KubeObject[] {
    return [...chartObjects(release), ...this.#templates(release).flatMap((text) => plainObjects(text, release))];
  }

  refusal(release: DesiredRelease): SubmitOutcome | undefined {
    const { chart, values, skipSchemaValidation } = release;
    const schema = this.#files(release)['values.schema.json'] ?? '';
    if (schema.includes('https://') && !skipSchemaValidation)
      return ends('refused', 'ValuesInvalid', 'a remote schema');
    if (chart.name === 'strict' && !skipSchemaValidation && Object.values(values).some((value) => isText(value)))
      return ends('failed', 'ValuesInvalid', 'a value does not match the schema');
    const isTemplate = this.#templates(release).some((text) => text.includes('{{'));
    if (isTemplate || values['render'] === false) return ends('failed', 'RenderFailed', 'a template does not render');
    return undefined;
  }

  #templates(release: DesiredRelease): readonly string[] {
    return Object.entries(this.#files(release)).flatMap(([path, text]) =>
      path.startsWith('templates/') ? [text] : [],
    );
  }

  #files({ chart }: DesiredRelease): Readonly<Record<string, string>> {
    return this.#charts.get(chart.path)?.files ?? {};
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && !/^[0-9]+$/.test(value);
}

function ends(
  kind: 'failed' | 'refused',
  code: 'ValuesInvalid' | 'RenderFailed' | 'ApiInvalid',
  message: string,
): SubmitOutcome {
  return { kind, error: new KubepkgError(code, message) };
}

/** Hooks are none of the objects of a release. */
function plainObjects(text: string, { namespace }: DesiredRelease): readonly KubeObject[] {
  const { apiVersion, kind, metadata, ...rest } = parseYaml(text, 'template') as KubeObject;
  if (metadata.annotations?.['helm.sh/hook'] !== undefined) return [];
  return [{ apiVersion, kind, metadata: kind === 'Namespace' ? metadata : { ...metadata, namespace }, ...rest }];
}

function chartObjects(release: DesiredRelease): readonly KubeObject[] {
  const { chart, namespace, releaseName: name, values } = release;
  const object = (kind: string, parts: Readonly<Record<string, unknown>> = {}, suffix = ''): KubeObject => ({
    ...{ apiVersion: 'v1', kind, metadata: { name: `${name}${suffix}`, namespace } },
    ...parts,
  });
  switch (chart.name) {
    case 'web':
      return [
        object('ConfigMap', { data: { color: values['color'] ?? 'blue', version: chart.version } }),
        object('Secret'),
        object('Deployment', { apiVersion: 'apps/v1', spec: { replicas: values['replicas'] ?? 0 } }),
        ...(values['extra'] === true ? [object('ConfigMap', {}, '-extra')] : []),
      ];
    case 'broken':
      return [object('ConfigMap', {}, '-first'), object('Service', {}, '-second')];
    case 'volume':
      return [object('ConfigMap'), ...(values['claim'] === false ? [] : [object('PersistentVolumeClaim')])];
    case 'task':
      return [object('Job', { apiVersion: 'batch/v1' })];
    case 'custom':
      return [...customObjects(release), object('ConfigMap')];
    default:
      return [object('ConfigMap')];
  }
}

function customObjects({ namespace, releaseName: name, values }: DesiredRelease): readonly KubeObject[] {
  const group = asString(values['group']) ?? '';
  const names = { kind: 'Gadget', plural: 'gadgets' };
  const spec = { group, scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true }] };
  const metadata = { name: `gadgets.${group}` };
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name, namespace } };
  return [...(values['crd'] === false ? [] : [definition]), ...(values['object'] === true ? [gadget] : [])];
}

/** How a step goes that was begun: charts that break in the middle, hooks that run, or run on. */
function scriptOf(backend: MemoryBackend, cluster: MemoryCluster) {
  return (action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> => {
    if (!('release' in action)) return Promise.resolve(ACCEPTED);
    const { chart, values, namespace, releaseName } = action.release;
    if (chart.name === 'broken' && values['port'] !== 80) {
      const [first] = chartObjects(action.release);
      if (first !== undefined) backend.make(action.release, first);
      return Promise.resolve(ends('failed', 'ApiInvalid', 'Service "web-second" is invalid: its port'));
    }
    if (chart.name !== 'hooked') return Promise.resolve(ACCEPTED);
    const isUpgrade = action.observed.state === 'present' && action.observed.everDelivered;
    const metadata = { name: `${releaseName}-${isUpgrade ? 'upgrade' : 'install'}`, namespace };
    cluster.remove({ apiVersion: 'batch/v1', kind: 'Job', ...metadata });
    cluster.put({ apiVersion: 'batch/v1', kind: 'Job', metadata });
    return values['runFor'] === '300s' ? stopped(signal) : Promise.resolve(ACCEPTED);
  };
}

function stopped(signal: AbortSignal): Promise<SubmitOutcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve({ kind: 'failed', error: new KubepkgError('HelmKilled', 'stopped') });
    });
  });
}

function startMemoryHarness(): Promise<BackendHarness> {
  const cluster = new MemoryCluster();
  const charts = new MemoryCharts();
  const createBackend = (): MemoryBackend => {
    const backend = new MemoryBackend(cluster);
    backend.objects = (release) => charts.objects(release);
    backend.refusal = (release) => charts.refusal(release);
    backend.script = scriptOf(backend, cluster);
    return backend;
  };
  return Promise.resolve({
    createBackend,
    createPowerlessBackend: () => {
      const backend = createBackend();
      backend.failure = new KubepkgError('ApiForbidden', 'nothing is allowed');
      return backend;
    },
    cluster,
    chart: (chart) => Promise.resolve(charts.add(chart)),
    createForeign: (target) => {
      const backend = createBackend();
      const annotations = {
        'meta.helm.sh/release-name': target.releaseName,
        'meta.helm.sh/release-namespace': target.namespace,
      };
      const metadata = { name: target.releaseName, namespace: target.namespace, annotations };
      cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      backend.leave(target, { owner: 'somebody else' });
      return Promise.resolve();
    },
    changeByHand: (target) => {
      createBackend().leave(target, { revision: 2 });
      return Promise.resolve();
    },
    removeByHand: async (target) => {
      const backend = createBackend();
      const observed = await backend.observe(target);
      if (observed.state !== 'present') throw new Error('there is no release');
      await backend.submit({ kind: 'uninstall', target, observed }, NO_ABORT);
      await backend.submit({ kind: 'uninstall', target, observed }, NO_ABORT);
    },
    interrupt: (action) => {
      const backend = createBackend();
      const { script } = backend;
      backend.script = (...args) => {
        void script(...args);
        return stopped(NO_ABORT);
      };
      void backend.submit(action, NO_ABORT);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
}

backendConformance('in memory', {
  capabilities: { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: false },
  start: startMemoryHarness,
});
