import type { ObjectRef } from '../../../src/api/kube.ts';
import { manifestDocuments } from '../../../src/helm/manifest.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import type { Clock } from '../../../src/ports/system.ts';
import type { HealthChecks, HealthStatus } from './health-checks.ts';
import { kstatusOf } from './kstatus.ts';

export interface WaitOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  readonly tickMs: number;
  readonly timeoutMs: number;
  readonly waitsForJobs: boolean;
  readonly checks: HealthChecks;
  /** The deadline's message names nobody [16 left, 27]. */
  readonly isVague: boolean;
}

const VAGUE = 'client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline';

interface Look {
  readonly ref: ObjectRef;
  readonly status: HealthStatus | 'NotFound';
}

/** The objects of a manifest, in the namespaces in which helm puts them. */
export async function placedObjects(
  manifest: string,
  namespace: string,
  cluster: Cluster,
): Promise<readonly ObjectRef[]> {
  const refs: ObjectRef[] = [];
  for (const { ref } of manifestDocuments(manifest)) {
    const served = await cluster.served(ref.apiVersion, ref.kind);
    const { apiVersion, kind, name } = ref;
    refs.push(
      served?.namespaced === false
        ? { apiVersion, kind, name }
        : { apiVersion, kind, name, namespace: ref.namespace ?? namespace },
    );
  }
  return refs;
}

/**
 * Looks once at the start and then on every tick ("The wait looks once at the start and then every 5 s": a release costs
 * 0.1 or 5 s, and failures are seen on the same ticks [01, 17, 22]). Undefined: all is as it should be.
 */
export async function awaitObjects(refs: readonly ObjectRef[], options: WaitOptions): Promise<string | undefined> {
  const deadline = options.clock.now() + options.timeoutMs;
  for (;;) {
    const looks = await Promise.all(refs.map((ref) => lookAt(ref, options)));
    const failed = looks.filter(({ status }) => status === 'Failed');
    if (failed.length > 0) return `failed early due to stalled resources: ${listed(failed)}`;
    const waiting = looks.filter(({ status }) => status !== 'Current');
    if (waiting.length === 0) return undefined;
    const left = deadline - options.clock.now();
    if (left <= 0) return options.isVague ? VAGUE : `timeout waiting for: ${listed(waiting)}`;
    await options.sleep(Math.min(left, options.tickMs));
  }
}

async function lookAt(ref: ObjectRef, { cluster, checks, waitsForJobs }: WaitOptions): Promise<Look> {
  const object = await cluster.read(ref);
  if (object === undefined) return { ref, status: 'NotFound' };
  if (!waitsForJobs && ref.kind === 'Job') return { ref, status: 'Current' };
  return { ref, status: checks.judge(object) ?? kstatusOf(object) };
}

function listed(looks: readonly Look[]): string {
  return `[${looks.map(({ ref, status }) => `${nameOf(ref)} status: '${status}'`).join(', ')}]`;
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return [kind, namespace, name].filter((part) => part !== undefined).join('/');
}
