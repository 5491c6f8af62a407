import { refKey } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { RecordHead } from './interpret.ts';
import { annotate, type ManifestDocument, manifestDocuments, manifestOf } from './manifest.ts';
import { isCrd, readMetadata } from './protect-data.ts';
import { encodeRecord } from './record.ts';
import type { ReleaseStore, StoredRecord } from './release-store.ts';

const KEPT_KINDS: readonly string[] = ['Namespace'];

/**
 * Helm uninstalls what the manifest of the newest record names, and nothing else. So that record is made to name what
 * is to go: with it, what earlier or failed revisions left behind; without, what is gone already together with its
 * kind (helm would refuse the whole manifest) and what has passed to another release; CRDs and namespaces are kept.
 */
export async function prepareUninstall(
  target: ReleaseTarget,
  heads: readonly RecordHead[],
  { store, cluster }: { readonly store: ReleaseStore; readonly cluster: Cluster },
): Promise<void> {
  const records = await readAll(heads, store);
  const newest = records[0];
  if (newest === undefined) return;
  const documents: ManifestDocument[] = [];
  for (const document of await store.placed(documentsOf(records), target.namespace)) {
    const kept = await documentToUninstall(document, target, cluster);
    if (kept !== undefined) documents.push(kept);
  }
  const manifest = manifestOf(documents);
  if (manifest === newest.record.manifest) return;
  await cluster.write({ verb: 'replace', object: encodeRecord(newest.secret, { ...newest.record.raw, manifest }) });
}

/** Down to the newest record that was delivered: what is older, that one has replaced. */
async function readAll(heads: readonly RecordHead[], store: ReleaseStore): Promise<readonly StoredRecord[]> {
  const delivered = heads.findIndex(({ status }) => status === 'deployed' || status === 'superseded');
  const relevant = delivered < 0 ? heads : heads.slice(0, delivered + 1);
  const records: StoredRecord[] = [];
  for (const head of relevant) {
    const stored = await store.read(head);
    if (stored !== undefined) records.push(stored);
  }
  return records;
}

/** Each object once, as the newest record that names it has it. */
function documentsOf(records: readonly StoredRecord[]): readonly ManifestDocument[] {
  const byKey = new Map<string, ManifestDocument>();
  for (const { record } of records) {
    for (const document of manifestDocuments(record.manifest)) {
      const key = refKey(document.ref);
      if (!byKey.has(key)) byKey.set(key, document);
    }
  }
  return [...byKey.values()];
}

async function documentToUninstall(
  document: ManifestDocument,
  target: ReleaseTarget,
  cluster: Cluster,
): Promise<ManifestDocument | undefined> {
  const { ref } = document;
  if (isCrd(ref) || (ref.apiVersion === 'v1' && KEPT_KINDS.includes(ref.kind))) {
    return annotate(document, ANNOTATION.helmKeep, 'keep');
  }
  const live = await readMetadata(ref, cluster);
  if (live === undefined) return undefined;
  const owner = live.metadata.annotations;
  const isOurs =
    owner?.['meta.helm.sh/release-name'] === target.releaseName &&
    owner['meta.helm.sh/release-namespace'] === target.namespace;
  return isOurs ? document : undefined;
}
