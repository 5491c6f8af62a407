import { nameOf, type KubeObject, type ManagedField, refOf } from '../../../api/kube.ts';
import { asArray, at, isRecord } from '../../../lib/json.ts';
import { fieldPath, itemPath } from '../diff/field-path.ts';
import { eachObject, type ObjectOf, someOf } from './each-object.ts';
import { fieldNamed, fieldsSet } from './settings.ts';

interface Owned {
  readonly manager: string;
  readonly field: string;
}

/** Fields that somebody else has set, and the chart sets otherwise: the chart wins. */
export const findOverwritten = eachObject((object) => {
  const conflicts = object.facts.forcesConflicts ? conflictsOf(object) : [];
  if (conflicts.length === 0) return undefined;
  return {
    message: `${describe(conflicts)}; the upgrade sets it back to what the chart has`,
    remedy: 'put what was set by hand into the values, or let the chart leave the field out',
  };
});

/** The same where the backend does not overwrite. */
export const findConflicts = eachObject((object) => {
  const conflicts = object.facts.forcesConflicts ? [] : conflictsOf(object);
  if (conflicts.length === 0) return undefined;
  return {
    message: `${describe(conflicts)}, and the backend does not overwrite it: the delivery fails`,
    remedy: 'let the chart leave the field out, or give it up on the other side',
  };
});

/** Workloads whose replicas an autoscaler sets, and the chart as well. */
export const findAutoscaled = eachObject(({ after, facts }) => {
  if (at(after, 'spec', 'replicas') === undefined) return undefined;
  const rendered = facts.components
    .flatMap(({ objects }) => objects.map((object) => object.after))
    .filter(isAutoscaler);
  const scaler = [...rendered, ...facts.cluster.autoscalers].find((each) => scales(each, after));
  if (scaler === undefined) return undefined;
  return {
    message: `${nameOf(refOf(scaler))} sets its replicas, and so does the chart: every upgrade sets them back`,
    remedy: 'let the chart leave spec.replicas out where an autoscaler is in charge',
  };
});

function isAutoscaler({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'HorizontalPodAutoscaler' && apiVersion.startsWith('autoscaling/');
}

function scales(scaler: KubeObject, { kind, metadata }: KubeObject): boolean {
  const target = at(scaler, 'spec', 'scaleTargetRef');
  return (
    scaler.metadata.namespace === metadata.namespace &&
    at(target, 'kind') === kind &&
    at(target, 'name') === metadata.name
  );
}

/** By the live object's managed fields where it has them, and by what the API server says to a dry run. */
function conflictsOf({ live, after, dryRun, facts }: ObjectOf): readonly Owned[] {
  const changed = new Set(fieldsSet(live, writable(after), fieldNamed()));
  const owned = (live?.metadata.managedFields ?? [])
    .filter(({ manager = '', subresource }) => subresource !== 'status' && !facts.managers.includes(manager))
    .flatMap((entry) => fieldsOwned(entry).map((field) => ({ manager: entry.manager ?? 'somebody', field })))
    .filter(({ field }) => changed.has(field));
  const told = dryRun === undefined || dryRun === 'accepted' ? [] : conflictsTold(dryRun.message);
  return owned.length > 0 ? owned : told.filter(({ manager }) => !facts.managers.includes(manager));
}

function writable({ spec, data, metadata, ...rest }: KubeObject): unknown {
  const { apiVersion: _version, kind: _kind, status: _status, ...others } = rest;
  return { ...others, spec, data, metadata: { labels: metadata.labels, annotations: metadata.annotations } };
}

/** `conflict with "kubectl" using apps/v1: .spec.replicas`, or one manager with a list of fields. */
export function conflictsTold(message: string): readonly Owned[] {
  const found: Owned[] = [];
  let manager = '';
  for (const part of message.matchAll(/conflicts? with "([^"]*)"|(?:^|[\s:-])(\.[\w.-]+(?:\[[^\]]*\][\w.-]*)*)/gm)) {
    if (part[1] !== undefined) manager = part[1];
    else if (manager !== '') found.push({ manager, field: (part[2] ?? '').slice(1) });
  }
  return found;
}

function fieldsOwned(entry: ManagedField): readonly string[] {
  return leaves(at(entry, 'fieldsV1'), '');
}

/** Paths of a field set: `f:` a field, `k:` an item by its keys, `v:` an item by its value, `.` the thing itself. */
function leaves(set: unknown, path: string): readonly string[] {
  const below = Object.entries(isRecord(set) ? set : {}).filter(([key]) => key !== '.');
  if (below.length === 0) return [path];
  return below.flatMap(([key, child]) => leaves(child, pathBelow(path, key)));
}

function pathBelow(path: string, key: string): string {
  const name = key.slice(2);
  return key.startsWith('f:') ? fieldPath(path, name) : itemPath(path, JSON.parse(name));
}

function describe(conflicts: readonly Owned[]): string {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].sort();
  const sentences = managers.map((manager) => {
    const fields = conflicts.filter((each) => each.manager === manager).map(({ field }) => field);
    return `${someOf([...new Set(fields)])} is set by ${manager}`;
  });
  return asArray(sentences).join('; ');
}
