import type { StoredObject, StoredOwner } from '../../model/object.ts';
import type { Change } from '../kit/informers.ts';
import type { ServedKind } from './every-kind.ts';

export interface GraphNode {
  readonly kind: ServedKind;
  readonly object: StoredObject;
}

/** Who owns whom, by uid. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Owners that were seen to go, while something that they owned is left. */
  readonly #gone = new Set<string>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((each) => this.#nodes.get(each) ?? []);
  }

  hasGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  see(kind: ServedKind, { type, object, before }: Change): void {
    if (before !== undefined) this.#forget(before);
    if (type !== 'DELETED') this.#remember(kind, object);
    else if (this.#dependents.has(object.metadata.uid)) this.#gone.add(object.metadata.uid);
  }

  #remember(kind: ServedKind, object: StoredObject): void {
    const { uid } = object.metadata;
    this.#nodes.set(uid, { kind, object });
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
  }

  #forget(object: StoredObject): void {
    const { uid } = object.metadata;
    this.#nodes.delete(uid);
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size !== 0) continue;
      this.#dependents.delete(owner.uid);
      this.#gone.delete(owner.uid);
    }
  }
}

export function ownersOf(object: StoredObject): readonly StoredOwner[] {
  return object.metadata.ownerReferences ?? [];
}
