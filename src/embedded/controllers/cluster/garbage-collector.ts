import type { StoredObject, StoredOwner } from '../../model/object.ts';
import type { Controller, Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import type { Change } from '../kit/informers.ts';
import { isDeleting } from '../kit/read.ts';
import type { EveryKind, ServedKind } from './every-kind.ts';
import { type GraphNode, OwnerGraph, ownersOf } from './owner-graph.ts';

const COMPONENT = 'garbage-collector-controller';
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

export interface Collecting {
  readonly controller: Controller;
  /** A change of any kind; the items that it calls for. */
  readonly keysOf: (kind: ServedKind, change: Change) => readonly string[];
}

/** Removes what has lost its owners, and carries out deletions in the foreground and those that leave orphans. */
export function garbageCollector({ api }: Surroundings, everyKind: EveryKind): Collecting {
  const graph = new OwnerGraph();
  const collector = new Collector(graph, { hand: createHand(api, 'kube-controller-manager'), everyKind });
  return {
    controller: {
      name: COMPONENT,
      sources: [],
      reconcile(uid) {
        const node = graph.get(uid);
        if (node !== undefined) collector.collect(node);
        return undefined;
      },
    },
    keysOf(kind, change) {
      graph.see(kind, change);
      return affected(graph, change);
    },
  };
}

/** Who has to be looked at again. */
function affected(graph: OwnerGraph, { type, object, before }: Change): readonly string[] {
  const { uid } = object.metadata;
  const lost = before === undefined || before.metadata.uid === uid ? [] : [before.metadata.uid];
  const gone = type === 'DELETED' ? [uid] : lost;
  const orphaned = gone.flatMap((each) => graph.dependentsOf(each).map((node) => node.object.metadata.uid));
  const owners = [...ownersOf(object), ...(before === undefined ? [] : ownersOf(before))].map((owner) => owner.uid);
  const waiting = owners.filter((owner) => isDeletingDependents(graph.get(owner)?.object));
  const isConcerned = holdsPolicy(object) || hasOtherOwners(object, before);
  return [...new Set([...orphaned, ...waiting, ...(type !== 'DELETED' && isConcerned ? [uid] : [])])];
}

function hasOtherOwners(object: StoredObject, before: StoredObject | undefined): boolean {
  const owners = ownersOf(object);
  if (before === undefined || before.metadata.uid !== object.metadata.uid) return owners.length > 0;
  const old = ownersOf(before);
  return owners.length !== old.length || owners.some(({ uid }, index) => uid !== old[index]?.uid);
}

function holdsPolicy(object: StoredObject): boolean {
  return isDeleting(object) && (hasFinalizer(object, FOREGROUND) || hasFinalizer(object, ORPHAN));
}

function hasFinalizer(object: StoredObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

function isDeletingDependents(object: StoredObject | undefined): boolean {
  return object !== undefined && isDeleting(object) && hasFinalizer(object, FOREGROUND);
}

interface Owners {
  readonly solid: readonly StoredOwner[];
  readonly dangling: readonly StoredOwner[];
  /** They wait for this one to go first. */
  readonly waiting: readonly StoredOwner[];
}

class Collector {
  readonly #graph: OwnerGraph;
  readonly #hand: Hand;
  readonly #everyKind: EveryKind;

  constructor(graph: OwnerGraph, tools: { readonly hand: Hand; readonly everyKind: EveryKind }) {
    this.#graph = graph;
    this.#hand = tools.hand;
    this.#everyKind = tools.everyKind;
  }

  collect(node: GraphNode): void {
    const { object } = node;
    if (isDeletingDependents(object)) this.#deleteDependents(node);
    else if (isDeleting(object) && hasFinalizer(object, ORPHAN)) this.#orphan(node);
    else if (!isDeleting(object) && ownersOf(object).length > 0) this.#judge(node);
  }

  #judge({ kind, object }: GraphNode): void {
    const { solid, dangling, waiting } = this.#classify(object);
    if (solid.length > 0) {
      if (dangling.length + waiting.length > 0) this.#keepOwners({ kind, object }, solid);
      return;
    }
    if (dangling.length + waiting.length === 0) return;
    const isFirst = waiting.length > 0 && this.#graph.dependentsOf(object.metadata.uid).length > 0;
    const foreground = isFirst || hasFinalizer(object, FOREGROUND);
    const policy = hasFinalizer(object, ORPHAN) ? 'Orphan' : foreground ? 'Foreground' : 'Background';
    this.#hand.remove(kind, object, { propagationPolicy: policy });
  }

  #classify(object: StoredObject): Owners {
    const solid: StoredOwner[] = [];
    const dangling: StoredOwner[] = [];
    const waiting: StoredOwner[] = [];
    for (const owner of ownersOf(object)) {
      const found = this.#graph.get(owner.uid);
      if (found === undefined || !isReachable(object, found)) {
        (this.#isMissing(owner, object) ? dangling : solid).push(owner);
      } else if (isDeletingDependents(found.object) && owner.blockOwnerDeletion === true) waiting.push(owner);
      else solid.push(owner);
    }
    return { solid, dangling, waiting };
  }

  /** By a live look, as the kind may be watched since a moment ago only. Of one that is not served, nobody can tell. */
  #isMissing(owner: StoredOwner, { metadata: { namespace } }: StoredObject): boolean {
    return this.#graph.hasGone(owner.uid) || this.#everyKind.look(owner, namespace) === 'missing';
  }

  #keepOwners({ kind, object }: GraphNode, ownerReferences: readonly StoredOwner[]): void {
    this.#hand.merge(kind, object, { metadata: { ownerReferences } });
  }

  /** Those that block it go first; the others when it is gone. */
  #deleteDependents({ kind, object }: GraphNode): void {
    const { uid } = object.metadata;
    const blocking = this.#graph
      .dependentsOf(uid)
      .filter((node) => ownersOf(node.object).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true));
    if (blocking.length === 0) this.#dropFinalizer({ kind, object }, FOREGROUND);
    for (const node of blocking) if (!isDeleting(node.object)) this.#judge(node);
  }

  #orphan(node: GraphNode): void {
    const { uid } = node.object.metadata;
    for (const dependent of this.#graph.dependentsOf(uid)) {
      this.#keepOwners(
        dependent,
        ownersOf(dependent.object).filter((owner) => owner.uid !== uid),
      );
    }
    this.#dropFinalizer(node, ORPHAN);
  }

  #dropFinalizer({ kind, object }: GraphNode, finalizer: string): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    this.#hand.merge(kind, object, { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } });
  }
}

/** An owner in another namespace is none. */
function isReachable(object: StoredObject, owner: GraphNode): boolean {
  return !owner.kind.namespaced || owner.object.metadata.namespace === object.metadata.namespace;
}
