import type { ControlPlane } from '../../../../dev/controlplane/contract.ts';
import { startControlPlane } from '../../../../dev/controlplane/control-plane.ts';
import { SystemClock } from '../../../../src/adapters/clock/system-clock.ts';
import { createCluster } from '../../../../src/adapters/kube/create-cluster.ts';
import type { KubeClient } from '../../../../src/adapters/kube/kube-client.ts';
import type { HelmControllerOptions, HelmControllerStandin } from '../options.ts';
import { startHelmController } from '../standin.ts';
import { Recorder } from './recorder.ts';
import { newerWeb, TraceWorld } from './world.ts';

const CHARTS = ['web', 'strict', 'batch', 'hooked', 'widget'];
const CONTROLLER = 'helm-controller';

/** A control plane with the real source-controller, the stand-in, and the charts of the traces. */
export interface Ground {
  readonly plane: ControlPlane;
  readonly cluster: KubeClient;
  readonly standin: HelmControllerStandin;
  /** What went wrong inside the stand-in. */
  readonly errors: readonly unknown[];
  /** A namespace of its own. */
  world(namespace: string): Promise<TraceWorld>;
  close(): Promise<void>;
}

export async function openGround(options: Pick<HelmControllerOptions, 'timing' | 'modes'>): Promise<Ground> {
  const users = [{ name: CONTROLLER, groups: ['system:masters'] }];
  const plane = await startControlPlane({ flux: true, registry: true, users });
  const clock = new SystemClock();
  const cluster = createCluster({ kubeconfig: plane.kubeconfig, clock, env: {}, userAgent: 'traces' });
  const { helm, kubectl } = plane.binaries;
  const errors: unknown[] = [];
  const standin = await startHelmController({
    ...options,
    kubeconfig: plane.kubeconfigFor(CONTROLLER),
    helm,
    onError: (error) => errors.push(error),
  });
  const common = {
    cluster,
    clock,
    charts: `${plane.registry?.host ?? ''}/charts`,
    chartFolder: newerWeb(),
    helm,
    kubectl,
  };
  const world = async (namespace: string): Promise<TraceWorld> => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await cluster.write({ verb: 'create', object });
    return new TraceWorld({ ...common, recorder: new Recorder(cluster, namespace, clock), namespace, env: plane.env });
  };
  const first = await world('charts');
  for (const name of CHARTS) await first.push(name);
  await first.push('web', { version: '1.1.0', appVersion: '1.1' });
  return {
    plane,
    cluster,
    standin,
    errors,
    world,
    close: async () => {
      await standin.close();
      cluster.close();
      await plane.stop();
    },
  };
}
