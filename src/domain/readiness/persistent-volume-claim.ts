import type { KubeObject } from '../../api/kube.ts';
import { at } from '../../lib/json.ts';
import { countOf, groupKind, recordsOf, textOf } from './fields.ts';
import { warningQueries } from './pod-queries.ts';
import { type KindRule, progressing, ready, type RelatedQuery } from './verdict.ts';

/** Bound, or waiting for a first consumer that the release does not bring. */
export const persistentVolumeClaim: KindRule = {
  alwaysObserved: false,
  assess(object, context) {
    const phase = textOf(object, 'status', 'phase') || 'not set';
    if (phase === 'Bound') return ready('bound');
    if (phase === 'Lost') return progressing('Lost', 'lost: its PersistentVolume is gone');
    if (!waitsForConsumer(object, context.related)) return progressing('NotBound', `phase ${phase}`);
    const consumer = context.siblings
      .filter((item) => runsPods(item) && mounts(item, object))
      .map(describe)
      .sort()[0];
    if (consumer !== undefined)
      return progressing('WaitForFirstConsumer', `phase ${phase}, bound once ${consumer} runs`);
    const note = 'not bound: it waits for its first consumer, and the release has none';
    return ready(note, note);
  },
  related: (object) => [...storageClassQuery(object), ...warningQueries(object)],
};

function storageClassQuery(object: KubeObject): readonly RelatedQuery[] {
  const name = textOf(object, 'spec', 'storageClassName');
  const ref = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name };
  return name === '' ? [] : [{ kind: 'object', purpose: 'verdict', ref }];
}

function waitsForConsumer(object: KubeObject, related: readonly KubeObject[]): boolean {
  const name = textOf(object, 'spec', 'storageClassName');
  const storageClass = related.find((item) => item.kind === 'StorageClass' && item.metadata.name === name);
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** A CronJob is none: it may run hours from now. */
function runsPods(object: KubeObject): boolean {
  switch (groupKind(object)) {
    case '/Pod':
    case 'apps/DaemonSet':
      return true;
    case 'apps/Deployment':
    case 'apps/StatefulSet':
    case 'apps/ReplicaSet':
    case '/ReplicationController':
      return countOf(object, ['spec', 'replicas'], 1) > 0;
    case 'batch/Job':
      return at(object, 'spec', 'suspend') !== true;
    default:
      return false;
  }
}

function mounts(workload: KubeObject, claim: KubeObject): boolean {
  if (workload.metadata.namespace !== claim.metadata.namespace) return false;
  const spec = workload.kind === 'Pod' ? workload.spec : at(workload, 'spec', 'template', 'spec');
  return recordsOf(spec, 'volumes').some(
    (volume) => textOf(volume, 'persistentVolumeClaim', 'claimName') === claim.metadata.name,
  );
}

function describe(object: KubeObject): string {
  return `${object.kind} ${object.metadata.name}`;
}
