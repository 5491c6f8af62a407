import { FIELD_MANAGER } from '../../api/names.ts';
import { KubepkgError } from '../../api/errors.ts';
import { nameOf, type ObjectRef, refOf } from '../../api/kube.ts';
import { assertNever } from '../../lib/assert-never.ts';
import type { Selection, ServedKind, WriteRequest } from '../../ports/cluster.ts';
import type { Doing } from './errors.ts';
import { collectionPath, createPath, objectPath, type Query, withQuery } from './paths.ts';
import type { HttpRequest } from './transport.ts';

const PAGE_SIZE = 500;

const CONTENT_TYPE = {
  apply: 'application/apply-patch+yaml',
  'merge-patch': 'application/merge-patch+json',
  'json-patch': 'application/json-patch+json',
} as const;

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** The object that a write is about. */
export function targetOf(request: WriteRequest): ObjectRef {
  return 'ref' in request ? request.ref : refOf(request.object);
}

export function doingWrite(request: WriteRequest): Doing {
  const target = targetOf(request);
  const subresource = request.verb === 'delete' ? undefined : request.subresource;
  const part = subresource === undefined ? '' : `the ${subresource} of `;
  return { what: `${request.verb} ${part}${nameOf(target)}`, secret: target.kind === 'Secret' };
}

export function doingList(selection: Selection, verb: 'list' | 'watch'): Doing {
  const place = selection.namespace === undefined ? '' : ` in namespace ${selection.namespace}`;
  return { what: `${verb} ${selection.kind} of ${selection.apiVersion}${place}` };
}

export function readRequest(ref: ObjectRef, served: ServedKind, metadataOnly: boolean): HttpRequest {
  return { method: 'GET', path: objectPath(ref, served), accept: metadataOnly ? METADATA_ONLY : undefined };
}

export function listRequest(selection: Selection, served: ServedKind, continueToken: string | undefined): HttpRequest {
  const query = { ...selectors(selection), limit: String(PAGE_SIZE), continue: continueToken };
  return {
    method: 'GET',
    path: withQuery(collectionPath(selection.apiVersion, served, selection.namespace), query),
    accept: selection.metadataOnly === true ? METADATA_LIST_ONLY : undefined,
  };
}

export interface WatchFrom {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
}

export function watchRequest(selection: Selection, served: ServedKind, from: WatchFrom): HttpRequest {
  const query = {
    ...selectors(selection),
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: from.resourceVersion,
    timeoutSeconds: String(from.timeoutSeconds),
  };
  return {
    method: 'GET',
    path: withQuery(collectionPath(selection.apiVersion, served, selection.namespace), query),
    accept: selection.metadataOnly === true ? METADATA_ONLY : undefined,
  };
}

function selectors(selection: Selection): Query {
  return { labelSelector: selection.labelSelector, fieldSelector: selection.fieldSelector };
}

export function writeRequest(request: WriteRequest, served: ServedKind, extra: Query): HttpRequest {
  const query: Query = { ...extra, dryRun: request.dryRun === true ? 'All' : undefined };
  switch (request.verb) {
    case 'create': {
      const path = createPath(refOf(request.object), served, request.subresource);
      return send('POST', withQuery(path, managed(query)), request.object);
    }
    case 'replace': {
      requireResourceVersion(request.object.metadata.resourceVersion, refOf(request.object));
      const path = objectPath(refOf(request.object), served, request.subresource);
      return send('PUT', withQuery(path, managed(query)), request.object);
    }
    case 'apply': {
      const path = objectPath(refOf(request.object), served, request.subresource);
      const forced = { ...managed(query), force: request.force === true ? 'true' : undefined };
      return { ...send('PATCH', withQuery(path, forced), request.object), contentType: CONTENT_TYPE.apply };
    }
    case 'merge-patch':
    case 'json-patch': {
      const path = objectPath(request.ref, served, request.subresource);
      return {
        ...send('PATCH', withQuery(path, managed(query)), request.patch),
        contentType: CONTENT_TYPE[request.verb],
      };
    }
    case 'delete':
      return send('DELETE', objectPath(request.ref, served), deleteOptions(request));
    default:
      return assertNever(request, 'write request');
  }
}

function managed(query: Query): Query {
  return { fieldManager: FIELD_MANAGER, ...query };
}

function send(method: HttpRequest['method'], path: string, body: unknown): HttpRequest {
  return { method, path, body: JSON.stringify(body) };
}

function deleteOptions(request: Extract<WriteRequest, { verb: 'delete' }>): unknown {
  const { propagation, uid, resourceVersion, dryRun } = request;
  // Those that are undefined are left out of the JSON.
  const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    // Beside a body the API server ignores the query.
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    preconditions,
  };
}

function requireResourceVersion(resourceVersion: string | undefined, ref: ObjectRef): void {
  if (resourceVersion !== undefined && resourceVersion !== '') return;
  throw new KubepkgError('ApiInvalid', `cannot replace ${nameOf(ref)}: it has no metadata.resourceVersion`, {
    hint: 'replace what was read before, so that no change of others is lost',
  });
}
