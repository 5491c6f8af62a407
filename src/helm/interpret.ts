import type { KubeObject, ObjectRef } from '../api/kube.ts';
import { ANNOTATION, LABEL } from '../api/names.ts';
import type { PresentRelease, RecordedRelease, ReleaseObservation, ReleaseTarget } from '../ports/backend.ts';
import { digestOfLabel, nameLabel } from './labels.ts';

/** What the metadata of a record's Secret says: enough to observe a release without reading the record. */
export interface RecordHead {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly revision: number;
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What a failed attempt alone created has been removed. */
  readonly isSwept?: boolean;
}

const COMPLETED: readonly string[] = ['deployed', 'superseded'];

const DELIVERY: Readonly<Record<string, PresentRelease['delivery']>> = {
  deployed: 'delivered',
  failed: 'failed',
  // Left as the newest when somebody removed the record of the release that runs.
  superseded: 'failed',
  // Of a release of ours: kept until its objects are gone, whoever uninstalled it.
  uninstalled: 'removing',
  uninstalling: 'removing',
  'pending-install': 'pending',
  'pending-upgrade': 'pending',
  'pending-rollback': 'pending',
};

/** The records of one release, newest first. */
export function recordHeads(secrets: readonly KubeObject[]): readonly RecordHead[] {
  return secrets.flatMap((secret) => headOf(secret)).sort((a, b) => b.revision - a.revision);
}

export function interpretHeads(target: ReleaseTarget, heads: readonly RecordHead[]): ReleaseObservation {
  const newest = heads[0];
  const owner = newest === undefined ? undefined : foreignOwner(target, newest);
  if (owner === undefined) return interpretAnyones(heads);
  const message = `release ${target.namespace}/${target.releaseName} ${owner}`;
  const otherPackage = newest?.labels[LABEL.package];
  const isAnothers = otherPackage !== undefined && otherPackage !== nameLabel(target.package);
  return { state: 'foreign', message, ...(isAnothers ? { otherPackage } : {}) };
}

/** What is there, whoever made it. */
export function interpretAnyones(heads: readonly RecordHead[]): Exclude<ReleaseObservation, { state: 'foreign' }> {
  const newest = heads[0];
  if (newest === undefined) return { state: 'absent' };
  const delivery = isForeignHistory(newest) ? 'failed' : DELIVERY[newest.status];
  const revision = `release revision ${String(newest.revision)}`;
  if (delivery === undefined) return { state: 'unknown', message: `${revision} has status ${newest.status}` };
  return {
    state: 'present',
    revision: newest.revision,
    token: newest.labels[LABEL.attempt],
    digest: digestIn(newest),
    delivery,
    everDelivered: newest.status !== 'uninstalled' && heads.some(({ status }) => COMPLETED.includes(status)),
    message: `${revision} is ${newest.status}`,
  };
}

/** The newest record that was completed; where none ever was, the newest one, whose objects may exist in part. */
export function inventoryHead(heads: readonly RecordHead[]): RecordHead | undefined {
  return heads.find(({ status }) => COMPLETED.includes(status)) ?? heads[0];
}

/** Attempts that failed, and that something may be left of which nobody else wanted: helm never looks at them again. */
export function unsweptHeads(heads: readonly RecordHead[]): readonly RecordHead[] {
  return heads.filter(({ status, isSwept }) => status === 'failed' && isSwept !== true);
}

export function isCompleted({ status }: RecordHead): boolean {
  return COMPLETED.includes(status);
}

/** Whose release this record belongs to. */
export function recordOwner({ metadata }: KubeObject): RecordedRelease | undefined {
  const { namespace, labels = {} } = metadata;
  const { [LABEL.package]: pkg, owner, name } = labels;
  if (owner !== 'helm' || pkg === undefined || name === undefined || namespace === undefined) return undefined;
  return { package: pkg, namespace, releaseName: name };
}

/** Somebody uninstalled what was never ours, and kept its history: nothing of it will be removed here. */
function isForeignHistory({ status, labels }: RecordHead): boolean {
  return status === 'uninstalled' && labels[LABEL.package] === undefined;
}

/**
 * A release is the package's, whichever of its components has it: components may be renamed, or change places. Two of
 * one version never have the same.
 */
function foreignOwner(target: ReleaseTarget, { labels }: RecordHead): string | undefined {
  const owner = labels[LABEL.package];
  if (owner === undefined) return 'was not made by kubepkg';
  return owner === nameLabel(target.package) ? undefined : `belongs to package ${owner}`;
}

function digestIn({ labels }: RecordHead): string | undefined {
  const label = labels[LABEL.digest];
  return label === undefined ? undefined : digestOfLabel(label);
}

function headOf(secret: KubeObject): readonly RecordHead[] {
  const { name, namespace, uid, resourceVersion, labels, annotations } = secret.metadata;
  const revision = Number(labels?.['version']);
  if (namespace === undefined || labels === undefined || !Number.isInteger(revision)) return [];
  return [
    {
      ref: { apiVersion: 'v1', kind: 'Secret', namespace, name },
      uid: uid ?? '',
      resourceVersion: resourceVersion ?? '',
      revision,
      status: labels['status'] ?? '',
      labels,
      ...(annotations?.[ANNOTATION.swept] === undefined ? {} : { isSwept: true }),
    },
  ];
}
