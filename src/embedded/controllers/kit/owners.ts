import type { StoredObject, StoredOwner } from '../../model/object.ts';
import type { Hand } from './hand.ts';
import type { Cache } from './informers.ts';
import type { Kind } from './kinds.ts';
import { controllerOf, isDeleting } from './read.ts';
import { selects } from './selector.ts';

export function controllerReference(owner: StoredObject): StoredOwner {
  const { apiVersion, kind } = owner;
  const { name, uid } = owner.metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export interface Claim {
  readonly owner: StoredObject;
  readonly kind: Kind;
  readonly cache: Cache;
  readonly hand: Hand;
}

/** What the owner controls: orphans that its selector matches are adopted, and those that it no longer matches are let go. */
export function claim({ owner, kind, cache, hand }: Claim): readonly StoredObject[] {
  const selector = (owner.spec as { readonly selector?: unknown } | undefined)?.selector;
  const matches = (object: StoredObject): boolean => selects(selector, object.metadata.labels ?? {});
  if (!isDeleting(owner)) {
    for (const object of cache.inNamespace(owner.metadata.namespace ?? '')) {
      if (controllerOf(object) === undefined && !isDeleting(object) && matches(object)) adopt(owner, object);
    }
  }
  const owned = cache.ownedBy(owner.metadata.uid);
  for (const object of owned) if (!matches(object) && !isDeleting(object)) release(object);
  return cache.ownedBy(owner.metadata.uid);

  function adopt(by: StoredObject, object: StoredObject): void {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(by)];
    hand.merge(kind, object, { metadata: { ownerReferences } });
  }

  function release(object: StoredObject): void {
    const rest = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
    hand.merge(kind, object, { metadata: { ownerReferences: rest } });
  }
}
