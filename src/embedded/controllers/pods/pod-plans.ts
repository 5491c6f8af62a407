import type { StoredObject } from '../../model/object.ts';
import type { WorkloadFacts } from '../../scenario/match.ts';
import { planPod, type PodPlan } from '../../scenario/pod-plan.ts';
import type { Scenario } from '../../scenario/types.ts';
import type { Informers } from '../kit/informers.ts';
import { CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, JOBS, type Kind, REPLICA_SETS, STATEFUL_SETS } from '../kit/kinds.ts';
import { controllerOf, countAt, labelsAt, mapsAt, textAt } from '../kit/read.ts';

const OWNERS: Readonly<Record<string, Kind>> = Object.fromEntries(
  [REPLICA_SETS, DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, JOBS, CRON_JOBS].map((kind) => [kind.kind, kind]),
);
const HASH_LABELS: readonly string[] = ['pod-template-hash', 'controller-revision-hash'];

interface Kept {
  readonly plan: PodPlan;
  readonly annotations: string;
  /** How many earlier pods of the same owner there were. */
  readonly before: number;
}

/** What each pod does, decided when it is first seen and kept for its life, unless it is annotated otherwise. */
export class PodPlans {
  readonly #informers: Informers;
  readonly #scenario: () => Scenario;
  readonly #plans = new Map<string, Kept>();
  readonly #templates = new Map<string, WorkloadFacts>();
  readonly #tries = new Map<string, number>();

  constructor(informers: Informers, scenario: () => Scenario) {
    this.#informers = informers;
    this.#scenario = scenario;
  }

  /** What the workload was like when it got this template: pods of an older one keep the version that they came with. */
  noteTemplate(workload: StoredObject, hash: string): void {
    const key = `${workload.metadata.uid}/${hash}`;
    if (!this.#templates.has(key)) this.#templates.set(key, factsOf(workload));
  }

  of(pod: StoredObject): PodPlan {
    const { uid, annotations: annotated = {} } = pod.metadata;
    const annotations = JSON.stringify(annotated);
    const known = this.#plans.get(uid);
    if (known?.annotations === annotations) return known.plan;
    const foreseen = this.foresee(pod);
    const before = known?.before ?? this.#triesBefore(pod, foreseen);
    const plan = { ...foreseen, failures: Math.max(0, foreseen.failures - before) };
    this.#plans.set(uid, { plan, annotations, before });
    return plan;
  }

  /** The plan of a pod that is about to be made. */
  foresee(pod: StoredObject): PodPlan {
    const nature = {
      facts: { chain: this.#chain(pod), images: mapsAt(pod, 'spec', 'containers').map(({ image }) => String(image)) },
      annotations: labelsAt(pod, 'metadata', 'annotations'),
      ends: ['Never', 'OnFailure'].includes(textAt(pod, 'spec', 'restartPolicy')),
      isOfJob: controllerOf(pod)?.kind === JOBS.kind,
    };
    return planPod(nature, this.#scenario());
  }

  forget(pod: StoredObject): void {
    this.#plans.delete(pod.metadata.uid);
  }

  /** Of the tries that fail, earlier pods of the same owner have had theirs. */
  #triesBefore(pod: StoredObject, { failures }: PodPlan): number {
    const owner = controllerOf(pod)?.uid;
    if (owner === undefined || failures === Infinity) return 0;
    const before = this.#tries.get(owner) ?? countAt(this.#ownerOf(pod), 'status', 'failed');
    this.#tries.set(owner, before + 1);
    return before;
  }

  #chain(pod: StoredObject): readonly WorkloadFacts[] {
    const hash = HASH_LABELS.map((label) => pod.metadata.labels?.[label]).find((value) => value !== undefined) ?? '';
    const chain = [factsOf(pod)];
    let object: StoredObject | undefined = this.#ownerOf(pod);
    while (object !== undefined) {
      chain.push(this.#templates.get(`${object.metadata.uid}/${hash}`) ?? factsOf(object));
      object = this.#ownerOf(object);
    }
    return chain;
  }

  #ownerOf(object: StoredObject): StoredObject | undefined {
    const owner = controllerOf(object);
    const kind = OWNERS[owner?.kind ?? ''];
    if (owner === undefined || kind === undefined) return undefined;
    const found = this.#informers.of(kind).get(object.metadata.namespace ?? '', owner.name);
    return found?.metadata.uid === owner.uid ? found : undefined;
  }
}

function factsOf(object: StoredObject): WorkloadFacts {
  const { name, namespace = '' } = object.metadata;
  const labels = labelsAt(object, 'metadata', 'labels');
  return { kind: object.kind, name, namespace, labels, annotations: labelsAt(object, 'metadata', 'annotations') };
}
