import { asArray, at } from '../../lib/json.ts';
import { formatSeconds, parseTime } from '../../lib/time.ts';
import type { DeleteOptions, Target } from '../model/api.ts';
import type { StoredMeta, StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { type Core, putObject, requireLive, timeNow } from './core.ts';
import { sameJson } from './equal.ts';
import { CLEANUP_FINALIZER, withConditions } from './rules/definitions.ts';
import { afterWrite } from './rules/rules.ts';
import { conflict, forbidden } from './refusals.ts';
import { isKind } from './traits.ts';
import { finish } from './update.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

export function deleteObject(core: Core, target: Target, options: DeleteOptions): StoredObject {
  const resource = core.kinds.require(target);
  const live = requireLive(core, resource, target);
  checkPreconditions(resource, live, options);
  checkProtected(resource, live);
  core.admit({
    operation: 'DELETE',
    resource,
    target,
    object: undefined,
    before: live,
    dryRun: options.dryRun ?? false,
  });
  const { object, isHeld } = outcomeOf(core, resource, { live, options });
  if (!isHeld) return options.dryRun === true ? object : finish(core, resource, object);
  if (options.dryRun === true || sameJson(object, live)) return object;
  const stored = putObject(core, resource, object);
  afterWrite(core, resource, { before: live, object: stored });
  return stored;
}

/** The object as it waits for its end, or as it was at the last when nothing holds it. */
interface Outcome {
  readonly object: StoredObject;
  readonly isHeld: boolean;
}

function outcomeOf(core: Core, resource: Resource, deletion: Deletion): Outcome {
  const { live } = deletion;
  const isFirst = live.metadata.deletionTimestamp === undefined;
  if (isKind(resource, '', 'namespaces')) return namespaceOutcome(core, deletion);
  if (isDefinition(resource) && isFirst) return { object: markedDefinition(core, live), isHeld: true };
  if (isKind(resource, '', 'pods')) return podOutcome(core, resource, deletion);
  const finalizers = finalizersAfter(resource, deletion);
  if (finalizers.length === 0) return { object: withFinalizers(live, []), isHeld: false };
  return { object: withFinalizers(marking(core, live), finalizers), isHeld: true };
}

/** A pod lasts until the kubelet has stopped it, or its time of grace is over. */
function podOutcome(core: Core, resource: Resource, deletion: Deletion): Outcome {
  const grace = gracefully(core, deletion);
  if (grace === 'pending') return { object: deletion.live, isHeld: true };
  const finalizers = finalizersAfter(resource, deletion);
  if (grace === 'over') {
    if (finalizers.length === 0) return { object: deletion.live, isHeld: false };
    return { object: withFinalizers(marking(core, deletion.live), finalizers), isHeld: true };
  }
  const isHeld = finalizers.length > 0 || (grace.metadata.deletionGracePeriodSeconds ?? 0) > 0;
  return { object: withFinalizers(grace, finalizers), isHeld };
}

interface Deletion {
  readonly live: StoredObject;
  readonly options: DeleteOptions;
}

const PROTECTED: readonly string[] = ['default', 'kube-system', 'kube-public'];

function checkProtected(resource: Resource, { metadata }: StoredObject): void {
  if (!isKind(resource, '', 'namespaces') || !PROTECTED.includes(metadata.name)) return;
  throw forbidden(resource, metadata.name, { why: 'this namespace may not be deleted' });
}

function checkPreconditions(
  resource: Resource,
  { metadata }: StoredObject,
  { preconditions = {} }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    throw unmet(resource, metadata.name, {
      field: 'UID',
      wanted: uid,
      found: metadata.uid,
      hint: 'The object might have been deleted and then recreated',
    });
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw unmet(resource, metadata.name, {
      field: 'ResourceVersion',
      wanted: resourceVersion,
      found: metadata.resourceVersion,
      hint: 'The object might have been modified',
    });
  }
}

interface Unmet {
  readonly field: string;
  readonly wanted: string;
  readonly found: string;
  readonly hint: string;
}

/** Namespaces and definitions are looked at before all others, and refused in other words. */
function unmet(resource: Resource, name: string, { field, wanted, found, hint }: Unmet): Error {
  if (isKind(resource, '', 'namespaces') || isDefinition(resource)) {
    const why = `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`;
    return conflict(resource, name, why);
  }
  const why = `the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found}). ${hint}`;
  return conflict({ group: resource.group, plural: resource.kind }, name, why);
}

/** The first request closes the namespace; it ends when nothing is in it any more, which its finalizers say. */
function namespaceOutcome(core: Core, { live, options }: Deletion): Outcome {
  if (live.metadata.deletionTimestamp !== undefined) {
    if (asArray(at(live, 'spec', 'finalizers')).length > 0) return { object: live, isHeld: true };
    const isHeld = (live.metadata.finalizers ?? []).length > 0;
    return { object: isHeld ? marking(core, live) : live, isHeld };
  }
  const marked = { ...live, metadata: { ...live.metadata, deletionTimestamp: timeNow(core) } };
  const status = { ...(live['status'] as object | undefined), phase: 'Terminating' };
  const finalizers = policyFinalizers(live.metadata.finalizers ?? [], options);
  return { object: withFinalizers({ ...marked, status }, finalizers), isHeld: true };
}

function isDefinition(resource: Resource): boolean {
  return isKind(resource, 'apiextensions.k8s.io', 'customresourcedefinitions');
}

/** A definition lasts until its instances are gone. */
function markedDefinition(core: Core, live: StoredObject): StoredObject {
  const finalizers = (live.metadata.finalizers ?? []).filter((own) => own !== CLEANUP_FINALIZER);
  const conditions = withConditions(core, live, [
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
  ]);
  const status = { ...(live['status'] as object | undefined), conditions };
  const marked = { ...live, metadata: { ...live.metadata, deletionTimestamp: timeNow(core) }, status };
  return withFinalizers(marked, [...finalizers, CLEANUP_FINALIZER]);
}

/** The pod with the time that it has left; `pending` when it has no more than that already, `over` when it has none. */
function gracefully(core: Core, { live, options }: Deletion): StoredObject | 'pending' | 'over' {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  if (deletionTimestamp === undefined) {
    const seconds = graceOf(live, options);
    return withGrace(live, formatSeconds(core.clock.now() + seconds * 1000), seconds);
  }
  if (deletionGracePeriodSeconds === 0) return 'over';
  const asked = options.gracePeriodSeconds;
  if (asked === undefined || asked >= deletionGracePeriodSeconds) return 'pending';
  const shortened = parseTime(deletionTimestamp) + (Math.max(asked, 0) - deletionGracePeriodSeconds) * 1000;
  const isPast = shortened < core.clock.now();
  const until = formatSeconds(Math.max(shortened, core.clock.now()));
  const seconds = isPast && asked !== 0 ? 1 : Math.max(asked, 0);
  const metadata = { ...live.metadata, deletionTimestamp: until, deletionGracePeriodSeconds: seconds };
  return { ...live, metadata };
}

/** Nobody stops a pod that has no node, or that has ended. */
function graceOf(pod: StoredObject, { gracePeriodSeconds }: DeleteOptions): number {
  const own = at(pod, 'spec', 'terminationGracePeriodSeconds');
  const asked = gracePeriodSeconds ?? (typeof own === 'number' ? own : 30);
  const phase = at(pod, 'status', 'phase');
  const node = at(pod, 'spec', 'nodeName');
  if (node === undefined || node === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  return asked < 0 ? 1 : asked;
}

function withGrace(object: StoredObject, until: string, seconds: number): StoredObject {
  const { generation = 0 } = object.metadata;
  const metadata: StoredMeta = {
    ...object.metadata,
    ...(generation > 0 ? { generation: generation + 1 } : {}),
    deletionTimestamp: until,
    deletionGracePeriodSeconds: seconds,
  };
  return { ...object, metadata };
}

/** Held by finalizers: without a time of grace. */
function marking(core: Core, object: StoredObject): StoredObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  const now = timeNow(core);
  if (deletionTimestamp === undefined) return withGrace(object, now, 0);
  if (deletionGracePeriodSeconds === 0) return object;
  const until = parseTime(deletionTimestamp) > core.clock.now() ? now : deletionTimestamp;
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: until, deletionGracePeriodSeconds: 0 } };
}

function finalizersAfter(resource: Resource, { live, options }: Deletion): readonly string[] {
  const finalizers = live.metadata.finalizers ?? [];
  return resource.plural === 'events' ? finalizers : policyFinalizers(finalizers, options);
}

/** How dependents are treated is written down as a finalizer, which the garbage collector takes away. */
function policyFinalizers(finalizers: readonly string[], { propagationPolicy }: DeleteOptions): readonly string[] {
  if (propagationPolicy === undefined) return finalizers;
  const others = finalizers.filter((own) => own !== ORPHAN && own !== FOREGROUND);
  if (propagationPolicy === 'Background') return others;
  return [...others, propagationPolicy === 'Orphan' ? ORPHAN : FOREGROUND];
}

function withFinalizers(object: StoredObject, finalizers: readonly string[]): StoredObject {
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  if (finalizers.length === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, finalizers } };
}
