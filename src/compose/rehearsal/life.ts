import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createEventRecorder } from '../../adapters/events/event-recorder.ts';
import { LeaderElector } from '../../adapters/kube/leader-elector.ts';
import { createMetrics } from '../../adapters/metrics/prometheus.ts';
import { createCommandRunner } from '../../adapters/process/command-runner.ts';
import type { Activity } from '../../embedded/time/activity.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { assembleEngine, LEASE, type OperatorParts, type OperatorPlan } from '../operator.ts';
import { mortalClock } from './mortal-clock.ts';
import { mortalCluster } from './mortal-cluster.ts';
import { Mortality } from './mortality.ts';
import { type Interference, type KnownVersions, mortalRunner, type Programs } from './mortal-runner.ts';
import { type LocalCharts, RehearsedArtifacts } from './rehearsed-artifacts.ts';
import type { Steps } from './steps.ts';

/** What one life of the operator is given. */
export interface LifePlace {
  readonly number: number;
  readonly dir: string;
  readonly charts: LocalCharts;
  readonly plan: Omit<OperatorPlan, 'clock' | 'log'>;
  readonly cluster: Cluster;
  readonly time: Clock;
  readonly wall: Clock;
  readonly log: Log;
  readonly activity: Activity;
  readonly programs: Programs;
  readonly versions: KnownVersions;
  readonly steps: Steps;
  readonly interfere: Interference;
}

/** One life of the operator on the stage, to be run as any other. */
export interface Life {
  readonly parts: OperatorParts;
  readonly mortality: Mortality;
}

/** The same parts as a real operator has; of the world outside only helm is real. */
export function beginLife(place: LifePlace): Life {
  const mortality = new Mortality();
  const { time, log, wall, number } = place;
  const clock: Clock = mortalClock(time, mortality);
  const cluster = mortalCluster(place.cluster, { mortality, steps: place.steps });
  // Keeping the Lease is no step of the package's.
  const leaseCluster = mortalCluster(place.cluster, { mortality, steps: undefined });
  const identity = `rehearsal_${String(number)}`;
  const runner = mortalRunner(createCommandRunner({ clock: wall }), { ...place, clock, mortality });
  const tempDir = join(place.dir, `life-${String(number)}`);
  mkdirSync(tempDir);
  const plan: OperatorPlan = { ...place.plan, clock, log };
  const { engine, charts, helm } = assembleEngine(plan, {
    cluster,
    runner,
    recorder: createEventRecorder({ cluster: leaseCluster, clock, log, instance: identity }),
    artifacts: new RehearsedArtifacts(place.charts, place.activity),
    tempDir,
  });
  mortality.atDeath(() => {
    engine.stop();
  });
  const parts: OperatorParts = {
    cluster,
    engine,
    metrics: createMetrics(),
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
        identity,
        ...events,
      }),
    requireHelm: async () => {
      await helm.version();
    },
    killChildren: () => Promise.resolve(),
    close: () => undefined,
  };
  return { parts, mortality };
}
