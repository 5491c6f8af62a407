import type { StoredObject, StoredOwner } from '../../model/object.ts';
import type { Hand } from './hand.ts';
import type { Cache } from './informers.ts';
import type { Kind } from './kinds.ts';
import { isDeleting, mapAt } from './read.ts';
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
  const { uid, namespace = '' } = owner.metadata;
  const selector = mapAt(owner, 'spec').selector;
  const matches = (object: StoredObject): boolean => selects(selector, object.metadata.labels ?? {});
  const adopted = isDeleting(owner)
    ? []
    : cache.orphansIn(namespace).filter((object) => !isDeleting(object) && matches(object));
  for (const object of adopted) {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
    hand.merge(kind, object, { metadata: { ownerReferences } });
  }
  for (const object of cache.ownedBy(uid).filter((each) => !isDeleting(each) && !matches(each))) {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
    hand.merge(kind, object, { metadata: { ownerReferences } });
  }
  return cache.ownedBy(uid);
}
