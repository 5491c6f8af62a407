import { isCode } from '../../../src/api/errors.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import { kstatusOf } from './kstatus.ts';
import type { CrdPolicy } from './spec.ts';

export interface CrdOptions {
  readonly cluster: Cluster;
  readonly sleep: (ms: number) => Promise<void>;
  readonly tickMs: number;
  /** How many ticks a definition may take. */
  readonly ticks: number;
}

/** What lies in `crds/` is written before the release, and waited for on the same ticks [18: 1756 to 6843]. */
export async function applyCrds(crds: readonly JsonObject[], policy: CrdPolicy, options: CrdOptions): Promise<void> {
  if (policy === 'Skip') return;
  const written: KubeObject[] = [];
  for (const crd of crds) {
    // Out of a chart; the API server says what is wrong with it.
    const object = await applyCrd(crd as unknown as KubeObject, policy, options.cluster);
    if (object !== undefined) written.push(object);
  }
  for (const { metadata } of written) await awaitEstablished(metadata.name, options);
}

async function applyCrd(object: KubeObject, policy: CrdPolicy, cluster: Cluster): Promise<KubeObject | undefined> {
  try {
    return await cluster.write({ verb: 'create', object });
  } catch (error) {
    if (!isCode(error, 'ApiAlreadyExists')) throw error;
  }
  if (policy === 'Create') return undefined;
  const { apiVersion, kind, metadata } = object;
  const live = await cluster.read({ apiVersion, kind, name: metadata.name });
  const { resourceVersion } = live?.metadata ?? {};
  if (resourceVersion === undefined) return applyCrd(object, policy, cluster);
  return cluster.write({ verb: 'replace', object: { ...object, metadata: { ...metadata, resourceVersion } } });
}

async function awaitEstablished(name: string, { cluster, sleep, tickMs, ticks }: CrdOptions): Promise<void> {
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
  for (let tick = 0; tick < ticks; tick += 1) {
    const object = await cluster.read(ref);
    if (object !== undefined && kstatusOf(object) === 'Current') return;
    await sleep(tickMs);
  }
  throw new Error(`failed to apply CustomResourceDefinitions: timeout waiting for ${name}`);
}
