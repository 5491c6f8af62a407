import { asKubepkgError, describeError, isCode } from '../api/errors.ts';
import { API_VERSION } from '../api/names.ts';
import { backoffDelay } from '../lib/backoff.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock, Log } from '../ports/system.ts';
import { aborted, sleep } from './waiting.ts';

export interface AwaitClusterOptions {
  readonly cluster: Pick<Cluster, 'read' | 'served'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The operator's own. */
  readonly namespace: string;
  readonly stop: AbortSignal;
  /** Told whenever something else is in the way. */
  readonly onObstacle: (text: string) => void;
}

interface Obstacle {
  readonly message: string;
  readonly hint: string | undefined;
}

const KINDS = ['Package', 'PackageSource', 'PackageRevision'] as const;
const BACKOFF = { baseMs: 500, maxMs: 5000 };

/** Waits until the API server answers and has all that the operator cannot work without; false: told to stop. */
export async function awaitCluster(options: AwaitClusterOptions): Promise<boolean> {
  const { clock, stop, log, onObstacle } = options;
  const stopped = aborted(stop).then(() => 'stopped' as const);
  let told: string | undefined;
  for (let failures = 1; ; failures += 1) {
    const obstacle = await Promise.race([findObstacle(options), stopped]);
    if (obstacle === 'stopped') return false;
    if (obstacle === undefined) return true;
    if (obstacle.message !== told) {
      log.warn(`waiting: ${obstacle.message}`, { hint: obstacle.hint });
      onObstacle(`waiting: ${obstacle.message}`);
      told = obstacle.message;
    }
    await sleep(clock, backoffDelay(BACKOFF, failures, clock.random()), stop);
  }
}

async function findObstacle({ cluster, namespace }: AwaitClusterOptions): Promise<Obstacle | undefined> {
  try {
    return (await missingKinds(cluster)) ?? (await missingNamespace(cluster, namespace));
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    return { message: describeError(error), hint: undefined };
  }
}

async function missingKinds(cluster: Pick<Cluster, 'served'>): Promise<Obstacle | undefined> {
  const missing: string[] = [];
  for (const kind of KINDS) if ((await cluster.served(API_VERSION, kind)) === undefined) missing.push(kind);
  if (missing.length === 0) return undefined;
  return {
    message: `the API server does not serve ${missing.join(', ')} of ${API_VERSION}`,
    hint: 'install the CustomResourceDefinitions: kubepkg crds | kubectl apply --server-side -f -',
  };
}

/** Not created here: a second operator with a misspelt name would lead beside the first one. */
async function missingNamespace(cluster: Pick<Cluster, 'read'>, name: string): Promise<Obstacle | undefined> {
  try {
    if ((await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name })) !== undefined) return undefined;
  } catch (error) {
    // Whoever may not look at namespaces hears from the election what is missing.
    if (isCode(error, 'ApiForbidden')) return undefined;
    throw error;
  }
  return {
    message: `there is no namespace ${name} for the operator's Lease and Secrets`,
    hint: `create it, kubectl create namespace ${name}, or name another with --namespace`,
  };
}
