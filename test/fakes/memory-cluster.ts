import { KubepkgError } from '../../src/api/errors.ts';
import { type KubeObject, nameOf, type ObjectMeta, type ObjectRef, refKey, refOf } from '../../src/api/kube.ts';
import { asArray, asString, at } from '../../src/lib/json.ts';
import { stableJson } from '../../src/lib/stable-json.ts';
import { formatSeconds } from '../../src/lib/time.ts';
import type {
  Cluster,
  LogRequest,
  ObjectList,
  Selection,
  ServedKind,
  Subscription,
  WatchEvent,
  WriteRequest,
} from '../../src/ports/cluster.ts';
import { deepFreeze } from '../build/deep-freeze.ts';
import { applyConfig, jsonPatch, mergePatch } from './memory-patch.ts';
import { isSelected } from './memory-selection.ts';

interface Watcher {
  readonly selection: Selection;
  readonly onEvent: (event: WatchEvent) => void;
  readonly queue: WatchEvent[];
  open: boolean;
}

/** One request, as it came: `read Secret shop/a`, `replace PackageRevision shop-1 status`. */
export interface ClusterRequest {
  readonly verb: 'read' | 'list' | WriteRequest['verb'];
  readonly line: string;
  readonly write?: WriteRequest;
}

type Interception = (request: ClusterRequest) => void | Promise<void>;

const NOTHING: Interception = () => undefined;

/**
 * A small API server without a network: generations, resource versions, conflicts, finalizers, the status subresource,
 * namespaces and watches. It is deep-frozen, so that what is taken from it cannot be changed by accident.
 */
export class MemoryCluster implements Cluster {
  readonly requests: ClusterRequest[] = [];
  /** Called before a request takes effect; what it throws is the answer. */
  before: Interception = NOTHING;
  /** Called after it took effect: what it throws is a lost response. */
  after: Interception = NOTHING;
  /** Lines that containers wrote, by `namespace/pod/container`, with `/previous` for the run before. */
  readonly podLogs = new Map<string, readonly string[]>();
  /** Told of everything that changes, at the moment when it does. */
  changed: (before: KubeObject | undefined, object: KubeObject, gone: boolean) => void = () => undefined;
  now: () => number = () => Date.UTC(2026, 0, 1);
  readonly #objects = new Map<string, KubeObject>();
  readonly #applied = new Map<string, KubeObject>();
  readonly #watchers = new Set<Watcher>();
  readonly #kinds = new Map<string, ServedKind>(BUILT_IN);
  readonly #whole = new Set<string>();
  #version = 0;
  #held = false;

  async read(ref: ObjectRef, options: { readonly metadataOnly?: boolean } = {}): Promise<KubeObject | undefined> {
    const key = this.#keyOf(ref);
    return this.#answer({ verb: 'read', line: `read ${nameOf(ref)}` }, () => {
      const found = this.#objects.get(key());
      return found === undefined || options.metadataOnly !== true ? found : metadataOf(found);
    });
  }

  async list(selection: Selection): Promise<ObjectList> {
    return this.#answer({ verb: 'list', line: `list ${selection.kind}` }, () => {
      this.#servedOrThrow(selection.apiVersion, selection.kind);
      return { items: this.#select(selection), resourceVersion: String(this.#version) };
    });
  }

  async write(request: WriteRequest): Promise<KubeObject> {
    const ref = 'object' in request ? refOf(request.object) : request.ref;
    const subresource = request.verb === 'delete' ? undefined : request.subresource;
    const line = [request.verb, nameOf(ref), ...(subresource === undefined ? [] : [subresource])].join(' ');
    return this.#answer({ verb: request.verb, line, write: request }, () => this.#write(request, this.#keyOf(ref)()));
  }

  watch(selection: Selection, onEvent: (event: WatchEvent) => void): Subscription {
    const watcher: Watcher = { selection, onEvent, queue: [], open: false };
    this.#watchers.add(watcher);
    this.#open(watcher);
    return {
      stop: () => {
        this.#watchers.delete(watcher);
      },
    };
  }

  async served(apiVersion: string, kind?: string): Promise<ServedKind | undefined> {
    await Promise.resolve();
    if (kind !== undefined) return this.#kinds.get(`${apiVersion}/${kind}`);
    return [...this.#kinds].find(([name]) => name.slice(0, name.lastIndexOf('/')) === apiVersion)?.[1];
  }

  async logs({ namespace, pod, container, previous, tailLines }: LogRequest): Promise<string | undefined> {
    await Promise.resolve();
    const lines = this.podLogs.get(`${namespace}/${pod}/${container}${previous === true ? '/previous' : ''}`);
    return lines
      ?.slice(-tailLines)
      .map((line) => `${line}\n`)
      .join('');
  }

  /** The requests that change something, one line each. */
  writes(): readonly string[] {
    return this.requests.filter(({ write }) => write !== undefined).map(({ line }) => line);
  }

  serve(apiVersion: string, kind: string, namespaced = true): void {
    this.#kinds.set(`${apiVersion}/${kind}`, { plural: `${kind.toLowerCase()}s`, namespaced });
    for (const watcher of this.#watchers) if (!watcher.open) this.#open(watcher);
  }

  /** A kind whose status is a part of the object like any other. */
  serveWhole(apiVersion: string, kind: string): void {
    this.serve(apiVersion, kind);
    this.#whole.add(`${apiVersion}/${kind}`);
  }

  /** Puts an object there as somebody else would, status included. */
  put(object: KubeObject): KubeObject {
    const known = this.#objects.get(refKey(refOf(object)));
    return this.#store(known, { ...object, metadata: { ...known?.metadata, ...object.metadata } });
  }

  remove(ref: ObjectRef): void {
    const known = this.#objects.get(refKey(ref));
    if (known !== undefined) this.#drop(known);
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(refKey(ref));
  }

  all(kind: string): readonly KubeObject[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind);
  }

  /** Withholds the events of all watches until `release`. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    for (const watcher of this.#watchers) this.#flush(watcher);
  }

  /** An event as a watch that lags behind would deliver it. */
  emit(event: Extract<WatchEvent, { readonly object: KubeObject }>): void {
    for (const watcher of this.#watchers) if (isSelected(event.object, watcher.selection)) watcher.onEvent(event);
  }

  watched(): readonly string[] {
    return [...this.#watchers].map(({ selection }) => selection.kind);
  }

  async #answer<T>(request: ClusterRequest, effect: () => T): Promise<T> {
    this.requests.push(request);
    await this.before(request);
    const result = effect();
    await this.after(request);
    return result;
  }

  #servedOrThrow(apiVersion: string, kind: string): ServedKind {
    const served = this.#kinds.get(`${apiVersion}/${kind}`);
    if (served !== undefined) return served;
    throw new KubepkgError('KindNotServed', `${apiVersion} ${kind} is not served`);
  }

  #keyOf(ref: ObjectRef): () => string {
    return () => {
      const { namespaced } = this.#servedOrThrow(ref.apiVersion, ref.kind);
      const { namespace, ...rest } = ref;
      if (!/^[^/%]+$/.test(ref.name) || /^\.+$/.test(ref.name) || (namespaced && namespace === undefined)) {
        throw new KubepkgError('ApiInvalid', `${nameOf(ref)} names nothing`);
      }
      return refKey(namespaced ? ref : rest);
    };
  }

  #select(selection: Selection): readonly KubeObject[] {
    const found = [...this.#objects].filter(([, object]) => isSelected(object, selection));
    const sorted = found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return selection.metadataOnly === true ? sorted.map(metadataOf) : sorted;
  }

  #write(request: WriteRequest, key: string): KubeObject {
    const known = this.#objects.get(key);
    if (request.verb === 'create') return this.#create(request.object, known, request.dryRun);
    if (request.verb === 'apply') return this.#apply(request, known, key);
    const live = orThrow(known, key);
    if (request.verb === 'delete') return this.#delete(request, live);
    const next = proposed(request, live);
    const expected = next.metadata.resourceVersion;
    if (expected === undefined) throw new KubepkgError('ApiInvalid', `${key}: metadata.resourceVersion is missing`);
    if (expected !== live.metadata.resourceVersion) throw new KubepkgError('ApiConflict', `${key} was changed`);
    const merged = request.subresource === 'status' ? this.#withStatus(live, next) : this.#withoutStatus(live, next);
    return request.dryRun === true ? merged : this.#store(live, merged);
  }

  #create(object: KubeObject, known: KubeObject | undefined, dryRun = false): KubeObject {
    this.#checkNamespace(object.metadata.namespace);
    if (known?.metadata.deletionTimestamp !== undefined)
      throw new KubepkgError('ApiConflict', `${nameOf(refOf(object))} is being deleted`);
    if (known !== undefined) throw new KubepkgError('ApiAlreadyExists', `${nameOf(refOf(object))} exists`);
    return dryRun ? object : this.#store(undefined, object);
  }

  #apply(request: Extract<WriteRequest, { verb: 'apply' }>, known: KubeObject | undefined, key: string): KubeObject {
    if (known === undefined) this.#checkNamespace(request.object.metadata.namespace);
    const { resourceVersion } = request.object.metadata;
    if (resourceVersion !== undefined && resourceVersion !== known?.metadata.resourceVersion)
      throw new KubepkgError('ApiConflict', `${key} was changed`);
    const former = this.#applied.get(key) ?? {};
    const next = applyConfig(known ?? {}, request.object, { former, force: request.force ?? false }) as KubeObject;
    if (request.dryRun === true) return next;
    this.#applied.set(key, request.object);
    return this.#store(known, next);
  }

  #delete(request: Extract<WriteRequest, { verb: 'delete' }>, live: KubeObject): KubeObject {
    const { finalizers = [], deletionTimestamp } = live.metadata;
    for (const field of ['uid', 'resourceVersion'] as const) {
      if (request[field] !== undefined && request[field] !== live.metadata[field])
        throw new KubepkgError('ApiConflict', `${nameOf(refOf(live))} has another ${field}`);
    }
    if (request.dryRun === true) return live;
    if (live.kind === 'Namespace') this.#emptyNamespace(live.metadata.name);
    if (finalizers.length === 0 && !this.#holdsObjects(live)) return this.#drop(live);
    const since = deletionTimestamp ?? formatSeconds(this.now());
    return this.#store(live, { ...live, metadata: { ...live.metadata, deletionTimestamp: since } });
  }

  #emptyNamespace(name: string): void {
    for (const object of [...this.#objects.values()].filter(({ metadata }) => metadata.namespace === name))
      this.#delete({ verb: 'delete', ref: refOf(object) }, object);
  }

  #holdsObjects(object: KubeObject): boolean {
    if (object.kind !== 'Namespace') return false;
    return [...this.#objects.values()].some(({ metadata }) => metadata.namespace === object.metadata.name);
  }

  #checkNamespace(name: string | undefined): void {
    if (name === undefined) return;
    const namespace = this.#objects.get(refKey({ apiVersion: 'v1', kind: 'Namespace', name }));
    if (namespace === undefined) throw new KubepkgError('ApiNotFound', `namespace ${name} does not exist`);
    if (namespace.metadata.deletionTimestamp !== undefined)
      throw new KubepkgError('NamespaceTerminating', `namespace ${name} is being deleted`);
  }

  #withStatus(live: KubeObject, next: KubeObject): KubeObject {
    const entry = { manager: 'kubepkg', operation: 'Update', subresource: 'status', time: formatSeconds(this.now()) };
    const changed = { ...live, metadata: { ...live.metadata, managedFields: [entry] }, status: next['status'] };
    return stableJson(live['status'] ?? null) === stableJson(next['status'] ?? null) ? live : changed;
  }

  #withoutStatus(live: KubeObject, next: KubeObject): KubeObject {
    return this.#whole.has(`${live.apiVersion}/${live.kind}`) ? next : withoutStatus(live, next);
  }

  /** Everything that changes goes through here. */
  #store(known: KubeObject | undefined, next: KubeObject): KubeObject {
    if (known !== undefined && stableJson(known) === stableJson(next)) return known;
    this.#version += 1;
    const object = deepFreeze({ ...next, metadata: this.#metadataFor(known, next) });
    const leaving = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    if (leaving && !this.#holdsObjects(object)) return this.#drop(object, known);
    this.#objects.set(refKey(refOf(object)), object);
    this.#tell(known, object);
    if (object.kind === 'CustomResourceDefinition') this.#define(object);
    return object;
  }

  #metadataFor(known: KubeObject | undefined, next: KubeObject): ObjectMeta {
    const former = known?.metadata;
    return {
      ...next.metadata,
      uid: former?.uid ?? next.metadata.uid ?? `uid-${String(this.#version)}`,
      resourceVersion: String(this.#version),
      generation: generationOf(known, next),
      creationTimestamp: former?.creationTimestamp ?? formatSeconds(this.now()),
    };
  }

  #drop(object: KubeObject, known = object): KubeObject {
    this.#version += 1;
    const last = deepFreeze({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    });
    this.#objects.delete(refKey(refOf(object)));
    this.#applied.delete(refKey(refOf(object)));
    this.#tell(known, last, true);
    const { namespace } = object.metadata;
    const home =
      namespace === undefined ? undefined : this.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    if (home?.metadata.deletionTimestamp !== undefined && !this.#holdsObjects(home)) this.#drop(home);
    return last;
  }

  #define(definition: KubeObject): void {
    const group = asString(at(definition, 'spec', 'group')) ?? '';
    const kind = asString(at(definition, 'spec', 'names', 'kind')) ?? '';
    for (const version of asArray(at(definition, 'spec', 'versions'))) {
      const name = asString(at(version, 'name')) ?? '';
      this.serve(`${group}/${name}`, kind, at(definition, 'spec', 'scope') === 'Namespaced');
    }
  }

  #open(watcher: Watcher): void {
    const { apiVersion, kind } = watcher.selection;
    watcher.open = this.#kinds.has(`${apiVersion}/${kind}`);
    if (watcher.open) {
      for (const object of this.#select(watcher.selection)) watcher.queue.push({ type: 'set', object });
      watcher.queue.push({ type: 'synced' });
    } else {
      const error = new KubepkgError('KindNotServed', `${apiVersion} ${kind} is not served`);
      watcher.queue.push({ type: 'disturbed', error });
    }
    this.#deliver(watcher);
  }

  #tell(before: KubeObject | undefined, object: KubeObject, gone = false): void {
    this.changed(before, object, gone);
    for (const watcher of this.#watchers) {
      const was = before !== undefined && isSelected(before, watcher.selection);
      const is = !gone && isSelected(object, watcher.selection);
      if (!watcher.open || (!was && !is)) continue;
      const seen = watcher.selection.metadataOnly === true ? metadataOf(object) : object;
      watcher.queue.push({ type: is ? 'set' : 'gone', object: seen });
      this.#deliver(watcher);
    }
  }

  #deliver(watcher: Watcher): void {
    queueMicrotask(() => {
      if (!this.#held) this.#flush(watcher);
    });
  }

  #flush(watcher: Watcher): void {
    while (this.#watchers.has(watcher)) {
      const event = watcher.queue.shift();
      if (event === undefined) return;
      watcher.onEvent(event);
    }
  }
}

const NAMESPACED = [
  'v1/ConfigMap',
  'v1/Secret',
  'v1/Pod',
  'v1/Service',
  'v1/Event',
  'v1/PersistentVolumeClaim',
  'apps/v1/Deployment',
  'apps/v1/ReplicaSet',
  'batch/v1/Job',
  'discovery.k8s.io/v1/EndpointSlice',
];
const CLUSTER_SCOPED = [
  'v1/Namespace',
  'apiextensions.k8s.io/v1/CustomResourceDefinition',
  'kubepkg.dev/v1/Package',
  'kubepkg.dev/v1/PackageSource',
  'kubepkg.dev/v1/PackageRevision',
];

const BUILT_IN: readonly (readonly [string, ServedKind])[] = [
  ['networking.k8s.io/v1/Ingress', { plural: 'ingresses', namespaced: true }],
  ...NAMESPACED.map((kind) => [kind, { plural: pluralOf(kind), namespaced: true }] as const),
  ...CLUSTER_SCOPED.map((kind) => [kind, { plural: pluralOf(kind), namespaced: false }] as const),
];

function pluralOf(kind: string): string {
  return `${kind.slice(kind.lastIndexOf('/') + 1).toLowerCase()}s`;
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}

function orThrow(object: KubeObject | undefined, key: string): KubeObject {
  if (object === undefined) throw new KubepkgError('ApiNotFound', `${key} does not exist`);
  return object;
}

/** What a replacement or a patch would make of an object, before anything is checked. */
function proposed(request: Exclude<WriteRequest, { verb: 'apply' | 'delete' }>, live: KubeObject): KubeObject {
  if ('object' in request) return request.object;
  const patched = request.verb === 'merge-patch' ? mergePatch(live, request.patch) : jsonPatch(live, request.patch);
  // A patch of an object that is one gives an object that is one.
  return patched as KubeObject;
}

/** Counts what the spec says, and being marked for deletion. */
function generationOf(known: KubeObject | undefined, next: KubeObject): number {
  if (known === undefined) return next.metadata.generation ?? 1;
  const { generation = 0, deletionTimestamp } = known.metadata;
  const same = stableJson(known['spec'] ?? null) === stableJson(next['spec'] ?? null);
  const marked = next.metadata.deletionTimestamp !== undefined && deletionTimestamp === undefined;
  return same && !marked ? generation : generation + 1;
}

/** A kind without a status, such as a Secret, is whole without it. */
function withoutStatus(live: KubeObject, next: KubeObject): KubeObject {
  const { status: _ignored, ...rest } = next;
  return { ...rest, ...('status' in live ? { status: live['status'] } : {}) };
}
