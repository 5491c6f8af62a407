import { refKey } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import type { RecordHead } from './interpret.ts';
import { annotate, type ManifestDocument, manifestDocuments, manifestOf } from './manifest.ts';
import { belongsTo, holdsData, isCrd, isKept, isNamespace, readMetadata, unlessGone } from './ownership.ts';
import { encodeRecord } from './record.ts';
import type { StoredRecord } from './release-store.ts';
import type { ChartTools } from './tools.ts';

interface Candidate extends ManifestDocument {
  /** Named only by a record that a later delivery has replaced. */
  readonly isLeftover: boolean;
}

/**
 * Helm uninstalls what the manifest of the newest record names, and nothing else. So that record is made to name what
 * is to go: with it, what earlier or failed revisions left behind; without, what is gone already together with its
 * kind (helm would refuse the whole manifest) and what has passed to another release; CRDs and namespaces are kept.
 */
export async function prepareUninstall(
  target: ReleaseTarget,
  { heads, keepData }: { readonly heads: readonly RecordHead[]; readonly keepData: boolean },
  tools: ChartTools,
): Promise<void> {
  const records = await readAll(heads, tools);
  const newest = records[0];
  if (newest === undefined) return;
  const documents: ManifestDocument[] = [];
  for (const candidate of await tools.store.placed(candidatesIn(records), target.namespace)) {
    const document = await documentToUninstall(candidate, target, tools);
    if (document !== undefined) documents.push(keepData && holdsData(document.ref) ? kept(document) : document);
  }
  if (sameText(documents, manifestDocuments(newest.record.manifest))) return;
  const object = encodeRecord(newest.secret, { ...newest.record.raw, manifest: manifestOf(documents) });
  await unlessGone(() => tools.cluster.write({ verb: 'replace', object }));
}

async function readAll(heads: readonly RecordHead[], { store }: ChartTools): Promise<readonly StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const head of heads) {
    const stored = await store.read(head);
    if (stored !== undefined) records.push(stored);
  }
  return records;
}

/** Each object once, as the newest record that names it has it. */
function candidatesIn(records: readonly StoredRecord[]): readonly Candidate[] {
  const byKey = new Map<string, Candidate>();
  let isLeftover = false;
  for (const { record } of records) {
    for (const document of manifestDocuments(record.manifest)) {
      const key = refKey(document.ref);
      if (!byKey.has(key)) byKey.set(key, { ...document, isLeftover });
    }
    isLeftover ||= record.status === 'deployed' || record.status === 'superseded';
  }
  return [...byKey.values()];
}

async function documentToUninstall(
  candidate: Candidate,
  target: ReleaseTarget,
  { cluster }: ChartTools,
): Promise<ManifestDocument | undefined> {
  const { ref, isLeftover } = candidate;
  if (isLeftover && holdsData(ref)) return undefined;
  if (isCrd(ref) || isNamespace(ref)) return kept(candidate);
  const live = await readMetadata(ref, cluster);
  if (live === undefined || !belongsTo(live, target) || (isLeftover && isKept(live))) return undefined;
  return candidate;
}

function kept(document: ManifestDocument): ManifestDocument {
  return annotate(document, ANNOTATION.helmKeep, 'keep');
}

function sameText(a: readonly ManifestDocument[], b: readonly ManifestDocument[]): boolean {
  return a.length === b.length && a.every(({ text }, index) => text === b[index]?.text);
}
