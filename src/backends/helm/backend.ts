import { asKubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { assertNever } from '../../lib/assert-never.ts';
import type {
  Backend,
  BackendAction,
  BackendWatch,
  DesiredRelease,
  InventoryItem,
  ReleaseArchive,
  ReleaseObservation,
  ReleaseTarget,
  SubmitOutcome,
} from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { CommandRunner } from '../../ports/process.ts';
import { deliver } from './deliver.ts';
import { begunInventory } from '../../helm/begun-inventory.ts';
import { HelmProgram, type HelmOptions } from '../../helm/helm-program.ts';
import { recordOwner } from '../../helm/interpret.ts';
import { previewObjects } from '../../helm/preview.ts';
import { recallRelease } from '../../helm/recall.ts';
import { refuseStopped } from '../../helm/refuse-stopped.ts';
import { OWN_RECORDS, ReleaseStore } from '../../helm/release-store.ts';
import { SchemaCheck } from '../../helm/schema-check.ts';
import { settlePending } from './settle.ts';
import { putInOrder } from './sweep-leftovers.ts';
import type { HelmTools } from './tools.ts';
import { uninstall } from './uninstall.ts';

const DEFAULT_HISTORY_MAX = 10;

export interface HelmBackendDeps {
  readonly cluster: Cluster;
  readonly runner: CommandRunner;
  readonly helm: HelmOptions;
  /** A folder of ours alone. */
  readonly tempDir: string;
  /** Records that helm keeps of each release. */
  readonly historyMax?: number;
}

export function createHelmBackend(deps: HelmBackendDeps): Backend {
  return new HelmBackend({
    cluster: deps.cluster,
    store: new ReleaseStore(deps.cluster),
    program: new HelmProgram(deps.runner, deps.helm, deps.tempDir),
    schemas: new SchemaCheck(),
    historyMax: deps.historyMax ?? DEFAULT_HISTORY_MAX,
  });
}

/** Delivers releases with the helm binary; looks at them by their records alone. */
class HelmBackend implements Backend {
  readonly id = 'helm';
  readonly capabilities = { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: true };
  readonly archive: ReleaseArchive;
  readonly #tools: HelmTools;

  constructor(tools: HelmTools) {
    this.#tools = tools;
    this.archive = { recall: (target, revision) => recallRelease(target, revision, tools.store) };
  }

  observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    return this.#tools.store.observe(target);
  }

  inventory(target: ReleaseTarget, record?: 'completed' | 'newest' | 'begun'): Promise<readonly InventoryItem[]> {
    if (record === 'begun') return begunInventory(target, this.#tools.store);
    return this.#tools.store.inventory(target, { record });
  }

  releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    return this.#tools.store.releasesOf(pkg);
  }

  async submit(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    try {
      refuseStopped(signal, 'helm was started');
      return await this.#execute(action, signal);
    } catch (error) {
      return { kind: 'failed', error: asKubepkgError(error) };
    }
  }

  watches(): readonly BackendWatch[] {
    return [{ selection: OWN_RECORDS, owner: recordOwner }];
  }

  preview(release: DesiredRelease): Promise<readonly KubeObject[]> {
    return previewObjects(release, this.#tools);
  }

  async #execute(action: BackendAction, signal: AbortSignal): Promise<SubmitOutcome> {
    switch (action.kind) {
      case 'install':
      case 'upgrade':
        return deliver(action.release, { observed: action.observed, signal }, this.#tools);
      case 'unlock':
        await settlePending(action.target, action.observed, this.#tools);
        return { kind: 'accepted' };
      case 'hand-back':
        await putInOrder(action, this.#tools);
        return { kind: 'accepted' };
      case 'stop':
        // Nothing of it goes on outside: the processes are this program's own, and end by the signal.
        return { kind: 'accepted' };
      case 'uninstall':
        return uninstall(action, signal, this.#tools);
      default:
        return assertNever(action, 'backend action');
    }
  }
}
