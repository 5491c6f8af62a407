import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChartFinder } from '../adapters/charts/chart-finder.ts';
import { createChartServer } from '../adapters/charts/chart-server.ts';
import { createEventRecorder } from '../adapters/events/event-recorder.ts';
import { type ClientSettings, createCluster } from '../adapters/kube/create-cluster.ts';
import type { KubeClient } from '../adapters/kube/kube-client.ts';
import { LeaderElector } from '../adapters/kube/leader-elector.ts';
import { PackageMeter } from '../adapters/metrics/package-meter.ts';
import { createMetrics } from '../adapters/metrics/prometheus.ts';
import { createArtifactSource, type OciArtifacts } from '../adapters/oci/index.ts';
import { createCommandRunner } from '../adapters/process/command-runner.ts';
import { holderIdentity, isKnownDead } from '../adapters/process/holder.ts';
import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
import { GROUP, OPERATOR_LEASE } from '../api/names.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { createChartLocator } from '../helm/chart-location.ts';
import { HelmProgram } from '../helm/helm-program.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { CommandRunner } from '../ports/process.ts';
import type { Clock, Log, Recorder } from '../ports/system.ts';
import { type BackendChoices, createBackends } from './backends.ts';
import { helmSurroundings } from './helm-surroundings.ts';
import { lockable } from './lockable-runner.ts';
import { logDisturbances } from './log-disturbances.ts';
import { tapWatches } from './tap-watches.ts';
import { createTempDir } from './temp-dir.ts';

export interface OperatorPlan extends BackendChoices {
  readonly version: string;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly backend: string;
  /** Deliveries that may run at once. */
  readonly packageWorkers?: number | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
  readonly cacheDir?: string | undefined;
  readonly helm?: string | undefined;
  /** How controllers outside reach the charts that the operators serve; absent: they cannot. */
  readonly chartsUrl?: string | undefined;
  /** Secret with the values that go under those of every component. */
  readonly valuesSecret?: { readonly namespace: string; readonly name: string } | undefined;
  /** Labels that the namespaces of components get where they have none of that name. */
  readonly namespaceLabels?: Readonly<Record<string, string>> | undefined;
  /** The operator's own namespace: its Lease and the values of revisions are kept there. */
  readonly namespace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ElectionEvents {
  /** From now on nobody else leads. */
  onStarted(): void;
  onLost(reason: string): void;
  /** A try to take or renew the Lease has failed, and is followed by another. */
  onFailure?(error: KubepkgError): void;
}

export interface Election {
  start(): void;
  /** Gives leadership away, if it is held, and stands no more. */
  stop(): Promise<void>;
}

export interface OperatorParts {
  readonly cluster: Pick<Cluster, 'read' | 'served'>;
  readonly engine: Pick<Engine, 'start' | 'reconcile' | 'drain' | 'abort' | 'stop' | 'running'>;
  readonly metrics: Metrics;
  /** Serves the charts that no registry has, once it listens; whoever leads. */
  readonly charts: Server;
  readonly clock: Clock;
  readonly log: Log;
  readonly elect: (events: ElectionEvents) => Election;
  /** Fails when there is no helm of a version that can be used: every backend renders charts with it. */
  readonly requireHelm: () => Promise<void>;
  /** Kills every child process without grace, and lets none start again; resolves once they are gone. */
  readonly killChildren: () => Promise<void>;
  /** Ends connections and removes what was put on the disk for this run; what is still running is not waited for. */
  readonly close: () => void;
}

/** Renewed every 1.5 s; given up after 5 s without success, so that 3 s are left to end what runs. */
export const LEASE = { name: OPERATOR_LEASE, leaseMs: 8000, renewDeadlineMs: 5000, retryMs: 1500 };
const LEASE_TIMEOUT_MS = 5000;
const DEFAULT_WORKERS = 4;

/** Everything that the operator works with, chosen and connected; asks nobody anything yet. */
export function createOperatorParts(plan: OperatorPlan): OperatorParts {
  const { clock, log } = plan;
  const cluster = connect(plan, {});
  // Of its own, so that renewing the Lease never waits behind other requests.
  const leaseCluster = connect(plan, { maxSockets: 2, timeoutMs: LEASE_TIMEOUT_MS });
  const runner = lockable(createCommandRunner({ clock }));
  const metrics = createMetrics();
  const instance = `${hostname()}_${randomUUID()}`;
  const meter = new PackageMeter(metrics);
  const cacheDir = plan.cacheDir ?? join(tmpdir(), 'kubepkg');
  const { registryConfig, registryCaFile: caFile, plainHttp, env } = plan;
  const temp = createTempDir(cacheDir);
  const { engine, charts, helm } = assembleEngine(plan, {
    cluster: tapWatches(cluster, [logDisturbances(log), (selection) => meter.tap(selection)]),
    runner,
    recorder: createEventRecorder({ cluster, clock, log, instance }),
    artifacts: createArtifactSource({ cacheDir, registryConfig, caFile, plainHttp, commands: runner, env }),
    tempDir: temp.path,
  });
  return {
    cluster,
    engine,
    metrics,
    charts,
    clock,
    log,
    elect: (events) =>
      new LeaderElector({
        cluster: leaseCluster,
        clock,
        log,
        ...LEASE,
        namespace: plan.namespace,
        identity: holderIdentity(instance),
        isKnownDead,
        ...events,
      }),
    requireHelm: async () => {
      await helm.version();
    },
    killChildren: () => runner.lock(),
    close: () => {
      cluster.close();
      leaseCluster.close();
      temp.remove();
    },
  };
}

type ConnectionLimits = Pick<ClientSettings, 'maxSockets' | 'timeoutMs'>;

function connect(
  { kubeconfig, context, clock, env, version, log }: OperatorPlan,
  limits: ConnectionLimits,
): KubeClient {
  return createCluster({
    kubeconfig,
    context,
    clock,
    env,
    userAgent: `kubepkg/${version}`,
    strictGroups: [GROUP],
    onError: (error) => {
      log.error('an event could not be handled, by a fault of kubepkg', { error: asKubepkgError(error) });
    },
    ...limits,
  });
}

/** What an engine reaches the world through. */
export interface Surroundings {
  readonly cluster: Cluster;
  readonly runner: CommandRunner;
  readonly recorder: Recorder;
  readonly artifacts: OciArtifacts;
  readonly tempDir: string;
}

export interface AssembledEngine {
  readonly engine: Engine;
  readonly charts: Server;
  readonly helm: HelmProgram;
}

/** The engine with its backends, in whatever world. */
export function assembleEngine(plan: OperatorPlan, surroundings: Surroundings): AssembledEngine {
  const { clock, log, namespace, backend: defaultBackend } = plan;
  const { cluster, runner, recorder, artifacts, tempDir } = surroundings;
  const helm = { ...helmSurroundings(plan), binary: plan.helm ?? 'helm' };
  const locator = createChartLocator({
    manifestDigest: (ref, signal) => artifacts.manifestDigest(ref, signal),
    chartsUrl: plan.chartsUrl,
  });
  const backends = createBackends(plan, { cluster, runner, helm, tempDir, clock, charts: locator });
  const archiveOf = (id = defaultBackend) => backends.get(id)?.archive;
  const charts = createChartServer({ charts: new ChartFinder({ artifacts, cluster, clock, archiveOf }), clock, log });
  const engine = createEngine({
    cluster,
    backends,
    artifacts,
    clock,
    log,
    recorder,
    options: {
      namespace,
      defaultBackend,
      deliverySlots: plan.packageWorkers ?? DEFAULT_WORKERS,
      valuesSecret: plan.valuesSecret,
      namespaceLabels: plan.namespaceLabels,
    },
  });
  return { engine, charts, helm: new HelmProgram(runner, helm, tempDir) };
}
