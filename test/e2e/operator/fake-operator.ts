import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import { type Condition, type KubeObject, type ObjectRef, refOf } from '../../../src/api/kube.ts';
import { createClock } from '../../../src/compose/clock.ts';
import { formatSeconds } from '../../../src/lib/time.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Subscription } from '../../../src/ports/cluster.ts';
import type { Timer } from '../../../src/ports/system.ts';

/** One write of an object's status; what it leaves out stays as it was. */
export type Step = Readonly<{
  /** After the step before it, or after the change. */
  afterMs: number;
  conditions?: Readonly<Record<string, 'True' | 'False' | 'Unknown'>>;
  fields?: JsonObject;
}>;

/** What an object asks of the fake operator: it is done afresh for each of its generations. */
export type Scripted = Readonly<{
  script?: readonly Step[];
  /** Where the status says which generation it is about; absent: nowhere. */
  generationIn?: 'conditions' | 'status';
}>;

export interface FakeOperatorOptions {
  readonly cluster: KubeClient;
  readonly apiVersion: string;
  readonly kind: string;
  /** Released a while after the object is to be deleted, if the operator is still up. */
  readonly finalizer?: string;
  readonly isUp?: () => Promise<boolean>;
}

/** What is being done to an object: its script for one generation, or its end. */
interface Turn {
  readonly goal: number | 'end' | undefined;
  timer: Timer | undefined;
}

const RELEASE_MS = 1500;

/** A controller in this process, which does to objects of one kind what their spec says. */
export class FakeOperator {
  /** What each write of a status gave, in order. */
  readonly written: KubeObject[] = [];
  /** Names of the objects whose finalizer it released. */
  readonly released: string[] = [];
  readonly faults: unknown[] = [];
  readonly #options: FakeOperatorOptions;
  readonly #clock = createClock();
  readonly #turns = new Map<string, Turn>();
  readonly #watch: Subscription;

  constructor(options: FakeOperatorOptions) {
    this.#options = options;
    const { apiVersion, kind } = options;
    this.#watch = options.cluster.watch({ apiVersion, kind }, (event) => {
      if (event.type === 'gone') this.#drop(event.object);
      if (event.type === 'set') this.#take(event.object);
    });
  }

  stop(): void {
    this.#watch.stop();
    for (const { timer } of this.#turns.values()) timer?.cancel();
    this.#turns.clear();
  }

  /** The newest status of an object. */
  last(name: string): KubeObject | undefined {
    return this.written.findLast(({ metadata }) => metadata.name === name);
  }

  #take(object: KubeObject): void {
    const { uid = '', generation, deletionTimestamp } = object.metadata;
    const goal = deletionTimestamp === undefined ? generation : 'end';
    const known = this.#turns.get(uid);
    if (known !== undefined && known.goal === goal) return;
    known?.timer?.cancel();
    const turn: Turn = { goal, timer: undefined };
    this.#turns.set(uid, turn);
    if (goal === 'end') turn.timer = this.#later(RELEASE_MS, () => this.#release(refOf(object)));
    else this.#next(object, turn, (object.spec as Scripted | undefined)?.script ?? []);
  }

  #drop({ metadata }: KubeObject): void {
    this.#turns.get(metadata.uid ?? '')?.timer?.cancel();
    this.#turns.delete(metadata.uid ?? '');
  }

  #next(object: KubeObject, turn: Turn, [step, ...later]: readonly Step[]): void {
    if (step === undefined) return;
    turn.timer = this.#later(step.afterMs, async () => {
      const written = await this.#write(object, step);
      if (this.#turns.get(object.metadata.uid ?? '') === turn) this.#next(written, turn, later);
    });
  }

  #later(afterMs: number, work: () => Promise<void>): Timer {
    return this.#clock.after(afterMs, () => {
      work().catch((error: unknown) => {
        this.faults.push(error);
      });
    });
  }

  async #write(object: KubeObject, step: Step): Promise<KubeObject> {
    const status = statusAfter(object, step, formatSeconds(this.#clock.now()));
    const written = await this.#options.cluster.write({
      verb: 'merge-patch',
      subresource: 'status',
      ref: refOf(object),
      patch: { status },
    });
    this.written.push(written);
    return written;
  }

  /** The finalizers as they are by then: others let go of the object too. */
  async #release(ref: ObjectRef): Promise<void> {
    const { finalizer, isUp, cluster } = this.#options;
    const finalizers = (await cluster.read(ref))?.metadata.finalizers ?? [];
    if (finalizer === undefined || !finalizers.includes(finalizer) || (await isUp?.()) === false) return;
    const patch = { metadata: { finalizers: finalizers.filter((each) => each !== finalizer) } };
    await cluster.write({ verb: 'merge-patch', ref, patch });
    this.released.push(ref.name);
  }
}

function statusAfter(object: KubeObject, step: Step, now: string): Readonly<Record<string, unknown>> {
  const { generationIn } = object.spec as Scripted;
  const { generation } = object.metadata;
  const former = (object.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
  const observed = generationIn === 'conditions' ? { observedGeneration: generation } : {};
  const conditions = Object.entries(step.conditions ?? {}).map(([type, status]) => {
    const before = former.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
    return { type, status, reason: 'Scripted', message: '', lastTransitionTime, ...observed };
  });
  return {
    ...step.fields,
    ...(step.conditions === undefined ? {} : { conditions }),
    ...(generationIn === 'status' ? { observedGeneration: generation } : {}),
  };
}

/** A kind whose objects may have any spec, and a status of their own. */
export function customKind(group: string, kind: string): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}
