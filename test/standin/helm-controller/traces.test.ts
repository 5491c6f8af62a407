import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { createCluster } from '../../../src/adapters/kube/create-cluster.ts';
import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import '../../setup/provided.ts';
import type { HelmControllerStandin } from './options.ts';
import { startHelmController } from './standin.ts';
import { Recorder } from './traces/recorder.ts';
import { replay } from './traces/replay.ts';
import { readTrace, traceNames } from './traces/trace-file.ts';
import { newerWeb, TraceWorld } from './traces/world.ts';

/** Pauses and ticks are a tenth, so that a run takes minutes; deadlines have to leave pods some time to get ready. */
const TIMING = { pauses: 0.1, deadlines: 0.4, intervals: 1 };
/** As long as the real controller takes to notice a change ("The writes of one good action", 3). */
const NOTICE_MS = 40;

/**
 * What can be seen in one run and not in another, of the real controller as well; it is left out on both sides. All else
 * is equal, but for times, the digests of charts, and the wording of messages.
 */
const TOLERATED: readonly { readonly trace: RegExp; readonly state: RegExp; readonly because: string }[] = [
  {
    trace: /^(?:10|35)-/,
    state: /Ready=False\/SourceNotReady/,
    because: 'retries come ten times as often, so that one can fall between the creation of a source and its artifact',
  },
  {
    trace: /^25-/,
    state: /Ready=False\/SourceNotReady|og=4 lag=4 .*Reconciling=True\/Progressing@4/,
    because:
      'source and values change at once: whether the source is looked at before it was fetched is a race, and if it is not, the turn that its artifact causes finds nothing to do',
  },
  {
    trace: /^23-/,
    state: /^MODIFIED pending-/,
    because: 'helm 4.1.4 notes in the record that a hook has begun; the library of the real controller does not',
  },
];

const NAMESPACE = /^trace-\d\d-/;

describe('the stand-in for helm-controller, driven through the steps of a trace of the real one,', () => {
  const clock = new SystemClock();
  const errors: unknown[] = [];
  let standin: HelmControllerStandin;
  let cluster: KubeClient;
  let chartFolder = '';
  const charts = `${inject('registry').host}/flux-traces`;
  const env = { ...inject('commandEnv'), KUBECONFIG: inject('kubeconfig') };

  beforeAll(async () => {
    const kubeconfig = inject('kubeconfig');
    cluster = createCluster({ kubeconfig, clock, env: {}, userAgent: 'traces' });
    chartFolder = newerWeb();
    standin = await startHelmController({
      kubeconfig,
      helm: inject('helm'),
      timing: TIMING,
      modes: { noticeMs: NOTICE_MS },
      accepts: (namespace) => NAMESPACE.test(namespace),
      onError: (error) => errors.push(error),
    });
    const first = await worldOf('charts');
    for (const name of ['web', 'strict', 'batch', 'hooked', 'widget']) await first.push(name);
    await first.push('web', { version: '1.1.0', appVersion: '1.1' });
    first.recorder.stop();
  });

  afterAll(async () => {
    await standin.close();
    cluster.close();
  });

  async function worldOf(id: string): Promise<TraceWorld> {
    const namespace = `trace-${id.slice(0, 2)}-${Math.trunc(clock.random() * 1e6).toString(36)}`;
    await cluster.write({
      verb: 'create',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    });
    const recorder = new Recorder(cluster, namespace, clock);
    const { helm, kubectl } = { helm: inject('helm'), kubectl: inject('kubectl') };
    return new TraceWorld({ cluster, recorder, namespace, charts, chartFolder, helm, kubectl, env });
  }

  it.concurrent.each(traceNames())('%s: goes through the same states', { timeout: 180_000 }, async (name) => {
    const world = await worldOf(name);
    const tolerated = TOLERATED.filter(({ trace }) => trace.test(name));
    const isTolerated = (text: string): boolean => tolerated.some(({ state }) => state.test(text));
    const { expected, actual } = await replay(readTrace(name), world, isTolerated);
    world.recorder.stop();
    expect(actual).toEqual(expected);
    expect(errors).toEqual([]);
  });
});
