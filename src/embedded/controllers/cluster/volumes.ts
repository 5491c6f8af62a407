import { apiVersionOf } from '../../model/resource.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { matchesGlob } from '../../scenario/match.ts';
import type { Scenario } from '../../scenario/types.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand, unless } from '../kit/hand.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../kit/kinds.ts';
import { createdAt, isDeleting, keyOf, mapAt, textAt } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import { classOf, SELECTED_NODE, waitsForConsumer } from '../pods/pod-claims.ts';

const COMPONENT = 'persistentvolume-controller';
const PROVISIONER = 'rehearse.kubepkg.dev/volumes';

/** Makes a volume for each claim of a known class, at once or when its first pod has a node, and binds the two. */
export function volumeController(surroundings: Surroundings, scenario: () => Scenario): Controller {
  const claims = surroundings.informers.of(PERSISTENT_VOLUME_CLAIMS);
  const provisioner = new Provisioner(surroundings, scenario);
  const isOpen = (claim: StoredObject): boolean => textAt(claim, 'status', 'phase') !== 'Bound';
  return {
    name: COMPONENT,
    sources: [
      changesOf(PERSISTENT_VOLUME_CLAIMS),
      { kind: STORAGE_CLASSES, keys: () => claims.all().filter(isOpen).map(keyOf) },
    ],
    reconcile(key) {
      const claim = lookUp(claims, key);
      if (claim === undefined) provisioner.reclaim(key);
      return claim === undefined || isDeleting(claim) || !isOpen(claim) ? undefined : provisioner.settle(claim);
    },
  };
}

class Provisioner {
  readonly #at: Surroundings;
  readonly #scenario: () => Scenario;
  readonly #hand: Hand;
  readonly #tell: Tell;

  constructor(surroundings: Surroundings, scenario: () => Scenario) {
    this.#at = surroundings;
    this.#scenario = scenario;
    this.#hand = createHand(surroundings.api, 'kube-controller-manager');
    this.#tell = surroundings.recorder.by(COMPONENT);
  }

  settle(claim: StoredObject): number | undefined {
    const pending = this.#hand.writeStatus(PERSISTENT_VOLUME_CLAIMS, claim, { phase: 'Pending' });
    const storage = classOf(pending, this.#at.informers);
    if (storage === undefined) {
      this.#refuse(pending);
      return undefined;
    }
    const left = this.#timeToBind(pending);
    if (left === undefined || left > 0) return left;
    if (waitsForConsumer(pending, this.#at.informers) && pending.metadata.annotations?.[SELECTED_NODE] === undefined) {
      const message = 'waiting for first consumer to be created before binding';
      this.#tell(pending, { type: 'Normal', reason: 'WaitForFirstConsumer', message });
      return undefined;
    }
    this.#bind(pending, storage);
    return undefined;
  }

  /** With the claim goes its volume, unless its class says otherwise. */
  reclaim(key: string): void {
    for (const volume of this.#at.informers.of(PERSISTENT_VOLUMES).all()) {
      const { namespace, name } = mapAt(volume, 'spec', 'claimRef');
      if (`${String(namespace)}/${String(name)}` !== key || isDeleting(volume)) continue;
      if (textAt(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Delete') {
        this.#hand.remove(PERSISTENT_VOLUMES, volume);
      } else this.#hand.writeStatus(PERSISTENT_VOLUMES, volume, { phase: 'Released' });
    }
  }

  #refuse(claim: StoredObject): void {
    const name = textAt(claim, 'spec', 'storageClassName');
    if (name === '') {
      const message = 'no persistent volumes available for this claim and no storage class is set';
      this.#tell(claim, { type: 'Normal', reason: 'FailedBinding', message });
      return;
    }
    const message = `storageclass.storage.k8s.io "${name}" not found`;
    this.#tell(claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
  }

  /** Undefined: never. */
  #timeToBind(claim: StoredObject): number | undefined {
    const { namespace = '', name } = claim.metadata;
    const { claims, onUsed } = this.#scenario();
    const rule = claims.find(({ match }) => matchesGlob(match.namespace, namespace) && matchesGlob(match.name, name));
    if (rule === undefined) return 0;
    onUsed?.(rule);
    return rule.boundAfter === undefined ? undefined : createdAt(claim) + rule.boundAfter - this.#at.clock.now();
  }

  #bind(claim: StoredObject, storage: StoredObject): void {
    const volumeName = textAt(claim, 'spec', 'volumeName') || `pvc-${claim.metadata.uid}`;
    unless('AlreadyExists', () => this.#hand.create(PERSISTENT_VOLUMES, volumeFor(claim, storage, volumeName)));
    const volume = this.#at.informers.of(PERSISTENT_VOLUMES).get('', volumeName);
    if (volume !== undefined) this.#hand.writeStatus(PERSISTENT_VOLUMES, volume, { phase: 'Bound' });
    const named = this.#hand.merge(PERSISTENT_VOLUME_CLAIMS, claim, {
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
    this.#hand.writeStatus(PERSISTENT_VOLUME_CLAIMS, named, { phase: 'Bound', accessModes, capacity });
    const message = `Successfully provisioned volume ${volumeName}`;
    this.#tell(claim, { type: 'Normal', reason: 'ProvisioningSucceeded', message });
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
