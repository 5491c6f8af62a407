import { asKubepkgError, KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import type { ChartLocator } from '../../helm/chart-location.ts';
import { HelmProgram, type HelmOptions } from '../../helm/helm-program.ts';
import { nameLabel } from '../../helm/labels.ts';
import { refuseStopped } from '../../helm/refuse-stopped.ts';
import { ReleaseStore } from '../../helm/release-store.ts';
import { SchemaCheck } from '../../helm/schema-check.ts';
import { assertNever } from '../../lib/assert-never.ts';
import type {
  Backend,
  BackendAction,
  BackendCapabilities,
  BackendSurroundings,
  BackendWatch,
  DesiredRelease,
  InventoryItem,
  RecordedRelease,
  ReleaseObservation,
  ReleaseTarget,
  SubmitOutcome,
} from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { CommandRunner } from '../../ports/process.ts';
import type { Clock } from '../../ports/system.ts';
import { APPLICATION, applicationRef, releaseOf } from './application.ts';
import { deliver } from './deliver.ts';
import { preview } from './examine.ts';
import { handBack } from './hand-back.ts';
import { readInventory } from './inventory.ts';
import { observe } from './observe.ts';
import { stop } from './stop.ts';
import { checkSurroundings } from './surroundings.ts';
import type { ArgoCdOptions, ArgoCdTools } from './tools.ts';
import { uninstall } from './uninstall.ts';

export type { ArgoCdOptions } from './tools.ts';

export interface ArgoCdBackendDeps {
  readonly cluster: Cluster;
  readonly runner: CommandRunner;
  readonly helm: HelmOptions;
  /** A folder of ours alone. */
  readonly tempDir: string;
  readonly clock: Clock;
  readonly charts: ChartLocator;
  readonly options: ArgoCdOptions;
}

export function createArgoCdBackend({ runner, helm, tempDir, ...deps }: ArgoCdBackendDeps): Backend {
  return new ArgoCdBackend({
    ...deps,
    store: new ReleaseStore(deps.cluster),
    program: new HelmProgram(runner, helm, tempDir),
    schemas: new SchemaCheck(),
  });
}

/** Lets Argo CD deliver: each release is an Application, each delivery an operation on it. */
class ArgoCdBackend implements Backend {
  readonly id = 'argocd';
  readonly capabilities: BackendCapabilities;
  readonly surroundings: BackendSurroundings;
  readonly #tools: ArgoCdTools;

  constructor(tools: ArgoCdTools) {
    this.#tools = tools;
    const { inlineSecretValues } = tools.options;
    this.capabilities = {
      runsProcesses: false,
      adoptsObjects: true,
      secretValues: inlineSecretValues,
      previewsObjects: true,
    };
    this.surroundings = {
      check: () => checkSurroundings(tools.cluster, tools.options),
      refuses: (chart) => tools.charts.refuses(chart),
    };
  }

  observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    return observe(target, this.#tools);
  }

  async inventory(
    target: ReleaseTarget,
    record: 'completed' | 'newest' | 'begun' = 'completed',
  ): Promise<readonly InventoryItem[]> {
    const { cluster, options, store } = this.#tools;
    const application = await cluster.read(applicationRef(target, options.namespace));
    if (application === undefined) return [];
    const { begun, current, started } = await readInventory(application, store);
    if (record === 'begun') return [...begun, ...started];
    return record === 'newest' ? begun : current;
  }

  async submit(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    try {
      refuseStopped(signal, 'Argo CD was told anything');
      return await this.#execute(action, signal);
    } catch (error) {
      return { kind: 'failed', error: asKubepkgError(error) };
    }
  }

  watches(): readonly BackendWatch[] {
    const { namespace } = this.#tools.options;
    const selection = { ...APPLICATION, namespace, labelSelector: LABEL.package, metadataOnly: true };
    return [{ selection, owner: ownerOf }];
  }

  preview(release: DesiredRelease): Promise<readonly KubeObject[]> {
    return preview(release, this.#tools);
  }

  async releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    const { cluster, options } = this.#tools;
    const labelSelector = `${LABEL.package}=${nameLabel(pkg)}`;
    const { items } = await cluster.list({ ...APPLICATION, namespace: options.namespace, labelSelector });
    return items.map((application) => {
      const { namespace, releaseName } = releaseOf(application);
      const component = application.metadata.labels?.[LABEL.component] ?? releaseName;
      return { package: pkg, component, releaseName, namespace };
    });
  }

  #execute(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    switch (action.kind) {
      case 'install':
      case 'upgrade':
        return deliver(action.release, { observed: action.observed, signal }, this.#tools);
      case 'unlock':
        return Promise.resolve(nothingToUnlock());
      case 'stop':
        return stop(action, this.#tools);
      case 'hand-back':
        return handBack(action, this.#tools);
      case 'uninstall':
        return uninstall(action, this.#tools);
      default:
        return assertNever(action, 'backend action');
    }
  }
}

/** By its annotations: the watch sees nothing else. */
function ownerOf(application: KubeObject): RecordedRelease | undefined {
  const owner = application.metadata.labels?.[LABEL.package];
  const { namespace, releaseName } = releaseOf(application);
  if (owner === undefined || namespace === '' || releaseName === '') return undefined;
  return { package: owner, namespace, releaseName };
}

function nothingToUnlock(): SubmitOutcome {
  const message = 'backend argocd runs no processes, so nothing of it can be left locked';
  return { kind: 'refused', error: new KubepkgError('Unsupported', message) };
}
