import { asKubepkgError, KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { begunInventory } from '../../helm/begun-inventory.ts';
import type { ChartLocator } from '../../helm/chart-location.ts';
import { HelmProgram, type HelmOptions } from '../../helm/helm-program.ts';
import { nameLabel } from '../../helm/labels.ts';
import { previewObjects } from '../../helm/preview.ts';
import { recallAnyones } from '../../helm/recall.ts';
import { refuseStopped } from '../../helm/refuse-stopped.ts';
import { ReleaseStore } from '../../helm/release-store.ts';
import { SchemaCheck } from '../../helm/schema-check.ts';
import { assertNever } from '../../lib/assert-never.ts';
import type {
  Backend,
  BackendAction,
  BackendSurroundings,
  BackendWatch,
  DesiredRelease,
  InventoryItem,
  RecalledRelease,
  RecordedRelease,
  ReleaseArchive,
  ReleaseObservation,
  ReleaseTarget,
  SubmitOutcome,
} from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { CommandRunner } from '../../ports/process.ts';
import type { Clock } from '../../ports/system.ts';
import { again } from './again.ts';
import { refuseChart } from './chart-name.ts';
import { deliver } from './deliver.ts';
import { HELM_RELEASE, helmReleaseRef, isOwn, STAMP } from './names.ts';
import { look } from './observe.ts';
import { stop } from './stop.ts';
import { fluxSurroundings } from './surroundings.ts';
import type { FluxTools } from './tools.ts';
import type { FluxOptions } from './translate.ts';
import { uninstall } from './uninstall.ts';
import { readVanishing, withVanishing } from './vanishing-jobs.ts';

export interface FluxBackendDeps {
  readonly cluster: Cluster;
  readonly runner: CommandRunner;
  /** Charts are rendered here before Flux is instructed. */
  readonly helm: HelmOptions;
  /** A folder of ours alone. */
  readonly tempDir: string;
  readonly clock: Clock;
  readonly charts: ChartLocator;
  readonly options: FluxOptions;
}

export function createFluxBackend(deps: FluxBackendDeps): Backend {
  const { cluster, clock, charts, options } = deps;
  return new FluxBackend({
    cluster,
    clock,
    charts,
    options,
    store: new ReleaseStore(cluster),
    program: new HelmProgram(deps.runner, deps.helm, deps.tempDir),
    schemas: new SchemaCheck(),
  });
}

/** Instructs Flux by a HelmRelease for each release, and judges by what that says. */
class FluxBackend implements Backend {
  readonly id = 'flux';
  readonly capabilities = { runsProcesses: false, adoptsObjects: true, secretValues: true, previewsObjects: true };
  readonly archive: ReleaseArchive;
  readonly surroundings: BackendSurroundings;
  readonly #tools: FluxTools;

  constructor(tools: FluxTools) {
    this.#tools = tools;
    this.archive = { recall: (target, revision) => this.#recall(target, revision) };
    const { cluster, charts } = tools;
    this.surroundings = {
      ...fluxSurroundings(cluster),
      refuses: (chart) => charts.refuses(chart) ?? refuseChart(chart),
    };
  }

  async observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    return (await look(target, this.#tools)).observation;
  }

  /** Flux keeps Helm's own records, in the namespace of the release. */
  async inventory(
    target: ReleaseTarget,
    record: 'completed' | 'newest' | 'begun' = 'completed',
  ): Promise<readonly InventoryItem[]> {
    const { store } = this.#tools;
    const recorded =
      record === 'begun' ? await begunInventory(target, store) : await store.inventory(target, { record });
    if (record === 'completed') return recorded;
    const helmRelease = await this.#tools.cluster.read(helmReleaseRef(target), { metadataOnly: true });
    const noted = helmRelease?.metadata.annotations?.[STAMP.vanishing];
    return withVanishing(recorded, readVanishing(noted, target.namespace));
  }

  async releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    const labelSelector = `${LABEL.package}=${nameLabel(pkg)}`;
    const { items } = await this.#tools.cluster.list({ ...HELM_RELEASE, labelSelector, metadataOnly: true });
    return items.map(({ metadata: { name, namespace = '', labels = {} } }) => ({
      package: pkg,
      component: labels[LABEL.component] ?? name,
      releaseName: name,
      namespace,
    }));
  }

  async submit(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    try {
      refuseStopped(signal, 'Flux was instructed');
      return await this.#execute(action, signal);
    } catch (error) {
      return { kind: 'failed', error: asKubepkgError(error) };
    }
  }

  watches(): readonly BackendWatch[] {
    return [{ selection: { ...HELM_RELEASE, labelSelector: LABEL.package, metadataOnly: true }, owner: ownerOf }];
  }

  preview(release: DesiredRelease): Promise<readonly KubeObject[]> {
    return previewObjects(release, this.#tools);
  }

  async #execute(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    switch (action.kind) {
      case 'install':
      case 'upgrade':
        return deliver(action.release, { observed: action.observed, signal }, this.#tools);
      case 'stop':
        return again(() => stop(action.target, action.observed, this.#tools));
      case 'uninstall':
        return again(() => uninstall(action, signal, this.#tools));
      case 'hand-back':
        // Nothing that a user chose is put aside.
        return { kind: 'accepted' };
      case 'unlock': {
        const message = 'Flux settles interrupted releases itself: there is nothing to unlock';
        return { kind: 'refused', error: new KubepkgError('Unsupported', message) };
      }
      default:
        return assertNever(action, 'backend action');
    }
  }

  /** Records that Flux makes say nothing of kubepkg: whose they are, the HelmRelease tells. */
  async #recall(target: ReleaseTarget, revision: number | undefined): Promise<RecalledRelease | undefined> {
    const helmRelease = await this.#tools.cluster.read(helmReleaseRef(target), { metadataOnly: true });
    if (helmRelease === undefined || !isOwn(helmRelease, target)) return undefined;
    return recallAnyones(target, revision, this.#tools.store);
  }
}

function ownerOf({ metadata: { name, namespace, labels } }: KubeObject): RecordedRelease | undefined {
  const pkg = labels?.[LABEL.package];
  return pkg === undefined || namespace === undefined ? undefined : { package: pkg, namespace, releaseName: name };
}
