import { KubepkgError } from '../../src/api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey, refOf } from '../../src/api/kube.ts';
import { isRecord } from '../../src/lib/json.ts';
import { stableJson } from '../../src/lib/stable-json.ts';
import type {
  Cluster,
  ObjectList,
  Selection,
  ServedKind,
  Subscription,
  WatchEvent,
  WriteRequest,
} from '../../src/ports/cluster.ts';

interface Watcher {
  readonly selection: Selection;
  readonly onEvent: (event: WatchEvent) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/** As much of an API server as the command line sees of it: objects, generations, defaults, one applying manager. */
export class CliCluster implements Cluster {
  readonly #objects = new Map<string, KubeObject>();
  readonly #watchers = new Set<Watcher>();
  /** What was applied last, by object: server-side apply takes away what is left out. */
  readonly #applied = new Map<string, Fields>();
  /** Every write, dry runs included. */
  readonly writes: WriteRequest[] = [];
  /** Kinds that are not served. */
  readonly missingKinds = new Set<string>();
  /** Thrown by everything while it is set. */
  failure: KubepkgError | undefined;
  /** Thrown by every write while it is set. */
  writeFailure: KubepkgError | undefined;
  /** Called after each write that was no dry run: the operator's turn. */
  onWrite: (object: KubeObject) => void = () => undefined;

  /** Objects as they were applied, dry runs left out. */
  written(): readonly KubeObject[] {
    return this.writes.flatMap((write) => (write.verb === 'apply' && write.dryRun !== true ? [write.object] : []));
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Puts an object there as the operator or another user would. */
  set(object: KubeObject): void {
    this.#objects.set(refKey(refOf(object)), object);
    this.#tell({ type: 'set', object });
  }

  remove(ref: ObjectRef): void {
    const object = this.#objects.get(refKey(ref));
    this.#objects.delete(refKey(ref));
    if (object !== undefined) this.#tell({ type: 'gone', object });
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(refKey(ref));
  }

  disturb(error: KubepkgError): void {
    for (const { onEvent } of this.#watchers) onEvent({ type: 'disturbed', error });
  }

  async read(ref: ObjectRef): Promise<KubeObject | undefined> {
    await this.#answer();
    return this.get(ref);
  }

  async list(selection: Selection): Promise<ObjectList> {
    await this.#answer();
    return { items: this.#select(selection), resourceVersion: '1' };
  }

  async write(request: WriteRequest): Promise<KubeObject> {
    await this.#answer();
    if (this.writeFailure !== undefined) throw this.writeFailure;
    this.writes.push(request);
    if (request.verb === 'merge-patch') return this.#patch(request);
    if (request.verb === 'delete') return this.#delete(request);
    if (request.verb !== 'apply') throw new Error(`the command line does not ${request.verb}`);
    const key = refKey(refOf(request.object));
    const next = this.#applyTo(this.#objects.get(key), request.object);
    if (request.dryRun === true) return next;
    this.#applied.set(key, request.object);
    this.set(next);
    this.onWrite(next);
    return next;
  }

  #patch({ ref, patch, dryRun }: Extract<WriteRequest, { readonly verb: 'merge-patch' | 'json-patch' }>): KubeObject {
    const before = this.#require(ref);
    const merged = mergePatch(before, patch) as KubeObject;
    const generation = nextGeneration(before, merged['spec']);
    const next = { ...merged, metadata: { ...merged.metadata, generation } };
    if (dryRun === true) return next;
    this.set(next);
    this.onWrite(next);
    return next;
  }

  /** What has finalizers goes when somebody takes them away. */
  #delete({ ref, dryRun }: Extract<WriteRequest, { readonly verb: 'delete' }>): KubeObject {
    const before = this.#require(ref);
    const next = { ...before, metadata: { ...before.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
    if (dryRun === true) return next;
    if ((before.metadata.finalizers ?? []).length === 0) this.remove(ref);
    else this.set(next);
    this.onWrite(next);
    return next;
  }

  #require(ref: ObjectRef): KubeObject {
    const object = this.#objects.get(refKey(ref));
    if (object !== undefined) return object;
    throw new KubepkgError('ApiNotFound', `${nameOf(ref)} does not exist`);
  }

  watch(selection: Selection, onEvent: (event: WatchEvent) => void): Subscription {
    const watcher = { selection, onEvent };
    this.#watchers.add(watcher);
    queueMicrotask(() => {
      for (const object of this.#select(selection)) onEvent({ type: 'set', object });
      if (this.#watchers.has(watcher)) onEvent({ type: 'synced' });
    });
    return { stop: () => this.#watchers.delete(watcher) };
  }

  async logs(): Promise<undefined> {
    await this.#answer();
  }

  async served(_apiVersion: string, kind = ''): Promise<ServedKind | undefined> {
    await this.#answer();
    return this.missingKinds.has(kind) ? undefined : { plural: `${kind.toLowerCase()}s`, namespaced: false };
  }

  #answer(): Promise<void> {
    return this.failure === undefined ? Promise.resolve() : Promise.reject(this.failure);
  }

  #select(selection: Selection): readonly KubeObject[] {
    return [...this.#objects.values()].filter((object) => isSelected(object, selection));
  }

  #tell(event: Extract<WatchEvent, { readonly object: KubeObject }>): void {
    for (const { selection, onEvent } of [...this.#watchers]) if (isSelected(event.object, selection)) onEvent(event);
  }

  #applyTo(before: KubeObject | undefined, config: KubeObject): KubeObject {
    const given = config['spec'] ?? {};
    const dropped = this.#applied.get(refKey(refOf(config)))?.['spec'] ?? {};
    const spec = merge(merge(DEFAULTS[config.kind] ?? {}, without(before?.['spec'] ?? {}, dropped)), given);
    const { apiVersion } = config;
    const managedFields = [
      { manager: 'kubepkg', operation: 'Apply', apiVersion, fieldsV1: { 'f:spec': fieldsOf(given) } },
    ];
    const metadata = {
      ...before?.metadata,
      ...config.metadata,
      generation: nextGeneration(before, spec),
      managedFields,
    };
    return { ...before, ...config, metadata, spec };
  }
}

function nextGeneration(before: KubeObject | undefined, spec: unknown): number {
  if (before === undefined) return 1;
  const generation = before.metadata.generation ?? 1;
  return stableJson(before['spec']) === stableJson(spec) ? generation : generation + 1;
}

const DEFAULTS: Readonly<Record<string, Fields>> = {
  Package: { variant: 'default', revisionHistoryLimit: 10 },
  PackageSource: { build: 0 },
};

function isSelected(object: KubeObject, selection: Selection): boolean {
  if (object.kind !== selection.kind || object.apiVersion !== selection.apiVersion) return false;
  const { fieldSelector, labelSelector } = selection;
  if (fieldSelector !== undefined && fieldSelector !== `metadata.name=${object.metadata.name}`) return false;
  return labelSelector === undefined || hasLabel(object, labelSelector);
}

/** `key=value` or `key in (a,b)`. */
function hasLabel({ metadata }: KubeObject, selector: string): boolean {
  const [key = '', values = ''] = selector.split(/=| in /);
  return values
    .replace(/[()]/g, '')
    .split(',')
    .includes(metadata.labels?.[key] ?? '');
}

function merge(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = key in base ? merge(base[key], value) : value;
  return merged;
}

/** RFC 7386. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, key);
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

function without(value: unknown, dropped: unknown): unknown {
  if (!isRecord(value) || !isRecord(dropped)) return value;
  const kept = Object.entries(value).flatMap(([key, item]) => {
    if (!(key in dropped)) return [[key, item] as const];
    const rest = isRecord(dropped[key]) && isRecord(item) ? without(item, dropped[key]) : undefined;
    return isRecord(rest) && Object.keys(rest).length > 0 ? [[key, rest] as const] : [];
  });
  return Object.fromEntries(kept);
}

function fieldsOf(value: unknown): unknown {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [`f:${key}`, fieldsOf(item)]));
}
