import { asArray, at } from '../../../lib/json.ts';
import type { StoredObject } from '../../model/object.ts';
import type { Core } from '../core.ts';
import { childOf, type KindRules, withSpec } from './kind-rules.ts';

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const PROTECTION = 'kubernetes.io/pvc-protection';

/** A claim that names no class is of the newest default one; it is not deleted as long as a pod uses it. */
export const CLAIM_RULES: KindRules = {
  create: (core, object) => {
    const pending = { ...object, status: { phase: 'Pending' } };
    if (childOf(object, 'spec')['storageClassName'] !== undefined) return pending;
    const storageClassName = defaultClass(core);
    return storageClassName === undefined ? pending : withSpec(pending, { storageClassName });
  },
  written: (core, { metadata }) => {
    releaseClaim(core, metadata.namespace ?? '', metadata.name);
  },
};

export const VOLUME_RULES: KindRules = {
  create: (_core, object) => ({ ...object, status: { phase: 'Pending' } }),
};

/** Lets a claim go that is being deleted, once no pod uses it. */
export function releaseClaim(core: Core, namespace: string, name: string): void {
  const object = core.store.get('/persistentvolumeclaims', `${namespace}/${name}`);
  if (object?.metadata.deletionTimestamp === undefined || isUsed(core, object)) return;
  release(core, object);
}

function isUsed(core: Core, { metadata }: StoredObject): boolean {
  return core.store.all('/pods', metadata.namespace).some((pod) => {
    const phase = at(pod, 'status', 'phase');
    if (phase === 'Succeeded' || phase === 'Failed') return false;
    const volumes = asArray(at(pod, 'spec', 'volumes'));
    return volumes.some((volume) => at(volume, 'persistentVolumeClaim', 'claimName') === metadata.name);
  });
}

function release(core: Core, object: StoredObject): void {
  const { name, namespace, finalizers = [] } = object.metadata;
  if (!finalizers.includes(PROTECTION)) return;
  const target = { group: '', version: 'v1', plural: 'persistentvolumeclaims', namespace, name };
  const metadata = { ...object.metadata, finalizers: finalizers.filter((own) => own !== PROTECTION) };
  core.api.update(target, { ...object, metadata }, { fieldManager: 'kube-controller-manager' });
}

function defaultClass(core: Core): string | undefined {
  const classes = core.store
    .all('storage.k8s.io/storageclasses')
    .filter((own) => at(own, 'metadata', 'annotations', IS_DEFAULT) === 'true');
  const newest = classes.toSorted(
    (a, b) =>
      b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp) ||
      a.metadata.name.localeCompare(b.metadata.name),
  );
  return newest[0]?.metadata.name;
}
