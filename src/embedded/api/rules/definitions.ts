import { asArray, asString, at, isRecord } from '../../../lib/json.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { type Core, timeNow } from '../core.ts';
import { sameJson } from '../equal.ts';
import { groupPlural } from '../traits.ts';
import { acceptedNames, type Names, namesOf } from './accepted-names.ts';
import { childOf, type KindRules } from './kind-rules.ts';

const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const KEY = 'apiextensions.k8s.io/customresourcedefinitions';
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
const MANAGER = 'kube-apiserver';
/** How often the API server looks whether the instances of a deleted definition are gone. */
const LAST_LOOK_MS = 5000;

/** A definition is accepted, and its kind served, as soon as it is written. */
export const CRD_RULES: KindRules = {
  create: (_core, object) => ({
    ...object,
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storedVersions(object, []),
    },
  }),
  update: (_core, { object }) => {
    const status = childOf(object, 'status');
    return {
      ...object,
      status: { ...status, storedVersions: storedVersions(object, asArray(status['storedVersions'])) },
    };
  },
  written: (core, object) => {
    if (object.metadata.deletionTimestamp !== undefined) cleanUp(core, object);
    else accept(core, object);
  },
  known: (core, object) => {
    if (isTrue(object, 'Established')) core.kinds.define(withNames(object, acceptedOf(object)));
  },
  forgotten: (core, object) => {
    core.kinds.undefine(groupPlural(namesOfKind(object)));
  },
  goOn: (core, object) => {
    if (object.metadata.deletionTimestamp === undefined || core.store.count(groupPlural(namesOfKind(object))) > 0)
      return;
    core.clock.after(LAST_LOOK_MS, () => {
      finishCleanUp(core, object.metadata.name);
    });
  },
  removed: (core, object) => {
    core.kinds.undefine(groupPlural(namesOfKind(object)));
    // Names that it held are free for others now.
    for (const other of core.store.all(KEY)) {
      if (groupOf(other) === groupOf(object) && other.metadata.deletionTimestamp === undefined) accept(core, other);
    }
  },
};

/** An instance has gone: perhaps the last one that a deleted definition waited for. */
export function instanceRemoved(core: Core, resource: Resource): void {
  if (!isTerminating(core, resource) || core.store.count(groupPlural(resource)) > 0) return;
  // Who cares for what the last instance owned has to know its kind.
  core.clock.after(LAST_LOOK_MS, () => {
    finishCleanUp(core, `${resource.plural}.${resource.group}`);
  });
}

/** Of a definition that is being deleted, nothing new is made. */
export function isTerminating(core: Core, resource: Resource): boolean {
  const crd = core.store.get(KEY, `/${resource.plural}.${resource.group}`);
  return crd?.metadata.deletionTimestamp !== undefined;
}

function storedVersions(crd: JsonMap, known: readonly unknown[]): readonly unknown[] {
  const storing = asArray(at(crd, 'spec', 'versions')).find((version) => at(version, 'storage') === true);
  const name = at(storing, 'name');
  return name === undefined || known.includes(name) ? known : [...known, name];
}

function namesOfKind(crd: JsonMap): { readonly group: string; readonly plural: string } {
  return { group: groupOf(crd), plural: asString(at(crd, 'spec', 'names', 'plural')) ?? '' };
}

function groupOf(crd: JsonMap): string {
  return asString(at(crd, 'spec', 'group')) ?? '';
}

function accept(core: Core, crd: StoredObject): void {
  const others = core.store
    .all(KEY)
    .filter((other) => groupOf(other) === groupOf(crd) && other.metadata.name !== crd.metadata.name)
    .map((other) => acceptedOf(other));
  const { names, problem } = acceptedNames(namesOf(childOf(crd, 'spec')['names']), acceptedOf(crd), others);
  const isEstablished = isTrue(crd, 'Established');
  const accepted = problem ?? { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const established =
    isEstablished || accepted.status === 'True'
      ? { status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
      : { status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  if (established.status === 'True') core.kinds.define(withNames(crd, names));
  writeStatus(core, crd, {
    ...childOf(crd, 'status'),
    conditions: withConditions(core, crd, [
      { type: 'NamesAccepted', ...accepted },
      { type: 'Established', ...established },
    ]),
    acceptedNames: names,
  });
}

/** What is served has the names that were accepted, which need not be those that are asked for. */
function withNames(crd: StoredObject, names: Names): StoredObject {
  return { ...crd, spec: { ...childOf(crd, 'spec'), names } };
}

function acceptedOf(crd: StoredObject): Names {
  return namesOf(childOf(crd, 'status')['acceptedNames']);
}

function isTrue(crd: StoredObject, type: string): boolean {
  return asArray(at(crd, 'status', 'conditions')).some(
    (own) => at(own, 'type') === type && at(own, 'status') === 'True',
  );
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** New ones at the end; the time is that of the last change of the status. */
export function withConditions(core: Core, crd: StoredObject, conditions: readonly Condition[]): readonly JsonMap[] {
  const known = asArray(at(crd, 'status', 'conditions')).filter(isRecord);
  return conditions.reduce<readonly JsonMap[]>((all, condition) => {
    const former = all.find((own) => own['type'] === condition.type);
    const isOld = former?.['status'] === condition.status;
    const next = { ...condition, lastTransitionTime: isOld ? former['lastTransitionTime'] : timeNow(core) };
    return former === undefined ? [...all, next] : all.map((own) => (own === former ? next : own));
  }, known);
}

function writeStatus(core: Core, crd: StoredObject, status: JsonMap): void {
  if (sameJson(status, crd['status'])) return;
  const target = { ...CRDS, name: crd.metadata.name, subresource: 'status' as const };
  core.api.update(target, { ...crd, status }, { fieldManager: MANAGER });
}

const IN_PROGRESS: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

function isInProgress(crd: StoredObject): boolean {
  return asArray(at(crd, 'status', 'conditions')).some((own) => at(own, 'reason') === IN_PROGRESS.reason);
}

/** The instances of a definition go before it does; those with finalizers hold it. */
function cleanUp(core: Core, crd: StoredObject): void {
  if (!(crd.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER)) return;
  if (!isInProgress(crd)) {
    // What it writes brings the rest.
    writeStatus(core, crd, { ...childOf(crd, 'status'), conditions: withConditions(core, crd, [IN_PROGRESS]) });
    return;
  }
  const kind = namesOfKind(crd);
  if (core.store.count(groupPlural(kind)) === 0) finishCleanUp(core, crd.metadata.name);
  else deleteInstances(core, groupPlural(kind));
}

function deleteInstances(core: Core, kind: string): void {
  const served = core.api.resources().find((own) => own.custom && groupPlural(own) === kind);
  if (served === undefined) return;
  const { group, version, plural } = served;
  const instances = core.store.all(kind).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (const { metadata } of instances) {
    const { name, namespace } = metadata;
    core.api.delete({ group, version, plural, name, namespace });
  }
}

/** The instances are gone, and so is what held it. */
function finishCleanUp(core: Core, name: string): void {
  const crd = core.store.get(KEY, `/${name}`);
  const finalizers = crd?.metadata.finalizers ?? [];
  if (crd === undefined || !finalizers.includes(CLEANUP_FINALIZER)) return;
  const rest = finalizers.filter((own) => own !== CLEANUP_FINALIZER);
  const metadata = { ...crd.metadata, finalizers: rest };
  core.api.update({ ...CRDS, name }, { ...crd, metadata }, { fieldManager: MANAGER });
}
