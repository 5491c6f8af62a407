import { LABEL } from '../api/names.ts';
import { inventoryHead, type RecordHead } from '../helm/interpret.ts';
import { nameLabel } from '../helm/labels.ts';
import type { ReleaseRecord } from '../helm/record.ts';
import { ReleaseStore } from '../helm/release-store.ts';
import { asString, at, isRecord, type JsonObject } from '../lib/json.ts';
import type { Cluster } from '../ports/cluster.ts';

export interface ReleasePlace {
  /** Package that asks. */
  readonly package: string;
  readonly namespace: string;
  readonly releaseName: string;
}

/** A release as Helm has it, whoever made it. */
export interface LiveRelease {
  readonly revision: number;
  /** Such as `deployed`. */
  readonly status: string;
  readonly chartName: string;
  readonly chartVersion: string;
  /** What its user gave; the chart's own are not among them. */
  readonly values: JsonObject;
  /** Package that it is of; undefined: kubepkg did not make it. */
  readonly owner: string | undefined;
}

/** Undefined: there is no release in that place. */
export async function readLiveRelease(cluster: Cluster, place: ReleasePlace): Promise<LiveRelease | undefined> {
  const store = new ReleaseStore(cluster);
  const heads = await store.heads({ ...place, component: '' });
  // What was uninstalled and kept in the history does not run.
  const head = heads[0]?.status === 'uninstalled' ? undefined : runningHead(heads);
  const stored = head === undefined ? undefined : await store.read(head);
  if (head === undefined || stored === undefined) return undefined;
  const { record } = stored;
  return {
    revision: head.revision,
    status: head.status,
    ...chartOf(record),
    values: isRecord(record.config) ? (record.config as JsonObject) : {},
    owner: head.labels[LABEL.package] === nameLabel(place.package) ? place.package : head.labels[LABEL.package],
  };
}

/** What a release record says of its chart. */
export function chartOf({ name, raw }: Pick<ReleaseRecord, 'name' | 'raw'>): {
  readonly chartName: string;
  readonly chartVersion: string;
} {
  const metadata = at(raw, 'chart', 'metadata');
  return { chartName: asString(at(metadata, 'name')) ?? name, chartVersion: asString(at(metadata, 'version')) ?? '' };
}

function runningHead(heads: readonly RecordHead[]): RecordHead | undefined {
  return heads.find(({ status }) => status === 'deployed') ?? inventoryHead(heads);
}
