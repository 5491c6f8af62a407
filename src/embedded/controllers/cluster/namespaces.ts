import type { JsonMap, StoredObject } from '../../model/object.ts';
import { formatSeconds } from '../../../lib/time.ts';
import { StatusError } from '../../model/status-error.ts';
import { conditionOf } from '../kit/conditions.ts';
import { type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, targetOf } from '../kit/hand.ts';
import type { Cache, Change } from '../kit/informers.ts';
import { NAMESPACES } from '../kit/kinds.ts';
import { isDeleting, keyOf, mapAt, textsAt } from '../kit/read.ts';
import type { EveryKind, ServedKind } from './every-kind.ts';

const COMPONENT = 'namespace-controller';
const FINALIZER = 'kubernetes';
const LOOK_AGAIN_MS = 5000;

interface Left {
  readonly kind: ServedKind;
  readonly objects: readonly StoredObject[];
}

/** Something in a namespace that is being deleted has gone. */
export function emptied(namespaces: Cache, { type, object }: Change): readonly string[] {
  const { namespace = '' } = object.metadata;
  const home = type === 'DELETED' ? namespaces.get('', namespace) : undefined;
  return home !== undefined && isDeleting(home) ? [keyOf(home)] : [];
}

/** Empties a namespace that is being deleted, then lets it go. */
export function namespaceController({ api, clock, informers }: Surroundings, everyKind: EveryKind): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const namespaces = informers.of(NAMESPACES);
  return {
    name: COMPONENT,
    sources: [{ kind: NAMESPACES, keys: ({ object }) => (isDeleting(object) ? [keyOf(object)] : []) }],
    reconcile(key) {
      const namespace = lookUp(namespaces, key);
      if (namespace === undefined || !isDeleting(namespace)) return undefined;
      const refusals = contentOf(namespace).flatMap(removeAll);
      const left = contentOf(namespace);
      const latest = writeConditions(namespace, left, refusals);
      if (left.length > 0) return LOOK_AGAIN_MS;
      release(latest);
      return undefined;
    },
  };

  function contentOf({ metadata }: StoredObject): readonly Left[] {
    return everyKind
      .kinds()
      .filter(({ namespaced }) => namespaced)
      .map((kind) => ({ kind, objects: everyKind.cacheOf(kind).inNamespace(metadata.name) }))
      .filter(({ objects }) => objects.length > 0);
  }

  function removeAll({ kind, objects }: Left): readonly string[] {
    return objects.flatMap((object) => (isDeleting(object) ? [] : tryToRemove(kind, object)));
  }

  function tryToRemove(kind: ServedKind, object: StoredObject): readonly string[] {
    try {
      hand.remove(kind, object, { propagationPolicy: 'Background' });
      return [];
    } catch (error) {
      if (error instanceof StatusError) return [error.message];
      throw error;
    }
  }

  function writeConditions(namespace: StoredObject, left: readonly Left[], refusals: readonly string[]): StoredObject {
    const now = clock.now();
    const conditions = namespaceConditions(left, refusals).map((next) => {
      const old = conditionOf(namespace, String(next.type));
      const transition = old !== undefined && old.status === next.status ? old.lastTransitionTime : formatSeconds(now);
      return { ...next, lastTransitionTime: transition };
    });
    return hand.writeStatus(NAMESPACES, namespace, { ...mapAt(namespace, 'status'), conditions });
  }

  function release(namespace: StoredObject): void {
    const finalizers = textsAt(namespace, 'spec', 'finalizers').filter((each) => each !== FINALIZER);
    const body = { ...namespace, spec: { ...mapAt(namespace, 'spec'), finalizers } };
    api.update({ ...targetOf(NAMESPACES, namespace), subresource: 'finalize' }, body, {
      fieldManager: 'kube-controller-manager',
    });
  }
}

function namespaceConditions(left: readonly Left[], refusals: readonly string[]): readonly JsonMap[] {
  const remaining = left.map(
    ({ kind, objects }) => `${kind.plural}.${kind.group} has ${String(objects.length)} resource instances`,
  );
  const finalizers = countFinalizers(left);
  const held = [...finalizers].map(([name, count]) => `${name} in ${String(count)} resource instances`);
  const failed = `Failed to delete all resource types, ${String(refusals.length)} remaining: ${sorted(refusals)}`;
  return [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    refusals.length > 0
      ? { type: 'NamespaceDeletionContentFailure', status: 'True', reason: 'ContentDeletionFailed', message: failed }
      : fine(
          'NamespaceDeletionContentFailure',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        ),
    remaining.length > 0
      ? {
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: `Some resources are remaining: ${sorted(remaining)}`,
        }
      : fine('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'),
    held.length > 0
      ? {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${sorted(held)}`,
        }
      : fine('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'),
  ];
}

function fine(type: string, reason: string, message: string): JsonMap {
  return { type, status: 'False', reason, message };
}

function sorted(texts: readonly string[]): string {
  return [...texts].sort().join(', ');
}

function countFinalizers(left: readonly Left[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const object of left.flatMap(({ objects }) => objects)) {
    for (const name of object.metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
