import { asKubepkgError, KubepkgError } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refOf } from '../../api/kube.ts';
import { type Doing, failureError, failureOf } from '../../api/kube-failure.ts';
import { FIELD_MANAGER } from '../../api/names.ts';
import { isRecord } from '../../lib/json.ts';
import type {
  Cluster,
  LogRequest,
  ObjectList,
  Selection,
  ServedKind,
  Subscription,
  WatchEvent,
  WriteRequest,
} from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import type { EmbeddedApi, PatchType, Target, WriteOptions } from '../model/api.ts';
import type { JsonMap } from '../model/object.ts';
import { apiVersionOf, type Resource, type SubresourceName } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { ClusterWatch } from './cluster-watch.ts';

export interface EmbeddedClusterOptions {
  readonly fieldManager?: string;
  /** Groups whose objects are written with `fieldValidation=Strict`. */
  readonly strictGroups?: readonly string[];
}

/** The embedded API as the port that the rest of kubepkg knows, without a network between. */
export function createEmbeddedCluster(api: EmbeddedApi, clock: Clock, options: EmbeddedClusterOptions = {}): Cluster {
  return new EmbeddedCluster(api, clock, options);
}

class EmbeddedCluster implements Cluster {
  readonly #api: EmbeddedApi;
  readonly #clock: Clock;
  readonly #options: EmbeddedClusterOptions;

  constructor(api: EmbeddedApi, clock: Clock, options: EmbeddedClusterOptions) {
    this.#api = api;
    this.#clock = clock;
    this.#options = options;
  }

  read(ref: ObjectRef, options: { readonly metadataOnly?: boolean } = {}): Promise<KubeObject | undefined> {
    return this.#answer({ what: `read ${nameOf(ref)}` }, () => {
      const target = this.#target(ref);
      try {
        const object = this.#api.get(target);
        return options.metadataOnly === true ? metadataOf(object) : object;
      } catch (error) {
        if (error instanceof StatusError && error.reason === 'NotFound') return undefined;
        throw error;
      }
    });
  }

  list(selection: Selection): Promise<ObjectList> {
    return this.#answer(doingList(selection, 'list'), () => {
      const { items, resourceVersion } = this.#api.list(this.#collection(selection), selectorsOf(selection));
      return { items: selection.metadataOnly === true ? items.map(metadataOf) : items, resourceVersion };
    });
  }

  write(request: WriteRequest): Promise<KubeObject> {
    return this.#answer(doingWrite(request), () => this.#write(request));
  }

  watch(selection: Selection, onEvent: (event: WatchEvent) => void): Subscription {
    return new ClusterWatch({
      clock: this.#clock,
      selection,
      onEvent,
      open: (onStoreEvent, onEnd) => {
        const target = this.#collection(selection);
        return this.#api.watch(target, { ...selectorsOf(selection), onEnd }, onStoreEvent);
      },
      asError: (error) => errorOf(doingList(selection, 'watch'), error),
    });
  }

  served(apiVersion: string, kind?: string): Promise<ServedKind | undefined> {
    return this.#answer({ what: `discover the kinds of ${apiVersion}` }, () => {
      const found = this.#find(apiVersion, kind);
      return found === undefined ? undefined : { plural: found.plural, namespaced: found.namespaced };
    });
  }

  logs({ namespace, pod, ...request }: LogRequest): Promise<string | undefined> {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name: pod };
    return this.#answer({ what: `read the log of ${nameOf(ref)}` }, () => {
      try {
        return this.#api.log(this.#target(ref), request).text;
      } catch (error) {
        if (error instanceof StatusError && (error.code === 404 || error.code === 400)) return undefined;
        throw error;
      }
    });
  }

  /** Over when the promise is given; refusals come as those of the real client do. */
  #answer<T>(doing: Doing, effect: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      try {
        resolve(effect());
      } catch (error) {
        reject(asKubepkgError(errorOf(doing, error)));
      }
    });
  }

  #write(request: WriteRequest): KubeObject {
    if (request.verb === 'delete') return this.#delete(request);
    const ref = 'ref' in request ? request.ref : refOf(request.object);
    const target: Target = { ...this.#target(ref), subresource: request.subresource as SubresourceName | undefined };
    const options = this.#writeOptions(request, ref);
    switch (request.verb) {
      case 'create': {
        const { name: _name, ...collection } = target;
        const isSubresource = target.subresource !== undefined;
        return this.#api.create(isSubresource ? target : collection, bodyOf(request.object), options).object;
      }
      case 'replace':
        requireVersion(request.object);
        return this.#api.update(target, bodyOf(request.object), options).object;
      case 'apply': {
        const force = request.force ?? false;
        return this.#api.patch(target, { type: 'apply', body: bodyOf(request.object), force }, options).object;
      }
      case 'merge-patch':
      case 'json-patch':
        return this.#api.patch(target, { type: PATCH_TYPE[request.verb], body: asJson(request.patch) }, options).object;
    }
  }

  #delete(request: Extract<WriteRequest, { readonly verb: 'delete' }>): KubeObject {
    const { ref, propagation, uid, resourceVersion, dryRun } = request;
    return this.#api.delete(this.#target(ref), {
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
      preconditions: {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    });
  }

  #writeOptions({ dryRun = false }: { readonly dryRun?: boolean }, { apiVersion }: ObjectRef): WriteOptions {
    const { fieldManager = FIELD_MANAGER, strictGroups = [] } = this.#options;
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return { fieldManager, dryRun, ...(strictGroups.includes(group) ? { fieldValidation: 'Strict' } : {}) };
  }

  #target(ref: ObjectRef): Target {
    const { name, namespace } = ref;
    const resource = this.#resource(ref.apiVersion, ref.kind);
    if (resource.namespaced && namespace === undefined) {
      throw new KubepkgError('ApiInvalid', `${nameOf(ref)} has no namespace`, {
        hint: `${ref.kind} is a namespaced kind: set metadata.namespace`,
      });
    }
    return { ...placeOf(resource, namespace), name: pathSegment(name) };
  }

  #collection({ apiVersion, kind, namespace }: Selection): Target {
    return placeOf(this.#resource(apiVersion, kind), namespace);
  }

  #resource(apiVersion: string, kind: string): Resource {
    const found = this.#find(apiVersion, kind);
    if (found !== undefined) return found;
    throw new KubepkgError('KindNotServed', `the API server does not serve ${kind} of ${apiVersion}`, {
      hint: 'install the CustomResourceDefinition that defines it, or correct apiVersion and kind',
    });
  }

  #find(apiVersion: string, kind: string | undefined): Resource | undefined {
    return this.#api
      .resources()
      .find((resource) => apiVersionOf(resource) === apiVersion && (kind === undefined || resource.kind === kind));
  }
}

const PATCH_TYPE: Readonly<Record<'merge-patch' | 'json-patch', PatchType>> = {
  'merge-patch': 'merge',
  'json-patch': 'json',
};

function placeOf({ group, version, plural, namespaced }: Resource, namespace: string | undefined): Target {
  return {
    group,
    version,
    plural,
    namespace: namespaced && namespace !== undefined ? pathSegment(namespace) : undefined,
  };
}

/** What would lead to another path in HTTP names nothing here. */
function pathSegment(text: string): string {
  if (text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text)) return text;
  throw new KubepkgError('ApiInvalid', `${JSON.stringify(text)} cannot be a name or a namespace`, {
    hint: 'it must not be empty, "." or "..", and must not contain "/" or "%"',
  });
}

function selectorsOf({ labelSelector, fieldSelector }: Selection): {
  readonly labelSelector: string;
  readonly fieldSelector: string;
} {
  return { labelSelector: labelSelector ?? '', fieldSelector: fieldSelector ?? '' };
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}

/** As HTTP would carry it: without what is undefined. Nobody changes an object in place, so that its parts may be shared. */
function bodyOf(object: KubeObject): JsonMap {
  return asJson(object) as JsonMap;
}

function asJson(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => (item === undefined ? null : asJson(item)));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return isRecord(value) ? jsonMap(value) : value;
}

function jsonMap(map: JsonMap): JsonMap {
  const plain: Record<string, unknown> = {};
  let isPlain = true;
  for (const [key, value] of Object.entries(map)) {
    if (value !== undefined) plain[key] = asJson(value);
    isPlain &&= value !== undefined && plain[key] === value;
  }
  return isPlain ? map : plain;
}

function requireVersion(object: KubeObject): void {
  const { resourceVersion = '' } = object.metadata;
  if (resourceVersion !== '') return;
  throw new KubepkgError('ApiInvalid', `cannot replace ${nameOf(refOf(object))}: it has no metadata.resourceVersion`, {
    hint: 'replace what was read before, so that no change of others is lost',
  });
}

function doingWrite(request: WriteRequest): Doing {
  const target = 'ref' in request ? request.ref : refOf(request.object);
  const subresource = request.verb === 'delete' ? undefined : request.subresource;
  const part = subresource === undefined ? '' : `the ${subresource} of `;
  return { what: `${request.verb} ${part}${nameOf(target)}`, secret: target.kind === 'Secret' };
}

function doingList({ apiVersion, kind, namespace }: Selection, verb: 'list' | 'watch'): Doing {
  const place = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return { what: `${verb} ${kind} of ${apiVersion}${place}` };
}

function errorOf(doing: Doing, error: unknown): unknown {
  if (!(error instanceof StatusError)) return error;
  const retryAfter = error.details?.retryAfterSeconds;
  return failureError(
    doing,
    failureOf(error.toJson(), error.code),
    retryAfter === undefined ? undefined : retryAfter * 1000,
  );
}
