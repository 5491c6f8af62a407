import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArtifactSource } from '../adapters/oci/index.ts';
import { createCommandRunner } from '../adapters/process/command-runner.ts';
import { OPERATOR_NAMESPACE } from '../api/names.ts';
import { createChartLocator } from '../helm/chart-location.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { ArtifactSource, FetchedChart } from '../ports/artifacts.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock, Log } from '../ports/system.ts';
import { ARGO_NAMESPACE, ARGO_PROJECT } from './backend-names.ts';
import { createBackends } from './backends.ts';
import { helmSurroundings, type SurroundingsChoice } from './helm-surroundings.ts';
import { planPackages } from './planner.ts';
import type { PlanRequest, PlanResult } from './planning.ts';
import { createTempDir } from './temp-dir.ts';

/** What the operator was told and cannot be asked of it, and where the charts come from. */
export interface PlanSettings {
  /** Of packages that name none; absent: the one of what is installed. */
  readonly backend?: string | undefined;
  readonly namespace?: string | undefined;
  readonly valuesSecret?: { readonly namespace: string; readonly name: string } | undefined;
  readonly helm?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
}

export interface PlanPlace extends SurroundingsChoice {
  readonly cluster: Cluster;
  readonly clock: Clock;
}

/** Nothing of a plan is for a log: what there is to say is in the plan. */
const SILENT: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

function nothing(): void {
  return;
}

/** Packages share charts, and of one that is there the bytes are hashed and read whenever it is asked for. */
function onceEach(fetch: ArtifactSource['fetch']): ArtifactSource['fetch'] {
  const fetched = new Map<string, Promise<FetchedChart>>();
  return (ref, signal) => {
    const key = stableJson(ref);
    const fetching = fetched.get(key) ?? fetch(ref, signal);
    fetched.set(key, fetching);
    // What failed for one package may go well for the next.
    fetching.catch(() => fetched.delete(key));
    return fetching;
  };
}

/** Everything that a plan is made with, chosen for this one, and let go again. */
export async function createPlan(place: PlanPlace, settings: PlanSettings, request: PlanRequest): Promise<PlanResult> {
  const { cluster, clock, env } = place;
  const cacheDir = settings.cacheDir ?? join(tmpdir(), 'kubepkg');
  const { registryConfig, registryCaFile: caFile, plainHttp } = settings;
  const runner = createCommandRunner({ clock });
  const temp = createTempDir(cacheDir);
  try {
    const registry = createArtifactSource({ cacheDir, registryConfig, caFile, plainHttp, commands: runner, env });
    const artifacts = { ...registry, fetch: onceEach((ref, signal) => registry.fetch(ref, signal)) };
    const helm = { ...helmSurroundings(place), binary: settings.helm ?? 'helm' };
    const charts = createChartLocator({ manifestDigest: (ref, signal) => artifacts.manifestDigest(ref, signal) });
    const choices = { argoNamespace: ARGO_NAMESPACE, argoProject: ARGO_PROJECT, argoInlineSecretValues: false };
    const { namespace = OPERATOR_NAMESPACE, valuesSecret, backend: defaultBackend } = settings;
    const backends = (still: Cluster) =>
      createBackends(choices, { cluster: still, runner, helm, tempDir: temp.path, clock, charts });
    const options = { namespace, valuesSecret, defaultBackend, deliverySlots: 0 };
    return await planPackages({ cluster, clock, artifacts, log: SILENT, backends, options }, request);
  } finally {
    temp.remove();
  }
}
