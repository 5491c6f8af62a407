import { apiVersionOf } from '../../model/resource.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { conditionOf, type NewCondition } from '../kit/conditions.ts';
import { changesOfOwned, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import type { Cache } from '../kit/informers.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../kit/kinds.ts';
import { claim, controllerReference } from '../kit/owners.ts';
import { isPodFinished } from '../kit/pod-state.ts';
import { byAge, controllerOf, countAt, isDeleting, keyOf, labelsAt, mapAt, mapsAt, numberAt } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import { TemplateHashes } from '../kit/template.ts';
import {
  DESIRED_REPLICAS,
  isRolling,
  limitsOf,
  MAX_REPLICAS,
  newSize,
  type Resize,
  shareOut,
  shrinkOld,
  sizeOf,
} from './deployment-sizes.ts';
import {
  hasDeadline,
  isComplete,
  plainStatus,
  type RolloutFacts,
  rolloutStatus,
  setCondition,
  timeToDeadline,
} from './deployment-status.ts';

const COMPONENT = 'deployment-controller';
const HASH_LABEL = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  'deployment.kubernetes.io/revision-history',
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  'deprecated.deployment.rollback.to',
]);

/** Told when a workload begins to use a template, by its hash. */
export type OnTemplate = (workload: StoredObject, hash: string) => void;

export function deploymentController(surroundings: Surroundings, onTemplate: OnTemplate): Controller {
  const { informers } = surroundings;
  const driver = new Driver(surroundings, onTemplate);
  const replicaSets = informers.of(REPLICA_SETS);
  return {
    name: COMPONENT,
    sources: [
      {
        kind: DEPLOYMENTS,
        keys: ({ type, object }) => {
          if (type === 'DELETED') driver.forget(object);
          return [keyOf(object)];
        },
      },
      changesOfOwned(REPLICA_SETS, DEPLOYMENTS),
      { kind: PODS, keys: ({ type, object }) => (type === 'DELETED' ? deploymentsOf(object, replicaSets) : []) },
    ],
    reconcile: (key) => driver.reconcile(key),
  };
}

/** With the strategy Recreate, the last old pod has to be gone. */
function deploymentsOf(pod: StoredObject, replicaSets: Cache): readonly string[] {
  const namespace = pod.metadata.namespace ?? '';
  const replicaSet = replicaSets.get(namespace, controllerOf(pod)?.name ?? '');
  const owner = replicaSet === undefined ? undefined : controllerOf(replicaSet);
  return owner?.kind === DEPLOYMENTS.kind ? [`${namespace}/${owner.name}`] : [];
}

class Driver {
  readonly #at: Surroundings;
  readonly #hand: Hand;
  readonly #tell: Tell;
  readonly #onTemplate: OnTemplate;
  readonly #hashes = new TemplateHashes();

  constructor(surroundings: Surroundings, onTemplate: OnTemplate) {
    this.#at = surroundings;
    this.#hand = createHand(surroundings.api, 'kube-controller-manager');
    this.#tell = surroundings.recorder.by(COMPONENT);
    this.#onTemplate = onTemplate;
  }

  forget(deployment: StoredObject): void {
    this.#hashes.forget(deployment.metadata.uid);
  }

  reconcile(key: string): number | undefined {
    const found = lookUp(this.#deployments(), key);
    if (found === undefined) return undefined;
    const all = claim({ owner: found, kind: REPLICA_SETS, cache: this.#replicaSets(), hand: this.#hand });
    if (isDeleting(found)) this.#writeStatus(found, plainStatus);
    else this.#roll(this.#notePause(found), all);
    const latest = lookUp(this.#deployments(), key);
    return latest === undefined ? undefined : timeToDeadline(latest, this.#at.clock.now());
  }

  #roll(deployment: StoredObject, all: readonly StoredObject[]): void {
    if (mapAt(deployment, 'spec').paused === true || isScaling(deployment, all)) this.#scale(deployment, all);
    else if (isRolling(deployment)) this.#rollOver(deployment);
    else this.#recreate(deployment);
  }

  /** So that a pause is not taken for a lack of progress. */
  #notePause(deployment: StoredObject): StoredObject {
    const reason = conditionOf(deployment, 'Progressing')?.reason;
    if (!hasDeadline(deployment) || reason === 'ProgressDeadlineExceeded') return deployment;
    const isPaused = mapAt(deployment, 'spec').paused === true;
    if (isPaused === (reason === 'DeploymentPaused')) return deployment;
    const [next, message] = isPaused
      ? ['DeploymentPaused', 'Deployment is paused']
      : ['DeploymentResumed', 'Deployment is resumed'];
    const old = mapsAt(deployment, 'status', 'conditions');
    const condition = { type: 'Progressing', status: 'Unknown', reason: next, message } as const;
    const conditions = setCondition(old, condition, this.#at.clock.now());
    return this.#hand.writeStatus(DEPLOYMENTS, deployment, { ...mapAt(deployment, 'status'), conditions });
  }

  /** All in proportion, without going on with a rollout. */
  #scale(deployment: StoredObject, all: readonly StoredObject[]): void {
    const current = this.#currentOf(deployment, all);
    if (current !== undefined) this.#syncAnnotations(deployment, current, all);
    const active = all.filter((each) => sizeOf(each) > 0);
    const only = active.length > 1 ? undefined : (active[0] ?? current ?? [...all].sort(byAge).at(-1));
    if (only !== undefined) this.#resize(deployment, [{ replicaSet: only, replicas: sizeOf(deployment) }]);
    else
      this.#resize(deployment, isSaturated(deployment, current) ? without(active, current) : shareOut(deployment, all));
    if (mapAt(deployment, 'spec').paused === true) this.#trimHistory(deployment);
    this.#writeStatus(deployment, plainStatus);
  }

  #rollOver(deployment: StoredObject): void {
    const current = this.#ensureCurrent(deployment);
    const old = this.#oldOf(deployment, current);
    const size = newSize(deployment, [...old, current], sizeOf(current));
    const moved =
      this.#resize(deployment, [{ replicaSet: current, replicas: size }]) ||
      this.#resize(deployment, shrinkOld({ deployment, current, old }));
    if (!moved && isComplete(deployment, deployment.status)) this.#trimHistory(deployment);
    this.#writeStatus(deployment, rolloutStatus);
  }

  /** The old pods have to be gone before the first new one is made. */
  #recreate(deployment: StoredObject): void {
    const existing = this.#currentOf(deployment, this.#allOf(deployment));
    const old = this.#oldOf(deployment, existing);
    const shrunk = this.#resize(
      deployment,
      old.map((replicaSet) => ({ replicaSet, replicas: 0 })),
    );
    const left = old.some(({ metadata }) =>
      this.#at.informers
        .of(PODS)
        .ownedBy(metadata.uid)
        .some((pod) => !isPodFinished(pod)),
    );
    if (!shrunk && !left) {
      const current = this.#ensureCurrent(deployment);
      this.#resize(deployment, [{ replicaSet: current, replicas: sizeOf(deployment) }]);
      if (isComplete(deployment, deployment.status)) this.#trimHistory(deployment);
    }
    this.#writeStatus(deployment, rolloutStatus);
  }

  #ensureCurrent(deployment: StoredObject): StoredObject {
    const all = this.#allOf(deployment);
    const existing = this.#currentOf(deployment, all);
    if (existing !== undefined) return this.#takeUp(deployment, existing, all);
    const hash = this.#hashes.of(deployment);
    const revision = String(highestRevision(all) + 1);
    const replicas = newSize(deployment, all, 0);
    const body = replicaSetOf(deployment, { hash, revision, replicas });
    const created = this.#hand.create(REPLICA_SETS, body);
    this.#onTemplate(deployment, hash);
    if (replicas > 0) this.#tellScaled(deployment, created, { verb: 'up', from: 0, to: replicas });
    const message = `Created new replica set "${created.metadata.name}"`;
    this.#note(this.#latest(deployment), revision, { reason: 'NewReplicaSetCreated', message });
    return created;
  }

  #takeUp(deployment: StoredObject, existing: StoredObject, all: readonly StoredObject[]): StoredObject {
    const current = this.#syncAnnotations(deployment, existing, all);
    this.#onTemplate(deployment, existing.metadata.labels?.[HASH_LABEL] ?? '');
    const latest = this.#latest(deployment);
    const message = `Found new replica set "${current.metadata.name}"`;
    const found = { reason: 'FoundNewReplicaSet', message };
    const isTold = conditionOf(latest, 'Progressing') !== undefined;
    this.#note(latest, current.metadata.annotations?.[REVISION] ?? '1', isTold ? undefined : found);
    return current;
  }

  /** Annotations of the Deployment go over to its newest ReplicaSet, and a template that comes back is the newest again. */
  #syncAnnotations(deployment: StoredObject, current: StoredObject, all: readonly StoredObject[]): StoredObject {
    const others = all.filter((each) => each.metadata.uid !== current.metadata.uid);
    const revision = String(Math.max(highestRevision(others) + 1, revisionOf(current)));
    const annotations = { ...copiedAnnotations(deployment), ...sizeAnnotations(deployment), [REVISION]: revision };
    const old = current.metadata.annotations ?? {};
    const minReadySeconds = countAt(deployment, 'spec', 'minReadySeconds');
    const isSame = Object.entries(annotations).every(([key, value]) => old[key] === value);
    if (isSame && countAt(current, 'spec', 'minReadySeconds') === minReadySeconds) return current;
    return this.#hand.merge(REPLICA_SETS, current, { metadata: { annotations }, spec: { minReadySeconds } });
  }

  /** Which revision it is at and, the first time, that there is a ReplicaSet for it: in one write. */
  #note(deployment: StoredObject, revision: string, news: Pick<NewCondition, 'reason' | 'message'> | undefined): void {
    const old = mapsAt(deployment, 'status', 'conditions');
    const progressing = { type: 'Progressing', status: 'True' } as const;
    const isTold = news !== undefined && hasDeadline(deployment);
    const conditions = isTold ? setCondition(old, { ...progressing, ...news }, this.#at.clock.now()) : old;
    if (conditions === old && deployment.metadata.annotations?.[REVISION] === revision) return;
    const status = { ...mapAt(deployment, 'status'), ...(conditions.length === 0 ? {} : { conditions }) };
    this.#hand.annotate(DEPLOYMENTS, deployment, { annotations: { [REVISION]: revision }, status });
  }

  #resize(deployment: StoredObject, resizes: readonly Resize[]): boolean {
    let moved = false;
    for (const { replicaSet, replicas } of resizes) {
      const from = sizeOf(replicaSet);
      const annotations = sizeAnnotations(deployment);
      const old = replicaSet.metadata.annotations ?? {};
      const isNoted = from === 0 || Object.entries(annotations).every(([key, value]) => old[key] === value);
      if (from === replicas && isNoted) continue;
      this.#hand.merge(REPLICA_SETS, replicaSet, { metadata: { annotations }, spec: { replicas } });
      if (from === replicas) continue;
      moved = true;
      this.#tellScaled(deployment, replicaSet, { verb: replicas > from ? 'up' : 'down', from, to: replicas });
    }
    return moved;
  }

  #tellScaled(
    deployment: StoredObject,
    replicaSet: StoredObject,
    { verb, from, to }: { readonly verb: string; readonly from: number; readonly to: number },
  ): void {
    const message = `Scaled ${verb} replica set ${replicaSet.metadata.name} from ${String(from)} to ${String(to)}`;
    this.#tell(deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message });
  }

  #trimHistory(deployment: StoredObject): void {
    const limit = numberAt(deployment, 'spec', 'revisionHistoryLimit') ?? 10;
    const current = this.#currentOf(deployment, this.#allOf(deployment));
    const idle = this.#oldOf(deployment, current).filter(
      (each) => !isDeleting(each) && sizeOf(each) === 0 && countAt(each, 'status', 'replicas') === 0,
    );
    const surplus = [...idle].sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, idle.length - limit));
    for (const replicaSet of surplus) this.#hand.remove(REPLICA_SETS, replicaSet);
  }

  #writeStatus(deployment: StoredObject, judge: (facts: RolloutFacts) => JsonMap): void {
    const latest = this.#latest(deployment);
    const all = this.#allOf(latest);
    const now = this.#at.clock.now();
    const current = this.#currentOf(latest, all);
    this.#hand.writeStatus(DEPLOYMENTS, latest, judge({ deployment: latest, current, all, now }));
  }

  #oldOf(deployment: StoredObject, current: StoredObject | undefined): readonly StoredObject[] {
    return this.#allOf(deployment).filter((each) => each.metadata.uid !== current?.metadata.uid);
  }

  #allOf(deployment: StoredObject): readonly StoredObject[] {
    return this.#replicaSets().ownedBy(deployment.metadata.uid);
  }

  #currentOf(deployment: StoredObject, all: readonly StoredObject[]): StoredObject | undefined {
    const hash = this.#hashes.of(deployment);
    return all.find(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash);
  }

  #latest(deployment: StoredObject): StoredObject {
    return this.#deployments().get(deployment.metadata.namespace ?? '', deployment.metadata.name) ?? deployment;
  }

  #deployments(): Cache {
    return this.#at.informers.of(DEPLOYMENTS);
  }

  #replicaSets(): Cache {
    return this.#at.informers.of(REPLICA_SETS);
  }
}

function isScaling(deployment: StoredObject, all: readonly StoredObject[]): boolean {
  const wanted = String(sizeOf(deployment));
  return all
    .filter((each) => sizeOf(each) > 0)
    .some(({ metadata }) => (metadata.annotations?.[DESIRED_REPLICAS] ?? wanted) !== wanted);
}

function isSaturated(deployment: StoredObject, current: StoredObject | undefined): boolean {
  const wanted = sizeOf(deployment);
  return (
    current !== undefined &&
    current.metadata.annotations?.[DESIRED_REPLICAS] === String(wanted) &&
    sizeOf(current) === wanted &&
    countAt(current, 'status', 'availableReplicas') === wanted
  );
}

function without(active: readonly StoredObject[], current: StoredObject | undefined): readonly Resize[] {
  return active
    .filter((each) => each.metadata.uid !== current?.metadata.uid)
    .map((replicaSet) => ({ replicaSet, replicas: 0 }));
}

function revisionOf(replicaSet: StoredObject): number {
  return Number(replicaSet.metadata.annotations?.[REVISION] ?? 0);
}

function highestRevision(replicaSets: readonly StoredObject[]): number {
  return replicaSets.reduce((highest, each) => Math.max(highest, revisionOf(each)), 0);
}

function copiedAnnotations(deployment: StoredObject): Readonly<Record<string, string>> {
  const annotations = Object.entries(deployment.metadata.annotations ?? {});
  return Object.fromEntries(annotations.filter(([key]) => !NOT_COPIED.has(key)));
}

function sizeAnnotations(deployment: StoredObject): Readonly<Record<string, string>> {
  const size = sizeOf(deployment);
  return { [DESIRED_REPLICAS]: String(size), [MAX_REPLICAS]: String(size + limitsOf(deployment).surge) };
}

function replicaSetOf(
  deployment: StoredObject,
  { hash, revision, replicas }: { readonly hash: string; readonly revision: string; readonly replicas: number },
): JsonMap {
  const template = mapAt(deployment, 'spec', 'template');
  const labels = { ...labelsAt(template, 'metadata', 'labels'), [HASH_LABEL]: hash };
  const selector = mapAt(deployment, 'spec', 'selector');
  const minReadySeconds = countAt(deployment, 'spec', 'minReadySeconds');
  return {
    apiVersion: apiVersionOf(REPLICA_SETS),
    kind: REPLICA_SETS.kind,
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations: { ...copiedAnnotations(deployment), ...sizeAnnotations(deployment), [REVISION]: revision },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds === 0 ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...labelsAt(selector, 'matchLabels'), [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...mapAt(template, 'metadata'), labels } },
    },
  };
}
