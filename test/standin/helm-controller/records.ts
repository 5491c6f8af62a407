import { isCode } from '../../../src/api/errors.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { digestOf } from '../../../src/lib/digest.ts';
import { asArray, asString, at, isRecord, type JsonObject } from '../../../src/lib/json.ts';
import { formatSeconds, parseTime } from '../../../src/lib/time.ts';
import { decodeRecord, encodeRecord, type ReleaseRecord } from '../../../src/helm/record.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import { configDigest } from './config-digest.ts';
import type { Snapshot } from './status.ts';

export interface StoredRelease {
  readonly secret: KubeObject;
  readonly record: ReleaseRecord;
}

export interface ReleaseName {
  /** Where the records are. */
  readonly storageNamespace: string;
  readonly name: string;
}

const PENDING: readonly string[] = ['pending-install', 'pending-upgrade', 'pending-rollback'];

export function isPending({ status }: ReleaseRecord): boolean {
  return PENDING.includes(status);
}

/** Helm's storage, as the controller reads it beside helm. */
export class Records {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Newest first. */
  async all({ storageNamespace, name }: ReleaseName): Promise<readonly StoredRelease[]> {
    const { items } = await this.#cluster.list({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: storageNamespace,
      fieldSelector: 'type=helm.sh/release.v1',
      labelSelector: `owner=helm,name=${name}`,
    });
    const stored = items.map((secret) => ({ secret, record: decodeRecord(secret) }));
    return stored.sort((a, b) => b.record.version - a.record.version);
  }

  async newest(release: ReleaseName): Promise<StoredRelease | undefined> {
    return (await this.all(release))[0];
  }

  /** Rewrites how a release ended, as Helm's library does for one that it gives up. */
  async settle({ secret, record }: StoredRelease, status: string, description: string): Promise<StoredRelease> {
    const info = isRecord(record.raw['info']) ? record.raw['info'] : {};
    const raw = { ...record.raw, info: { ...info, status, description } };
    const written = await this.#cluster.write({ verb: 'replace', object: encodeRecord(secret, raw) });
    return { secret: written, record: decodeRecord(written) };
  }

  /** Whether it is gone afterwards, by whomever. */
  async remove({ secret }: StoredRelease): Promise<void> {
    const { name, namespace = '' } = secret.metadata;
    try {
      await this.#cluster.write({ verb: 'delete', ref: { apiVersion: 'v1', kind: 'Secret', namespace, name } });
    } catch (error) {
      if (!isCode(error, 'ApiNotFound')) throw error;
    }
  }
}

export interface SnapshotOptions {
  readonly action?: string | undefined;
  readonly ociDigest?: string | undefined;
}

/** What `status.history` keeps of a record. */
export function snapshotOf({ raw, ...record }: ReleaseRecord, { action, ociDigest }: SnapshotOptions): Snapshot {
  const metadata = at(raw, 'chart', 'metadata');
  const textIn = (field: string): string => asString(at(metadata, field)) ?? '';
  return {
    apiVersion: 'v2',
    ...withText('action', action),
    digest: observedDigest({ raw, ...record }, ociDigest),
    name: record.name,
    namespace: record.namespace,
    version: record.version,
    status: record.status,
    chartName: textIn('name'),
    chartVersion: textIn('version'),
    ...withText('appVersion', textIn('appVersion')),
    configDigest: configDigest(valuesOf(record.config)),
    firstDeployed: timeIn(raw, 'first_deployed') ?? formatSeconds(0),
    lastDeployed: timeIn(raw, 'last_deployed') ?? formatSeconds(0),
    ...withText('deleted', timeIn(raw, 'deleted')),
    ...withText('ociDigest', ociDigest),
  };
}

function withText<K extends string>(field: K, text: string | undefined): Partial<Readonly<Record<K, string>>> {
  // The only field that it can have.
  return text === undefined || text === '' ? {} : ({ [field]: text } as Partial<Readonly<Record<K, string>>>);
}

/**
 * Whether the record is the one that the snapshot was taken of: anybody else's write gives it away [20: a hand upgrade
 * empties the history]. Charts' tests can be run by hand without that.
 */
export function isObserved(snapshot: Snapshot, record: ReleaseRecord): boolean {
  return snapshot.digest === observedDigest(record, snapshot.ociDigest);
}

function observedDigest({ raw, name, version, namespace, manifest, config }: ReleaseRecord, ociDigest = ''): string {
  const hooks = asArray(raw['hooks']).filter((hook) => !asArray(at(hook, 'events')).includes('test'));
  const info = raw['info'];
  const metadata = at(raw, 'chart', 'metadata');
  return digestOf({ name, version, namespace, info, metadata, config: config ?? null, manifest, hooks, ociDigest });
}

export function valuesOf(config: unknown): JsonObject {
  // Out of JSON.
  return isRecord(config) ? (config as JsonObject) : {};
}

/** Of the first years of the calendar is what Go writes for no time at all. */
function timeIn(raw: unknown, field: string): string | undefined {
  const text = asString(at(raw, 'info', field));
  const ms = text === undefined || text === '' ? Number.NaN : parseTime(text);
  return Number.isNaN(ms) || ms <= 0 ? undefined : formatSeconds(ms);
}
