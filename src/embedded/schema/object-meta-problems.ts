import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { forbidden, invalidValue, required, tooLong } from '../model/causes.ts';
import type { JsonMap } from '../model/object.ts';
import type { StatusCause } from '../model/status-error.ts';
import { isDnsSubdomain, isLabelKey, isLabelValue, type JudgeName } from './names.ts';

const ANNOTATIONS_MAX = 256 * 1024;

/** What is wrong with the metadata of a whole object; `old` is the one that it replaces. */
export function metadataProblems(
  object: JsonMap,
  old: JsonMap | undefined,
  isName: JudgeName = isDnsSubdomain,
): readonly StatusCause[] {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const common = [
    ...labelProblems(metadata['labels'], 'metadata.labels'),
    ...annotationProblems(metadata['annotations'], 'metadata.annotations'),
    ...ownerProblems(metadata['ownerReferences']),
  ];
  if (old === undefined) {
    return [...nameProblems(metadata, isName), ...common, ...finalizerProblems(metadata['finalizers'])];
  }
  return [...newFinalizers(metadata, old), ...common];
}

function nameProblems(metadata: JsonMap, isName: JudgeName): readonly StatusCause[] {
  const name = asString(metadata['name']) ?? '';
  const prefix = asString(metadata['generateName']) ?? '';
  // What comes after it is alphanumeric.
  const prefixed = prefix === '' ? [] : isName(prefix.replace(/-$/, 'a'));
  return [
    ...prefixed.map((message) => invalidValue('metadata.generateName', prefix, message)),
    ...(name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : isName(name).map((message) => invalidValue('metadata.name', name, message))),
  ];
}

export function labelProblems(labels: unknown, path: string): readonly StatusCause[] {
  return Object.entries(isRecord(labels) ? labels : {}).flatMap(([key, value]) => [
    ...isLabelKey(key).map((message) => invalidValue(path, key, message)),
    ...isLabelValue(String(value)).map((message) => invalidValue(path, value, message)),
  ]);
}

export function annotationProblems(annotations: unknown, path: string): readonly StatusCause[] {
  const entries = Object.entries(isRecord(annotations) ? annotations : {});
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return [
    ...entries.flatMap(([key]) => isLabelKey(key.toLowerCase()).map((message) => invalidValue(path, key, message))),
    ...(size > ANNOTATIONS_MAX ? [tooLong(path, ANNOTATIONS_MAX)] : []),
  ];
}

function ownerProblems(owners: unknown): readonly StatusCause[] {
  const list = asArray(owners);
  const path = 'metadata.ownerReferences';
  const controllers = list.filter((owner) => at(owner, 'controller') === true).map(shownOwner);
  const [first] = controllers;
  return [
    ...list.flatMap((owner) =>
      ['apiVersion', 'kind', 'name', 'uid']
        .filter((field) => (asString(at(owner, field)) ?? '') === '')
        .map((field) => {
          const what = field === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
          return invalidValue(`${path}.${field}`, '', what);
        }),
    ),
    ...controllers.slice(1).map((other) => {
      const found = `Found "true" in references for ${String(first)} and ${other}`;
      return invalidValue(path, list.map(ordered), `Only one reference can have Controller set to true. ${found}`);
    }),
  ];
}

/** In the order of its fields in Go. */
function ordered(owner: unknown): JsonMap {
  const fields = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];
  return Object.fromEntries(
    fields.flatMap((field) => (at(owner, field) === undefined ? [] : [[field, at(owner, field)]])),
  );
}

function shownOwner(owner: unknown): string {
  return `${String(at(owner, 'kind'))}/${String(at(owner, 'name'))}`;
}

function finalizerProblems(finalizers: unknown): readonly StatusCause[] {
  return asArray(finalizers).flatMap((finalizer) => {
    return isLabelKey(String(finalizer)).map((message) => invalidValue('metadata.finalizers', finalizer, message));
  });
}

/** An object that is being deleted takes no more finalizers. */
function newFinalizers(metadata: JsonMap, old: JsonMap): readonly StatusCause[] {
  if (at(old, 'metadata', 'deletionTimestamp') === undefined) return [];
  const before = asArray(at(old, 'metadata', 'finalizers'));
  const added = asArray(metadata['finalizers'])
    .filter((finalizer) => !before.includes(finalizer))
    .sort();
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden('metadata.finalizers', detail)];
}
