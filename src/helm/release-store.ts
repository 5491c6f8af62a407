import { type KubeObject, nameOf, type ObjectRef, refOf } from '../api/kube.ts';
import { LABEL } from '../api/names.ts';
import { formatSeconds } from '../lib/time.ts';
import { KubepkgError } from '../api/errors.ts';
import type { InventoryItem, PresentRelease, ReleaseObservation, ReleaseTarget } from '../ports/backend.ts';
import type { Cluster, Selection } from '../ports/cluster.ts';
import { describeHold } from './describe-hold.ts';
import { oneLine } from './errors.ts';
import { interpretHeads, inventoryHead, type RecordHead, recordHeads, unsweptHeads } from './interpret.ts';
import { nameLabel } from './labels.ts';
import { manifestDocuments, mayVanish } from './manifest.ts';
import { decodeRecord, type ReleaseRecord } from './record.ts';
import { findRemains, isTerminating } from './remains.ts';
import { awaitedHook, findRunningHooks, startedHooks } from './running-hooks.ts';

const RECORDS = { apiVersion: 'v1', kind: 'Secret', fieldSelector: 'type=helm.sh/release.v1', metadataOnly: true };

/** All records of ours, wherever they are. */
export const OWN_RECORDS: Selection = { ...RECORDS, labelSelector: `owner=helm,${LABEL.package}` };

/** A record's Secret together with what is in it. */
export interface StoredRecord {
  readonly secret: KubeObject;
  readonly record: ReleaseRecord;
}

interface CachedInventory {
  readonly key: string;
  readonly items: readonly InventoryItem[];
}

interface InventoryOptions {
  readonly heads?: readonly RecordHead[] | undefined;
  readonly record?: 'completed' | 'newest' | undefined;
}

/** Helm's release records, read from the API server; no process is started to look at something. */
export class ReleaseStore {
  readonly #cluster: Cluster;
  /** By namespace and release; one entry for each release that exists. */
  readonly #inventories = new Map<string, CachedInventory>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async heads(target: ReleaseTarget): Promise<readonly RecordHead[]> {
    const { items } = await this.#cluster.list({
      ...RECORDS,
      namespace: target.namespace,
      labelSelector: `owner=helm,name=${target.releaseName}`,
    });
    return recordHeads(items);
  }

  async observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    const heads = await this.heads(target);
    const observation = interpretHeads(target, heads);
    if (observation.state === 'absent') this.#inventories.delete(keyOf(target));
    const newest = heads[0];
    if (observation.state !== 'present' || newest === undefined) return observation;
    if (newest.status === 'uninstalled') return this.#uninstalled(target, newest, observation);
    if (newest.status === 'uninstalling') return this.#uninstalling(target, newest, observation);
    if (observation.delivery === 'delivered' && hasLeftovers(heads)) return { ...observation, handBack: true };
    if (observation.delivery !== 'failed') return observation;
    const description = await this.#description(newest);
    return description === '' ? observation : { ...observation, message: `${observation.message}: ${description}` };
  }

  /** Undefined when the record was removed meanwhile. */
  async read(head: RecordHead): Promise<StoredRecord | undefined> {
    const secret = await this.#cluster.read(head.ref);
    return secret === undefined ? undefined : { secret, record: decodeRecord(secret) };
  }

  async inventory(target: ReleaseTarget, options: InventoryOptions = {}): Promise<readonly InventoryItem[]> {
    const heads = options.heads ?? (await this.heads(target));
    const head = options.record === 'newest' ? heads[0] : inventoryHead(heads);
    if (head === undefined) return [];
    const key = `${head.uid}/${head.resourceVersion}`;
    const cached = this.#inventories.get(keyOf(target));
    if (cached?.key === key) return cached.items;
    const stored = await this.read(head);
    if (stored === undefined) throw new KubepkgError('ApiConflict', `${head.ref.name} was removed while it was read`);
    const documents = await this.placed(manifestDocuments(stored.record.manifest), target.namespace);
    const items = documents.map(({ ref, text }) => (mayVanish(ref, text) ? { ...ref, mayVanish: true } : ref));
    this.#inventories.set(keyOf(target), { key, items });
    return items;
  }

  /** What is still there of a release whose newest record, this one, says that it was uninstalled. */
  async remains(target: ReleaseTarget, head: RecordHead): Promise<readonly KubeObject[]> {
    const stored = await this.read(head);
    if (stored === undefined) return [];
    const documents = await this.placed(manifestDocuments(stored.record.manifest), target.namespace);
    const hooks = await this.placed(startedHooks(stored.record), target.namespace);
    return [
      ...(await findRemains(documents, target, this.#cluster)),
      ...(await findRunningHooks(hooks, this.#cluster)),
    ];
  }

  /** By the labels on the records, in every namespace. */
  async releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    const labelSelector = `owner=helm,${LABEL.package}=${nameLabel(pkg)}`;
    const { items } = await this.#cluster.list({ ...RECORDS, labelSelector });
    const targets = new Map<string, ReleaseTarget>();
    for (const { metadata } of items) {
      const { namespace = '', labels = {} } = metadata;
      const releaseName = labels['name'] ?? '';
      const target = { package: pkg, component: labels[LABEL.component] ?? releaseName, releaseName, namespace };
      targets.set(keyOf(target), target);
    }
    return [...targets.values()];
  }

  /** Namespaces as helm fills them in; kinds that are not served are left as they are written. */
  async placed<T extends { readonly ref: ObjectRef }>(items: readonly T[], namespace: string): Promise<readonly T[]> {
    const placed: T[] = [];
    for (const item of items) {
      const { apiVersion, kind, name, namespace: written } = item.ref;
      const served = await this.#cluster.served(apiVersion, kind);
      if (served === undefined) placed.push(item);
      else if (served.namespaced)
        placed.push({ ...item, ref: { apiVersion, kind, name, namespace: written ?? namespace } });
      else placed.push({ ...item, ref: { apiVersion, kind, name } });
    }
    return placed;
  }

  /** An uninstall waits for its hooks, however long they take: that is said. */
  async #uninstalling(
    target: ReleaseTarget,
    head: RecordHead,
    observation: PresentRelease,
  ): Promise<ReleaseObservation> {
    const stored = await this.read(head);
    const hook = stored === undefined ? undefined : awaitedHook(stored.record);
    if (hook === undefined) return observation;
    const [{ ref, startedAt } = hook] = await this.placed([hook], target.namespace);
    const what = `it waits for its hook ${nameOf(ref)}, started at ${formatSeconds(startedAt)}`;
    return { ...observation, message: `${observation.message}: ${what}` };
  }

  async #uninstalled(
    target: ReleaseTarget,
    head: RecordHead,
    observation: PresentRelease,
  ): Promise<ReleaseObservation> {
    const remains = await this.remains(target, head);
    const standing = remains.find((object) => !isTerminating(object));
    const say = (what: string): string => `${observation.message}: ${what}`;
    if (standing !== undefined) return { ...observation, message: say(`${nameOf(refOf(standing))} is to be removed`) };
    const held = await describeHold(remains, this.#cluster);
    if (held === undefined) return { ...observation, message: say('its records are to be removed') };
    return { ...observation, delivery: 'draining', message: say(held) };
  }

  async #description(head: RecordHead): Promise<string> {
    const stored = await this.read(head);
    if (stored === undefined) return '';
    const { description, config, name, namespace } = stored.record;
    return oneLine(description, { values: config, names: [name, namespace], paths: {} });
  }
}

/** Only attempts of ours: what the history of an adopted release has from before is left as it is. */
function hasLeftovers(heads: readonly RecordHead[]): boolean {
  return unsweptHeads(heads).some(({ labels }) => labels[LABEL.package] !== undefined);
}

function keyOf(target: ReleaseTarget): string {
  return `${target.namespace}/${target.releaseName}`;
}
