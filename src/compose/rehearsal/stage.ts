import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { customResourceDefinitions } from '../../api/crd.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { GROUP, OPERATOR_NAMESPACE } from '../../api/names.ts';
import { createEmbeddedCluster } from '../../embedded/api/index.ts';
import { type ApiServer, kubeconfigFor, startApiServer } from '../../embedded/http/index.ts';
import type { Resource } from '../../embedded/model/resource.ts';
import type { Scenario } from '../../embedded/scenario/types.ts';
import { Activity } from '../../embedded/time/activity.ts';
import { seededRandom } from '../../embedded/time/seeded.ts';
import { VirtualTime } from '../../embedded/time/virtual-time.ts';
import { createAuthority } from '../../lib/tls/certificate.ts';
import { createLineLog } from '../../adapters/log/line-log.ts';
import type { Cluster, WriteRequest } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import type { OperatorParts, OperatorPlan } from '../operator.ts';
import { passThrough } from '../pass-through.ts';
import type { Failure } from './failure.ts';
import { failingRender } from './failure-rules.ts';
import { helmTraffic } from './helm-traffic.ts';
import { HookWatch } from './hook-watch.ts';
import { beginLife, type Life } from './life.ts';
import { type KnownVersions, Programs } from './mortal-runner.ts';
import { objectsOfReleases } from './release-objects.ts';
import type { LocalCharts } from './rehearsed-artifacts.ts';
import { Recorder, type Recording, type StageSnapshot } from './recording.ts';
import { Reliving } from './reliving.ts';
import { type Step, Steps } from './steps.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

/** Runs an operator with such parts until it is told to stop. */
export type OperatorStarter = (parts: OperatorParts, stop: AbortSignal) => Promise<number>;

export interface StageOptions {
  /** An empty folder for this stage alone. */
  readonly dir: string;
  readonly shared: SharedKnowledge;
  readonly charts: LocalCharts;
  readonly plan: Omit<OperatorPlan, 'clock' | 'log' | 'kubeconfig' | 'context'>;
  readonly scenario: Scenario;
  readonly seed: number;
  readonly wall: Clock;
  readonly onLog: (line: string) => void;
  readonly startOperator: OperatorStarter;
  readonly from?: Origin | undefined;
  /** Called once nothing of it is left. */
  readonly onClosed: (stage: Stage) => void;
}

/** What is the same on every stage, and worked out once. */
export interface SharedKnowledge {
  /** As `builtInResources()` gives them. */
  readonly resources: readonly Resource[];
  /** What programs have said of their versions. */
  readonly versions: KnownVersions;
}

/** Where a stage goes on from. */
export type Origin =
  | { readonly kind: 'snapshot'; readonly snapshot: StageSnapshot }
  /** The operator dies with the step that has this number, and another one takes its place. */
  | { readonly kind: 'kill'; readonly recording: Recording; readonly after: number };

function snapshotOf(origin: Origin | undefined): StageSnapshot | undefined {
  return origin?.kind === 'kill' ? origin.recording.from : origin?.snapshot;
}

/** When time begins on an empty stage: what is told of it reads like the time that has passed. */
const START = Date.UTC(2026, 0, 1);
/** What everything on a stage may take together. */
const LIMIT_MS = 7 * 24 * 3_600_000;
/** A pod is made anew within a few seconds of the death of the one before. */
const RESTART_MS = 2000;
export const SERVER_VERSION = 'v1.35.0';

/**
 * A cluster of its own, in which an operator as real as any works: only time and what runs in pods are pretended. Helm is
 * the real one, and reaches the cluster as it reaches any other.
 */
export class Stage {
  readonly clock: VirtualTime;
  readonly cluster: Cluster;
  /** As the users of the package reach it. */
  readonly usersCluster: Cluster;
  readonly serverVersion = SERVER_VERSION;
  readonly steps: Steps;
  readonly #options: StageOptions;
  readonly #activity = new Activity();
  readonly #programs = new Programs();
  readonly #simulated: SimulatedCluster;
  readonly #hooks: HookWatch;
  readonly #reliving: Reliving | undefined;
  #recorder: Recorder | undefined;
  #server: ApiServer | undefined;
  #life: Life | undefined;
  #lives = 0;
  #failures: readonly Failure[] = [];
  #killedAt: Step | undefined;

  private constructor(options: StageOptions) {
    const { from, seed, wall, scenario, shared } = options;
    const { resources } = shared;
    this.#options = options;
    const snapshot = snapshotOf(from);
    const content = snapshot?.content;
    // What was drawn before is in use.
    const random = seededRandom(seed + (content?.stored.revision ?? 0));
    this.clock = new VirtualTime({ start: snapshot?.now ?? START, random, activity: this.#activity, wall });
    this.#simulated = new SimulatedCluster({ clock: this.clock, random, scenario, resources, content });
    this.cluster = createEmbeddedCluster(this.#simulated.api, this.clock, { strictGroups: [GROUP] });
    this.usersCluster = { ...passThrough(this.cluster), write: (request) => this.#write(request) };
    this.steps = new Steps(
      () => this.clock.now(),
      (step) => this.#recorder?.mark(step),
    );
    this.#hooks = new HookWatch(this.#simulated.api);
    if (from?.kind === 'kill') this.#reliving = this.#relive(from);
    else this.#simulated.start();
  }

  static async open(options: StageOptions): Promise<Stage> {
    const stage = new Stage(options);
    await stage.#serve();
    if (options.from === undefined) await stage.run(() => stage.#furnish());
    return stage;
  }

  /** Lets time pass until the work has ended. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.clock.run(work(), LIMIT_MS);
  }

  /** Lets so many milliseconds pass. */
  pass(ms: number): Promise<void> {
    const passed = new Promise<void>((resolve) => {
      this.clock.after(ms, resolve);
    });
    return this.run(() => passed);
  }

  startOperator(): void {
    this.#lives += 1;
    const { dir, shared, charts, plan, wall, onLog, startOperator } = this.#options;
    const log = createLineLog({ format: 'text', level: 'debug', clock: this.clock, write: onLog });
    const life = beginLife({
      number: this.#lives,
      dir,
      charts,
      plan: { ...plan, kubeconfig: join(dir, 'kubeconfig') },
      cluster: this.cluster,
      time: this.clock,
      wall,
      log,
      activity: this.#activity,
      programs: this.#programs,
      versions: shared.versions,
      steps: this.steps,
      interfere: (command) => failingRender(this.#failures, command),
    });
    this.#life = life;
    void startOperator(life.parts, new AbortController().signal);
  }

  /** From now on, until a rollback begins. */
  fail(failures: readonly Failure[]): void {
    this.#failures = failures;
    this.#simulated.fail(failures);
  }

  /** Components whose failure took effect. */
  struck(): readonly string[] {
    const rendered = this.#failures.filter(({ kind }) => kind === 'render').map(({ component }) => component);
    return [...rendered, ...this.#simulated.struck()];
  }

  /** From now on, what happens is noted. */
  record(): void {
    this.#recorder = new Recorder({
      simulated: this.#simulated,
      now: () => this.clock.now(),
      lives: this.#lives,
    });
  }

  /** What was noted. */
  recording(): Recording {
    if (this.#recorder === undefined) throw new KubepkgError('Internal', 'nothing was recorded on this stage');
    return this.#recorder.end();
  }

  get killedAt(): Step | undefined {
    return this.#killedAt;
  }

  /** From now on, the runs of hooks are counted. */
  watchHooks(releases: readonly string[]): void {
    this.#hooks.begin(releases);
  }

  hookRuns(): Readonly<Record<string, number>> {
    return this.#hooks.runs();
  }

  /** By name, with what each holds; those of some releases do not matter. */
  objectsOfReleases(without: readonly string[]): ReadonlyMap<string, string> {
    return objectsOfReleases(this.#simulated.api, without);
  }

  snapshot(): StageSnapshot {
    return { content: this.#simulated.content(), now: this.clock.now() };
  }

  async close(): Promise<void> {
    this.clock.stop();
    this.#life?.mortality.die();
    await this.#programs.ended();
    this.#hooks.end();
    this.#simulated.stop();
    await this.#server?.close();
    this.#options.onClosed(this);
  }

  #relive({ recording, after }: Extract<Origin, { readonly kind: 'kill' }>): Reliving {
    this.#lives = recording.lives;
    return new Reliving(recording, {
      simulated: this.#simulated,
      clock: this.clock,
      cluster: this.cluster,
      until: after,
      onOver: () => {
        const steps = recording.steps.slice(0, after);
        this.#killedAt = steps.at(-1);
        this.steps.goOnFrom(steps);
        this.#simulated.start();
        this.clock.after(RESTART_MS, () => {
          this.startOperator();
        });
      },
    });
  }

  #write(request: WriteRequest): Promise<KubeObject> {
    if (this.#reliving !== undefined) return this.#reliving.write(request);
    return this.#recorder?.write(this.cluster, request) ?? this.cluster.write(request);
  }

  async #serve(): Promise<void> {
    const { dir, wall } = this.#options;
    // Programs of others check certificates by their own clocks.
    const authority = createAuthority('kubepkg rehearsal', wall.now());
    const { key, certificate } = authority.issue('kubernetes');
    const traffic = helmTraffic({ activity: this.#activity, programs: this.#programs, steps: this.steps });
    this.#server = await startApiServer({
      api: this.#simulated.api,
      clock: this.clock,
      tls: { key, cert: certificate, ca: authority.certificate },
      token: 'rehearsal',
      traffic,
    });
    writeFileSync(join(dir, 'kubeconfig'), kubeconfigFor(this.#server), { mode: 0o600 });
  }

  /** What an installation of kubepkg puts into a cluster. */
  async #furnish(): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATOR_NAMESPACE } };
    for (const object of [namespace, ...customResourceDefinitions()])
      await this.cluster.write({ verb: 'create', object });
  }
}
