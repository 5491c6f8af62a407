import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import type { KindRef } from './rest.ts';

/**
 * An answer as an object of the kind that was asked for: items of a list leave apiVersion and kind out, and
 * metadata alone comes as PartialObjectMetadata.
 */
export function objectOf(kind: KindRef, answer: unknown): KubeObject {
  const metadata = at(answer, 'metadata');
  if (!isRecord(answer) || !isRecord(metadata) || asString(metadata['name']) === undefined) {
    throw new KubepkgError(
      'ApiServerError',
      `the API server sent something else than ${kind.kind} of ${kind.apiVersion}`,
    );
  }
  const own = asString(answer['kind']);
  const known = own === undefined || own === 'PartialObjectMetadata';
  return (known ? { ...answer, apiVersion: kind.apiVersion, kind: kind.kind } : answer) as KubeObject;
}

/** What a write leaves behind: the object, or only its name when the server says no more than that it is gone. */
export function writtenObject(target: ObjectRef, answer: unknown): KubeObject {
  if (at(answer, 'kind') !== 'Status') return objectOf(target, answer);
  const uid = asString(at(answer, 'details', 'uid'));
  const { name, namespace } = target;
  return {
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) },
  };
}

export interface Page {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Token of the page after this one. */
  readonly next: string | undefined;
}

export function pageOf(kind: KindRef, answer: unknown): Page {
  const next = asString(at(answer, 'metadata', 'continue'));
  return {
    items: asArray(at(answer, 'items')).map((item) => objectOf(kind, item)),
    resourceVersion: asString(at(answer, 'metadata', 'resourceVersion')) ?? '',
    next: next === '' ? undefined : next,
  };
}
