import { type KubeObject, type ObjectRef, refKey } from '../api/kube.ts';
import { KubepkgError } from '../api/errors.ts';
import { hasEnded, isEnding } from '../domain/readiness/vanished-job.ts';
import { at, isRecord } from '../lib/json.ts';
import { stableJson } from '../lib/stable-json.ts';
import { parseYaml, YamlError } from '../lib/yaml.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { inventoryHead, type RecordHead } from './interpret.ts';
import { manifestDocuments } from './manifest.ts';
import { belongsTo } from './ownership.ts';
import { renderManifest } from './preview.ts';
import type { ChartTools } from './tools.ts';

/** What a Job lets change after it was made. */
const CHANGEABLE: readonly string[] = [
  'activeDeadlineSeconds',
  'backoffLimit',
  'parallelism',
  'suspend',
  'ttlSecondsAfterFinished',
];

/**
 * Deletes finished Jobs that the next revision describes otherwise, so that they are made again: their template cannot
 * be changed. Costs a rendering, and only where a release has such Jobs.
 */
export async function recreateFinishedJobs(
  release: DesiredRelease,
  heads: readonly RecordHead[],
  tools: ChartTools,
): Promise<void> {
  const head = inventoryHead(heads);
  const inventory = await tools.store.inventory(release, { heads });
  if (head === undefined || !inventory.some((ref) => isJob(ref))) return;
  const stored = await tools.store.read(head);
  const before = await jobsIn(stored?.record.manifest ?? '', release, tools);
  const after = await jobsIn(await renderManifest(release, tools), release, tools);
  for (const [key, job] of after) {
    const old = before.get(key);
    if (old !== undefined && old.fixed !== job.fixed) await deleteFinished(job.ref, release, tools);
  }
}

interface DescribedJob {
  readonly ref: ObjectRef;
  /** What cannot be changed of it, as one text. */
  readonly fixed: string;
}

async function jobsIn(
  manifest: string,
  release: DesiredRelease,
  { store }: ChartTools,
): Promise<ReadonlyMap<string, DescribedJob>> {
  const documents = manifestDocuments(manifest).filter(({ ref }) => isJob(ref));
  const placed = await store.placed(documents, release.namespace);
  return new Map(placed.map(({ ref, text }) => [refKey(ref), { ref, fixed: fixedPart(text) }]));
}

async function deleteFinished(ref: ObjectRef, release: DesiredRelease, { cluster }: ChartTools): Promise<void> {
  const live = await cluster.read(ref);
  if (live === undefined || !belongsTo(live, release) || !mayBeMadeAgain(live)) return;
  const { uid } = live.metadata;
  await cluster.write({ verb: 'delete', ref, propagation: 'Background', uid });
}

/** One whose pods still go is waited for, so that no two of it run beside each other. */
export function mayBeMadeAgain(job: KubeObject): boolean {
  if (!isEnding(job)) return hasEnded(job);
  const { namespace = '', name } = job.metadata;
  throw new KubepkgError('ReleaseLocked', `Job ${namespace}/${name} is to be made again, and its pods are still going`);
}

export function isJob({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return apiVersion === 'batch/v1' && kind === 'Job';
}

export function fixedPart(text: string): string {
  const spec = at(parsed(text), 'spec');
  const entries = Object.entries(isRecord(spec) ? spec : {}).filter(([key]) => !CHANGEABLE.includes(key));
  return stableJson(Object.fromEntries(entries));
}

/** Helm takes some YAML that we do not; such documents are compared as they are written. */
function parsed(text: string): unknown {
  try {
    return parseYaml(text, 'Job');
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { spec: { text: text.trim() } };
  }
}
