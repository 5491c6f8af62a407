import { LABEL } from '../api/names.ts';
import { asArray, asString, at, isRecord, type JsonObject } from '../lib/json.ts';
import type { RecalledRelease, ReleaseTarget } from '../ports/backend.ts';
import { isCompleted, type RecordHead } from './interpret.ts';
import { nameLabel } from './labels.ts';
import type { ReleaseRecord } from './record.ts';
import type { ReleaseStore } from './release-store.ts';

/** A completed record of the package's own; without a number the newest one. */
export async function recallRelease(
  target: ReleaseTarget,
  revision: number | undefined,
  store: ReleaseStore,
): Promise<RecalledRelease | undefined> {
  const heads = await store.heads(target);
  const own = heads.filter(({ labels }) => labels[LABEL.package] === nameLabel(target.package));
  return recallFrom(own, revision, store);
}

/** The same of a release whose records do not say whose they are. */
export async function recallAnyones(
  target: ReleaseTarget,
  revision: number | undefined,
  store: ReleaseStore,
): Promise<RecalledRelease | undefined> {
  return recallFrom(await store.heads(target), revision, store);
}

async function recallFrom(
  heads: readonly RecordHead[],
  revision: number | undefined,
  store: ReleaseStore,
): Promise<RecalledRelease | undefined> {
  const completed = heads.filter((head) => isCompleted(head));
  const head = revision === undefined ? completed[0] : completed.find((each) => each.revision === revision);
  const stored = head === undefined ? undefined : await store.read(head);
  return head === undefined || stored === undefined ? undefined : recalled(head, stored.record);
}

function recalled(head: RecordHead, record: ReleaseRecord): RecalledRelease {
  const metadata = at(record.raw, 'chart', 'metadata');
  return {
    revision: head.revision,
    chartName: asString(at(metadata, 'name')) ?? record.name,
    chartVersion: asString(at(metadata, 'version')) ?? '0.0.0',
    // Parsed from JSON.
    values: isRecord(record.config) ? (record.config as JsonObject) : {},
    privileged: Object.entries(head.labels).some(([key, value]) => key.endsWith('/privileged') && value === 'true'),
    files: filesOf(record, metadata),
  };
}

/** What helm applied rather than the chart it came from: a record does not hold the subcharts of its chart. */
function filesOf(record: ReleaseRecord, metadata: unknown): Readonly<Record<string, string>> {
  const manifests = asArray(record.raw['hooks']).map((hook) => asString(at(hook, 'manifest')) ?? '');
  const templates = [record.manifest, ...manifests].map((text, index) => {
    const name = index === 0 ? 'manifest' : `hook-${String(index)}`;
    return [`templates/${name}.yaml`, literally(text)] as const;
  });
  return { 'Chart.yaml': chartYaml(metadata, record.name), ...Object.fromEntries(templates) };
}

/** JSON is YAML. */
function chartYaml(metadata: unknown, fallback: string): string {
  const name = asString(at(metadata, 'name')) ?? fallback;
  const version = asString(at(metadata, 'version')) ?? '0.0.0';
  const appVersion = asString(at(metadata, 'appVersion'));
  return `${JSON.stringify({ apiVersion: 'v2', name, version, ...(appVersion === undefined ? {} : { appVersion }) })}\n`;
}

/** A template that gives this text. */
function literally(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}
