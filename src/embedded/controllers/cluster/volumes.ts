import type { JsonMap, StoredObject } from '../../model/object.ts';
import { matchesGlob } from '../../scenario/match.ts';
import type { Scenario } from '../../scenario/types.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, unless } from '../kit/hand.ts';
import { apiVersionOf, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../kit/kinds.ts';
import { createdAt, isDeleting, keyOf, mapAt, textAt } from '../kit/read.ts';
import { classOf, SELECTED_NODE, waitsForConsumer } from '../pods/pod-claims.ts';

const COMPONENT = 'persistentvolume-controller';
export const PROVISIONER = 'rehearse.kubepkg.dev/volumes';

/** Makes a volume for each claim of a known class, at once or when its first pod has a node, and binds the two. */
export function volumeController(surroundings: Surroundings, scenario: () => Scenario): Controller {
  const { api, clock, informers, recorder } = surroundings;
  const hand = createHand(api, 'kube-controller-manager');
  const tell = recorder.by(COMPONENT);
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS);
  const volumes = informers.of(PERSISTENT_VOLUMES);
  return {
    name: COMPONENT,
    sources: [
      changesOf(PERSISTENT_VOLUME_CLAIMS),
      {
        kind: STORAGE_CLASSES,
        keys: () => claims.all().filter((claim) => textAt(claim, 'status', 'phase') !== 'Bound').map(keyOf),
      },
    ],
    reconcile(key) {
      const claim = lookUp(claims, key);
      if (claim === undefined) {
        reclaim(key);
        return undefined;
      }
      if (isDeleting(claim) || textAt(claim, 'status', 'phase') === 'Bound') return undefined;
      return settle(claim);
    },
  };

  function settle(claim: StoredObject): number | undefined {
    const pending = hand.writeStatus(PERSISTENT_VOLUME_CLAIMS, claim, { phase: 'Pending' });
    const storage = classOf(pending, informers);
    if (storage === undefined) return refuse(pending);
    const left = timeToBind(pending);
    if (left === undefined) return undefined;
    if (left > 0) return left;
    if (waitsForConsumer(pending, informers) && pending.metadata.annotations?.[SELECTED_NODE] === undefined) {
      const message = 'waiting for first consumer to be created before binding';
      tell(pending, { type: 'Normal', reason: 'WaitForFirstConsumer', message });
      return undefined;
    }
    bind(pending, storage);
    return undefined;
  }

  function refuse(claim: StoredObject): undefined {
    const name = textAt(claim, 'spec', 'storageClassName');
    if (name === '') {
      const message = 'no persistent volumes available for this claim and no storage class is set';
      tell(claim, { type: 'Normal', reason: 'FailedBinding', message });
      return;
    }
    const message = `storageclass.storage.k8s.io "${name}" not found`;
    tell(claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
  }

  /** Undefined: never. */
  function timeToBind(claim: StoredObject): number | undefined {
    const { namespace = '', name } = claim.metadata;
    const rule = scenario().claims.find(
      ({ match }) => matchesGlob(match.namespace, namespace) && matchesGlob(match.name, name),
    );
    if (rule === undefined) return 0;
    return rule.boundAfter === undefined ? undefined : createdAt(claim) + rule.boundAfter - clock.now();
  }

  function bind(claim: StoredObject, storage: StoredObject): void {
    const volumeName = textAt(claim, 'spec', 'volumeName') || `pvc-${claim.metadata.uid}`;
    unless('AlreadyExists', () => hand.create(PERSISTENT_VOLUMES, volumeFor(claim, storage, volumeName)));
    const volume = volumes.get('', volumeName);
    if (volume !== undefined) hand.writeStatus(PERSISTENT_VOLUMES, volume, { phase: 'Bound' });
    const named = hand.merge(PERSISTENT_VOLUME_CLAIMS, claim, {
      metadata: {
        annotations: {
          'pv.kubernetes.io/bind-completed': 'yes',
          'pv.kubernetes.io/bound-by-controller': 'yes',
          'volume.kubernetes.io/storage-provisioner': textAt(storage, 'provisioner'),
        },
      },
      spec: { volumeName, storageClassName: storage.metadata.name },
    });
    const { accessModes } = mapAt(claim, 'spec');
    const capacity = mapAt(claim, 'spec', 'resources', 'requests');
    hand.writeStatus(PERSISTENT_VOLUME_CLAIMS, named, { phase: 'Bound', accessModes, capacity });
    const message = `Successfully provisioned volume ${volumeName}`;
    tell(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message });
  }

  /** With the claim goes its volume, unless its class says otherwise. */
  function reclaim(key: string): void {
    for (const volume of volumes.all()) {
      const { namespace, name } = mapAt(volume, 'spec', 'claimRef');
      if (`${String(namespace)}/${String(name)}` !== key || isDeleting(volume)) continue;
      if (textAt(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Delete') hand.remove(PERSISTENT_VOLUMES, volume);
      else hand.writeStatus(PERSISTENT_VOLUMES, volume, { phase: 'Released' });
    }
  }
}

function volumeFor(claim: StoredObject, storage: StoredObject, name: string): JsonMap {
  const { namespace, name: claimName, uid, resourceVersion } = claim.metadata;
  const { accessModes, volumeMode = 'Filesystem' } = mapAt(claim, 'spec');
  return {
    apiVersion: apiVersionOf(PERSISTENT_VOLUMES),
    kind: PERSISTENT_VOLUMES.kind,
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': textAt(storage, 'provisioner') } },
    spec: {
      accessModes,
      capacity: mapAt(claim, 'spec', 'resources', 'requests'),
      claimRef: {
        apiVersion: claim.apiVersion,
        kind: claim.kind,
        namespace,
        name: claimName,
        uid,
        resourceVersion,
      },
      persistentVolumeReclaimPolicy: textAt(storage, 'reclaimPolicy') || 'Delete',
      storageClassName: storage.metadata.name,
      volumeMode,
      csi: { driver: textAt(storage, 'provisioner'), volumeHandle: name },
    },
  };
}

/** The class that a cluster has by default. */
export function defaultStorageClass(): JsonMap {
  return {
    apiVersion: apiVersionOf(STORAGE_CLASSES),
    kind: STORAGE_CLASSES.kind,
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  };
}
