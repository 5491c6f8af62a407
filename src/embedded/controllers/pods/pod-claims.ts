import type { StoredObject } from '../../model/object.ts';
import type { Informers } from '../kit/informers.ts';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../kit/kinds.ts';
import { isDeleting, mapsAt, textAt } from '../kit/read.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

export type ClaimsOfPod =
  | { readonly kind: 'bound' }
  | { readonly kind: 'problem'; readonly message: string }
  /** They are bound when it is known where the pod goes. */
  | { readonly kind: 'waiting'; readonly claims: readonly StoredObject[] };

export function claimsOf(pod: StoredObject, informers: Informers): ClaimsOfPod {
  const waiting: StoredObject[] = [];
  for (const name of claimNames(pod)) {
    const claim = informers.of(PERSISTENT_VOLUME_CLAIMS).get(pod.metadata.namespace ?? '', name);
    if (claim === undefined) return { kind: 'problem', message: `persistentvolumeclaim "${name}" not found` };
    if (isDeleting(claim)) return { kind: 'problem', message: `persistentvolumeclaim "${name}" is being deleted` };
    if (textAt(claim, 'status', 'phase') === 'Bound') continue;
    if (!waitsForConsumer(claim, informers)) {
      return { kind: 'problem', message: 'pod has unbound immediate PersistentVolumeClaims' };
    }
    waiting.push(claim);
  }
  return waiting.length === 0 ? { kind: 'bound' } : { kind: 'waiting', claims: waiting };
}

export function claimNames(pod: StoredObject): readonly string[] {
  return mapsAt(pod, 'spec', 'volumes').flatMap((volume) => {
    if (volume.ephemeral !== undefined) return [`${pod.metadata.name}-${textAt(volume, 'name')}`];
    const name = textAt(volume, 'persistentVolumeClaim', 'claimName');
    return name === '' ? [] : [name];
  });
}

/** The class that a claim names, or else the default one. */
export function classOf(claim: StoredObject, informers: Informers): StoredObject | undefined {
  const classes = informers.of(STORAGE_CLASSES);
  const named = (claim.spec as { readonly storageClassName?: unknown } | undefined)?.storageClassName;
  if (typeof named === 'string') return classes.get('', named);
  return classes.all().find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
}

export function waitsForConsumer(claim: StoredObject, informers: Informers): boolean {
  return textAt(classOf(claim, informers), 'volumeBindingMode') === 'WaitForFirstConsumer';
}
