import { type KubeObject, type ObjectRef, refKey, refOf } from '../../src/api/kube.ts';
import { asString, at, isRecord } from '../../src/lib/json.ts';
import { formatSeconds } from '../../src/lib/time.ts';
import type { MemoryCluster } from '../fakes/memory-cluster.ts';
import type { Ledger } from './ledger.ts';
import { GUARD, lineOf, SCRIPT } from './places.ts';
import type { Timer } from '../../src/ports/system.ts';
import type { Scheduler } from './scheduler.ts';
import { deploymentStatus, jobStatus, widgetStatus } from './statuses.ts';
import type { Trace } from './trace.ts';
import type { Truth } from './truth.ts';
import type { Health, JobScript, ObjectPlan, Script } from './universe.ts';

export interface Stage {
  readonly scheduler: Scheduler;
  readonly cluster: MemoryCluster;
  readonly truth: Truth;
  readonly ledger: Ledger;
  readonly trace: Trace;
}

const GARBAGE_MS = 700;

/** Everybody else in the cluster: they do with each object what its script says, also while no operator runs. */
export class Controllers {
  readonly #stage: Stage;
  readonly #running = new Map<string, readonly Timer[]>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Told of every change in the cluster. */
  see(before: KubeObject | undefined, object: KubeObject, gone: boolean): void {
    if (gone) this.#bury(object);
    else this.#look(before, object);
  }

  #look(before: KubeObject | undefined, object: KubeObject): void {
    const plan = planOf(object);
    if (plan === undefined) return;
    if (object.metadata.deletionTimestamp !== undefined) {
      if (before?.metadata.deletionTimestamp === undefined) this.#release(object, plan);
      return;
    }
    if (before?.metadata.generation === object.metadata.generation) return;
    if ('script' in plan) this.#follow(object, plan.script);
    if (plan.kind === 'Job') this.#lookAtJob(before, object, plan.job);
  }

  #lookAtJob(before: KubeObject | undefined, object: KubeObject, job: JobScript): void {
    if (before === undefined) this.#runJob(object, job);
    else if (at(object, 'spec', 'suspend') === true) this.#halt(object);
  }

  #follow(object: KubeObject, script: Script): void {
    const timers = script.phases.map((phase) =>
      this.#later(phase.at, object, (live) => this.#say(live, phase.health, script)),
    );
    this.#replace(object, timers);
  }

  #say(live: KubeObject, health: Health, script: Script): void {
    const moment = { now: this.#stage.scheduler.now(), health };
    const status =
      live.kind === 'Deployment' ? deploymentStatus(live, moment) : widgetStatus(live, moment, script.generation);
    this.#stage.truth.tell(live, health === 'ready');
    this.#write(live, status, health);
  }

  #runJob(object: KubeObject, { startsAfter, endsAfter, succeeds, ttl }: JobScript): void {
    const { scheduler, ledger, truth } = this.#stage;
    const end = startsAfter + endsAfter;
    const timers = [
      this.#later(startsAfter, object, (live) => {
        ledger.jobStarted(live);
        this.#write(live, jobStatus('running', scheduler.now()), 'running');
      }),
      this.#later(end, object, (live) => {
        truth.tell(live, succeeds);
        ledger.jobEnded(live, succeeds);
        const state = succeeds ? 'complete' : 'failed';
        this.#write(live, jobStatus(state, scheduler.now()), state);
      }),
      ...(ttl === undefined ? [] : [this.#later(end + ttl + 0.05, object, (live) => this.#expire(live))]),
    ];
    this.#replace(object, timers);
  }

  /** Its pods are removed, and it goes no further. */
  #halt(object: KubeObject): void {
    this.#replace(object, []);
    this.#stage.trace.add('controller', `halts ${lineOf(object)}`);
    this.#stage.scheduler.after(0, () => {
      const live = this.#stage.cluster.get(refOf(object));
      if (live !== undefined) this.#write(live, { active: 0 }, 'suspended');
    });
  }

  #expire(live: KubeObject): void {
    this.#stage.trace.add('controller', `removes finished ${lineOf(live)}`);
    this.#stage.cluster.remove(refOf(live));
  }

  /** Held by the controller's finalizer, for a while or for good. */
  #release(object: KubeObject, plan: ObjectPlan): void {
    const finalizer = 'script' in plan ? plan.script.finalizer : undefined;
    if (finalizer === undefined || finalizer === 'never') return;
    this.#later(finalizer, object, (live) => {
      const finalizers = (live.metadata.finalizers ?? []).filter((name) => name !== GUARD);
      this.#stage.trace.add('controller', `lets ${lineOf(live)} go`);
      this.#stage.cluster.put({ ...live, metadata: { ...live.metadata, finalizers } });
    });
  }

  /** Only while the object is the same one, at the same generation. */
  #later(seconds: number, object: KubeObject, act: (live: KubeObject) => void): Timer {
    const ref: ObjectRef = refOf(object);
    return this.#stage.scheduler.after(seconds * 1000, () => {
      const live = this.#stage.cluster.get(ref);
      const same =
        live?.metadata.uid === object.metadata.uid && live?.metadata.generation === object.metadata.generation;
      if (live !== undefined && same) act(live);
    });
  }

  #replace(object: KubeObject, timers: readonly Timer[]): void {
    const key = refKey(refOf(object));
    for (const timer of this.#running.get(key) ?? []) timer.cancel();
    this.#running.set(key, timers);
  }

  #write(live: KubeObject, status: unknown, word: string): void {
    const { scheduler, cluster, trace } = this.#stage;
    const time = formatSeconds(scheduler.now());
    const managedFields = [{ manager: 'controller', operation: 'Update', subresource: 'status', time }];
    trace.add('controller', `${lineOf(live)} is ${word}`);
    cluster.put({ ...live, metadata: { ...live.metadata, managedFields }, status });
  }

  #bury(object: KubeObject): void {
    this.#stage.truth.forget(object);
    const { uid } = object.metadata;
    if (!object.apiVersion.startsWith('kubepkg.dev/')) return;
    this.#stage.scheduler.after(GARBAGE_MS, () => {
      for (const kind of ['PackageRevision', 'Secret']) this.#collect(kind, uid);
    });
  }

  /** What the garbage collector of Kubernetes does with what a dead object owned. */
  #collect(kind: string, owner: string | undefined): void {
    for (const object of this.#stage.cluster.all(kind)) {
      if (object.metadata.ownerReferences?.some(({ uid }) => uid === owner) !== true) continue;
      if (object.metadata.deletionTimestamp !== undefined) continue;
      this.#stage.trace.add('collector', `deletes ${lineOf(object)}`);
      void this.#stage.cluster.write({ verb: 'delete', ref: refOf(object) });
    }
  }
}

function planOf(object: KubeObject): ObjectPlan | undefined {
  const text = asString(object.metadata.annotations?.[SCRIPT]);
  if (text === undefined) return undefined;
  const plan: unknown = JSON.parse(text);
  // Only the backend model writes this annotation.
  return isRecord(plan) ? (plan as unknown as ObjectPlan) : undefined;
}
