import type { StoredObject } from '../../model/object.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import type { Cache } from '../kit/informers.ts';
import { type Kind, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../kit/kinds.ts';
import { isPodFinished } from '../kit/pod-state.ts';
import { isDeleting, keyOf, mapAt } from '../kit/read.ts';
import { claimNames } from '../pods/pod-claims.ts';

const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

/** A claim that is being deleted goes when no pod uses it any more. */
export function claimProtection({ api, informers }: Surroundings): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS);
  const pods = informers.of(PODS);
  return {
    name: 'pvc-protection-controller',
    sources: [
      changesOf(PERSISTENT_VOLUME_CLAIMS),
      {
        kind: PODS,
        keys: ({ object }) => claimNames(object).map((name) => `${object.metadata.namespace ?? ''}/${name}`),
      },
    ],
    reconcile(key) {
      const claim = lookUp(claims, key);
      if (claim !== undefined && isDeleting(claim) && !isUsed(claim)) {
        unprotect({ hand, kind: PERSISTENT_VOLUME_CLAIMS }, claim, CLAIM_PROTECTION);
      }
      return undefined;
    },
  };

  function isUsed({ metadata }: StoredObject): boolean {
    return pods
      .inNamespace(metadata.namespace ?? '')
      .some((pod) => !isPodFinished(pod) && claimNames(pod).includes(metadata.name));
  }
}

/** A volume that is being deleted goes when the claim that it is bound to has gone. */
export function volumeProtection({ api, informers }: Surroundings): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const volumes = informers.of(PERSISTENT_VOLUMES);
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS);
  return {
    name: 'pv-protection-controller',
    sources: [
      changesOf(PERSISTENT_VOLUMES),
      { kind: PERSISTENT_VOLUME_CLAIMS, keys: ({ type }) => (type === 'DELETED' ? volumes.all().map(keyOf) : []) },
    ],
    reconcile(key) {
      const volume = lookUp(volumes, key);
      if (volume !== undefined && isDeleting(volume) && !isBound(volume, claims)) {
        unprotect({ hand, kind: PERSISTENT_VOLUMES }, volume, VOLUME_PROTECTION);
      }
      return undefined;
    },
  };
}

function isBound(volume: StoredObject, claims: Cache): boolean {
  const { namespace, name, uid } = mapAt(volume, 'spec', 'claimRef');
  return claims.get(String(namespace), String(name))?.metadata.uid === uid && uid !== undefined;
}

function unprotect(
  { hand, kind }: { readonly hand: Hand; readonly kind: Kind },
  object: StoredObject,
  finalizer: string,
): void {
  const finalizers = object.metadata.finalizers ?? [];
  const rest = finalizers.filter((each) => each !== finalizer);
  if (rest.length === finalizers.length) return;
  hand.merge(kind, object, { metadata: { finalizers: rest.length === 0 ? null : rest } });
}
