import { asKubepkgError, isCode, KubepkgError } from '../api/errors.ts';
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
  readonly onObstacle: (obstacle: KubepkgError) => void;
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
      log.warn(waitingFor(obstacle), { hint: obstacle.hint });
      onObstacle(obstacle);
      told = obstacle.message;
    }
    await sleep(clock, backoffDelay(BACKOFF, failures, clock.random()), stop);
  }
}

export function waitingFor({ message }: KubepkgError): string {
  return `waiting: ${message}`;
}

async function findObstacle({ cluster, namespace }: AwaitClusterOptions): Promise<KubepkgError | undefined> {
  try {
    return (await missingKinds(cluster)) ?? (await missingNamespace(cluster, namespace));
  } catch (thrown) {
    return asKubepkgError(thrown);
  }
}

async function missingKinds(cluster: Pick<Cluster, 'served'>): Promise<KubepkgError | undefined> {
  const missing: string[] = [];
  for (const kind of KINDS) if ((await cluster.served(API_VERSION, kind)) === undefined) missing.push(kind);
  if (missing.length === 0) return undefined;
  return new KubepkgError('KindNotServed', `the API server does not serve ${missing.join(', ')} of ${API_VERSION}`, {
    hint: 'install the CustomResourceDefinitions: kubepkg crds | kubectl apply --server-side -f -',
  });
}

/** Not created here: a second operator with a misspelt name would lead beside the first one. */
async function missingNamespace(cluster: Pick<Cluster, 'read'>, name: string): Promise<KubepkgError | undefined> {
  try {
    if ((await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name })) !== undefined) return undefined;
  } catch (error) {
    // Whoever may not look at namespaces hears from the election what is missing.
    if (isCode(error, 'ApiForbidden')) return undefined;
    throw error;
  }
  return new KubepkgError('NotFound', `there is no namespace ${name} for the operator's Lease and Secrets`, {
    hint: `create it, kubectl create namespace ${name}, or name another with --namespace`,
  });
}
