import { formatDuration } from '../../../lib/duration.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { Behaviour } from '../../scenario/types.ts';
import { behaviourAt, nextTurn, type PodPlan } from '../../scenario/pod-plan.ts';
import { countAt, createdAt, mapAt, mapsAt, textAt, timeAt } from '../kit/read.ts';
import type { Occurrence } from '../kit/recorder.ts';
import type { ContainerRun, ContainerState, Ended } from './container-run.ts';

/** From being bound to a node until the first container starts. */
const START_MS = 100;
/** The kubelet looks again at what ended. */
const SYNC_MS = 1000;
const PROBE_MS = 10_000;
/** As many Events of one pod as client-go lets through at once; then one in five minutes. */
const PROBE_BURST = 25;
const SLOW_PROBE_MS = 300_000;
const FIRST_BACKOFF_MS = 10_000;
const LAST_BACKOFF_MS = 300_000;
/** After so long a run, a crash counts as the first one. */
const FORGIVEN_AFTER_MS = 600_000;

/** What the world around a pod notices of it. */
export interface Witness {
  tell(occurrence: Occurrence): void;
  /** Whether the image is on the node already; it is from now on. */
  hasImage(image: string): boolean;
  started(container: string, at: number): void;
  ended(container: string): void;
}

/** The containers of one pod on its node, from their start to their end. */
export class PodLife {
  readonly containers: readonly ContainerRun[];
  readonly uid: string;
  readonly startTime: number;
  #plan: PodPlan;
  readonly #policy: string;
  readonly #created: number;
  readonly #identity: string;
  readonly #witness: Witness;

  constructor(pod: StoredObject, plan: PodPlan, world: { readonly witness: Witness; readonly now: number }) {
    const { name, namespace = '', uid } = pod.metadata;
    this.uid = uid;
    this.startTime = timeAt(pod, 'status', 'startTime') ?? world.now;
    this.#plan = plan;
    this.#policy = textAt(pod, 'spec', 'restartPolicy') || 'Always';
    this.#created = createdAt(pod);
    this.#identity = `${name}_${namespace}(${uid})`;
    this.#witness = world.witness;
    this.containers = containersOf(pod, world.now + START_MS);
    for (const run of this.containers) if (run.state.is === 'running') run.probes = probesBy(run.state, world.now);
  }

  /** From now on; what has come to an end stays so. */
  follow(plan: PodPlan): void {
    this.#plan = plan;
  }

  get neverRestarts(): boolean {
    return this.#policy === 'Never';
  }

  /** All that is due by now. */
  advance(now: number): void {
    for (let moved = true; moved; ) moved = this.#open().some((run) => this.#act(run, now));
  }

  /** When something is due next; Infinity: nothing is, by itself. */
  next(now: number): number {
    return Math.min(...this.#open().map((run) => this.#dueOf(run, now)), Infinity);
  }

  /** The pod is stopped from outside; containers that end for that reason by themselves end well. */
  stop(now: number): void {
    for (const run of this.containers) {
      if (run.state.is !== 'running') continue;
      const ended =
        this.#policy === 'Always' ? { exitCode: 0, reason: 'Completed' } : { exitCode: 143, reason: 'Error' };
      run.state = { is: 'terminated', startedAt: run.state.startedAt, finishedAt: now, ...ended };
      run.ready = false;
      this.#witness.ended(run.name);
    }
  }

  get running(): readonly ContainerRun[] {
    return this.containers.filter(({ state }) => state.is === 'running');
  }

  /** Init containers run one after the other, the others when those have ended; nothing goes on in a pod that has failed. */
  #open(): readonly ContainerRun[] {
    const init = this.containers.filter(({ role }) => role !== 'main');
    const blocking = init.findIndex((run) => !isPassed(run));
    if (blocking < 0) return this.containers.filter((run) => run.role !== 'init');
    const failed = init.some((run) => this.neverRestarts && run.state.is === 'terminated' && run.state.exitCode !== 0);
    return failed ? [] : init.slice(0, blocking + 1).filter((run) => run.role !== 'init' || !isPassed(run));
  }

  #act(run: ContainerRun, now: number): boolean {
    if (this.#dueOf(run, now) > now) return false;
    switch (run.state.is) {
      case 'waiting':
        this.#wake(run, now);
        return true;
      case 'running':
        return this.#keepUp(run, run.state.startedAt, now);
      case 'terminated':
        this.#backOff(run, run.state, now);
        return true;
    }
  }

  #dueOf(run: ContainerRun, now: number): number {
    if (run.state.is !== 'running') return run.due;
    const behaviour = this.#behaviourOf(run, now);
    const turn = now + (nextTurn(this.#plan, now - this.#created) ?? Infinity);
    const ready = run.ready ? (behaviour === 'never-ready' ? now : Infinity) : this.#readyAt(run, behaviour, now);
    return Math.min(turn, ready, this.#endsAt(run, behaviour, now), this.#probeAt(run, behaviour));
  }

  /** What the plan says for this container at this moment. */
  #behaviourOf(run: ContainerRun, now: number): Behaviour {
    const behaviour = behaviourAt(this.#plan, now - this.#created);
    if (run.role === 'init') return behaviour === 'init-crash' && this.#hasFailures(run) ? 'fail' : 'complete';
    if (run.role === 'sidecar') return 'ready';
    if (behaviour === 'init-crash') return this.#plan.otherwise;
    const fails = behaviour === 'crash' || behaviour === 'fail';
    return fails && !this.#hasFailures(run) ? this.#plan.otherwise : behaviour;
  }

  #hasFailures(run: ContainerRun): boolean {
    return run.restarts < this.#plan.failures;
  }

  #readyAt(run: ContainerRun, behaviour: Behaviour, now: number): number {
    if (run.role === 'init' || behaviour === 'never-ready' || run.state.is !== 'running') return Infinity;
    if (run.role === 'sidecar') return run.state.startedAt;
    return Math.max(run.state.startedAt + this.#plan.readyAfter, this.#turnedAt(now));
  }

  #endsAt(run: ContainerRun, behaviour: Behaviour, now: number): number {
    if (run.state.is !== 'running') return Infinity;
    if (run.role === 'init') return run.state.startedAt + this.#plan.initFor;
    if (!ENDING.has(behaviour)) return Infinity;
    return Math.max(run.state.startedAt + this.#plan.runsFor, this.#turnedAt(now));
  }

  /** When the behaviour that holds now began. */
  #turnedAt(now: number): number {
    const age = now - this.#created;
    if (age >= this.#plan.until) return this.#created + this.#plan.until;
    return age >= this.#plan.after ? this.#created + this.#plan.after : this.#created;
  }

  #probeAt(run: ContainerRun, behaviour: Behaviour): number {
    if (behaviour !== 'never-ready' || run.role !== 'main' || run.state.is !== 'running') return Infinity;
    return probeTime(run.state.startedAt, run.probes);
  }

  #keepUp(run: ContainerRun, startedAt: number, now: number): boolean {
    const behaviour = this.#behaviourOf(run, now);
    if (this.#endsAt(run, behaviour, now) <= now) {
      this.#end(run, { behaviour, startedAt, finishedAt: now });
      return true;
    }
    if (run.ready && behaviour === 'never-ready') run.ready = false;
    else if (!run.ready && this.#readyAt(run, behaviour, now) <= now) run.ready = true;
    else if (this.#probeAt(run, behaviour) <= now) this.#failProbe(run);
    else return false;
    return true;
  }

  #failProbe(run: ContainerRun): void {
    run.probes += 1;
    const message = this.#plan.message ?? 'Readiness probe failed: HTTP probe failed with statuscode: 503';
    this.#tell(run, 'Warning', `Unhealthy: ${message}`);
  }

  #end(
    run: ContainerRun,
    { behaviour, startedAt, finishedAt }: { readonly behaviour: Behaviour } & Pick<Ended, 'startedAt' | 'finishedAt'>,
  ): void {
    const exitCode = behaviour === 'complete' ? 0 : this.#plan.exitCode;
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    run.state = { is: 'terminated', exitCode, reason, startedAt, finishedAt };
    run.ready = run.role === 'init' && exitCode === 0;
    this.#witness.ended(run.name);
    const restarts =
      this.#policy === 'Always' ? run.role !== 'init' || exitCode !== 0 : !this.neverRestarts && exitCode !== 0;
    run.due = restarts ? finishedAt + SYNC_MS : Infinity;
    if (finishedAt - startedAt > FORGIVEN_AFTER_MS) run.backoff = 0;
  }

  /** The first restart comes at once. */
  #backOff(run: ContainerRun, ended: Ended, now: number): void {
    run.last = ended;
    if (run.backoff === 0) {
      run.backoff = FIRST_BACKOFF_MS;
      this.#start(run, now);
      return;
    }
    const pause = formatDuration(run.backoff);
    const message = `back-off ${pause} restarting failed container=${run.name} pod=${this.#identity}`;
    run.state = { is: 'waiting', reason: 'CrashLoopBackOff', message };
    run.due = ended.finishedAt + run.backoff;
    run.backoff = Math.min(run.backoff * 2, LAST_BACKOFF_MS);
    this.#tell(run, 'Warning', `BackOff: Back-off restarting failed container ${run.name} in pod ${this.#identity}`);
  }

  #wake(run: ContainerRun, now: number): void {
    if (run.state.is === 'waiting' && run.state.reason === 'ErrImagePull') this.#awaitImage(run, run.state.message);
    else this.#start(run, now);
  }

  #awaitImage(run: ContainerRun, fault = ''): void {
    const backingOff = `Back-off pulling image "${run.image}"`;
    run.state = { is: 'waiting', reason: 'ImagePullBackOff', message: `${backingOff}: ErrImagePull: ${fault}` };
    run.due = (run.pullFailedAt ?? 0) + run.backoff;
    run.backoff = Math.min(run.backoff * 2, LAST_BACKOFF_MS);
    this.#tell(run, 'Normal', `BackOff: ${backingOff}`);
    this.#tell(run, 'Warning', 'Failed: Error: ImagePullBackOff');
  }

  #start(run: ContainerRun, now: number): void {
    const unavailable = run.role === 'main' && behaviourAt(this.#plan, now - this.#created) === 'image-pull-error';
    if (unavailable && run.last === undefined) {
      this.#failPull(run, now);
      return;
    }
    this.#pull(run);
    if (run.pullFailedAt !== undefined) run.backoff = 0;
    run.pullFailedAt = undefined;
    if (run.last !== undefined) run.restarts += 1;
    run.state = { is: 'running', startedAt: now };
    run.probes = 0;
    this.#tell(run, 'Normal', 'Created: Container created');
    this.#tell(run, 'Normal', 'Started: Container started');
    this.#witness.started(run.name, now);
  }

  #pull(run: ContainerRun): void {
    const { image } = run;
    if (this.#witness.hasImage(image) && !run.pullAlways) {
      const there = `Container image "${image}" already present on machine and can be accessed by the pod`;
      this.#tell(run, 'Normal', `Pulled: ${there}`);
      return;
    }
    this.#tell(run, 'Normal', `Pulling: Pulling image "${image}"`);
    const took = '100ms (100ms including waiting). Image size: 1000000 bytes.';
    this.#tell(run, 'Normal', `Pulled: Successfully pulled image "${image}" in ${took}`);
  }

  /** The reason why is told by turns with that it waits. */
  #failPull(run: ContainerRun, now: number): void {
    const { image } = run;
    const fault =
      this.#plan.message ??
      `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
    run.backoff = run.pullFailedAt === undefined ? FIRST_BACKOFF_MS : run.backoff;
    run.pullFailedAt = now;
    run.state = { is: 'waiting', reason: 'ErrImagePull', message: fault };
    run.due = now + Math.min(run.backoff / 2, FIRST_BACKOFF_MS);
    this.#tell(run, 'Normal', `Pulling: Pulling image "${image}"`);
    this.#tell(run, 'Warning', `Failed: Failed to pull image "${image}": ${fault}`);
    this.#tell(run, 'Warning', 'Failed: Error: ErrImagePull');
  }

  /** `Reason: message` about the container. */
  #tell(run: ContainerRun, type: Occurrence['type'], text: string): void {
    const colon = text.indexOf(': ');
    const field = run.role === 'main' ? 'containers' : 'initContainers';
    const fieldPath = `spec.${field}{${run.name}}`;
    this.#witness.tell({ type, reason: text.slice(0, colon), message: text.slice(colon + 2), fieldPath });
  }
}

function probeTime(startedAt: number, probes: number): number {
  const quick = Math.min(probes, PROBE_BURST);
  return startedAt + quick * PROBE_MS + Math.max(0, probes - PROBE_BURST) * SLOW_PROBE_MS + START_MS;
}

/** Of these, somebody else has told. */
function probesBy({ startedAt }: { readonly startedAt: number }, now: number): number {
  let probes = 0;
  while (probeTime(startedAt, probes) <= now) probes += 1;
  return probes;
}

const ENDING: ReadonlySet<Behaviour> = new Set(['complete', 'fail', 'crash']);

/** What comes after it may start. */
function isPassed(run: ContainerRun): boolean {
  if (run.role === 'sidecar') return run.state.is === 'running';
  return run.state.is === 'terminated' && run.state.exitCode === 0;
}

function containersOf(pod: StoredObject, due: number): readonly ContainerRun[] {
  const init = mapsAt(pod, 'spec', 'initContainers').map((container) => {
    const role: ContainerRun['role'] = container.restartPolicy === 'Always' ? 'sidecar' : 'init';
    return { container, role };
  });
  const main = mapsAt(pod, 'spec', 'containers').map((container) => ({ container, role: 'main' as const }));
  const reason = init.length === 0 ? 'ContainerCreating' : 'PodInitializing';
  return [...init, ...main].map(({ container, role }) => {
    const fresh = freshRun(container, { role, reason, due });
    const field = role === 'main' ? 'containerStatuses' : 'initContainerStatuses';
    const known = mapsAt(pod, 'status', field).find(({ name }) => name === fresh.name);
    return known === undefined ? fresh : resumed(fresh, known);
  });
}

function freshRun(
  container: JsonMap,
  { role, reason, due }: { readonly role: ContainerRun['role']; readonly reason: string; readonly due: number },
): ContainerRun {
  return {
    name: textAt(container, 'name'),
    image: textAt(container, 'image'),
    role,
    pullAlways: container.imagePullPolicy === 'Always',
    state: { is: 'waiting', reason },
    last: undefined,
    restarts: 0,
    ready: false,
    due,
    backoff: 0,
    pullFailedAt: undefined,
    probes: 0,
  };
}

/** As a kubelet that starts anew finds it. */
function resumed(fresh: ContainerRun, status: JsonMap): ContainerRun {
  const restarts = countAt(status, 'restartCount');
  const startedAt = timeAt(status, 'state', 'running', 'startedAt');
  const state = startedAt === undefined ? endedState(status) : ({ is: 'running', startedAt } as const);
  const pause = restarts === 0 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (restarts - 1), LAST_BACKOFF_MS);
  const last = endedRun(mapAt(status, 'lastState', 'terminated'));
  const run = { ...fresh, restarts, last, backoff: pause, ready: status.ready === true };
  if (state !== undefined) return { ...run, state };
  const { reason = fresh.state.is, message } = mapAt(status, 'state', 'waiting');
  const waiting = {
    is: 'waiting',
    reason: String(reason),
    ...(typeof message === 'string' ? { message } : {}),
  } as const;
  const backoff = Math.min(pause * 2, LAST_BACKOFF_MS);
  return { ...run, state: waiting, ...(last === undefined ? {} : { due: last.finishedAt + pause, backoff }) };
}

function endedState(status: JsonMap): ContainerState | undefined {
  const ended = endedRun(mapAt(status, 'state', 'terminated'));
  return ended === undefined ? undefined : { is: 'terminated', ...ended };
}

function endedRun(terminated: JsonMap): Ended | undefined {
  const startedAt = timeAt(terminated, 'startedAt');
  const finishedAt = timeAt(terminated, 'finishedAt');
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  const exitCode = countAt(terminated, 'exitCode');
  return { exitCode, reason: textAt(terminated, 'reason'), startedAt, finishedAt };
}
