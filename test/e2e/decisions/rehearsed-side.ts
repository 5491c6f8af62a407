import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { parsePackage, parsePackageSource } from '../../../src/api/parse.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import { runCli } from '../../../src/cli/main.ts';
import { prepareStage } from '../../../src/cli/rehearse/matrix.ts';
import { type PlayHands, playFrom } from '../../../src/cli/rehearse/play-from.ts';
import type { Wishes } from '../../../src/cli/rehearse/rehearsal-case.ts';
import { DEFAULT_BACKEND } from '../../../src/compose/backend-names.ts';
import type { Failure } from '../../../src/compose/rehearsal/failure.ts';
import {
  type RehearsalSettings,
  type Rehearsals,
  type StageSnapshot,
  withRehearsals,
} from '../../../src/compose/rehearsal/rehearsals.ts';
import type { DesiredPackage } from '../../../src/domain/resolve/desired.ts';
import { resolvePackage } from '../../../src/domain/resolve/resolve-package.ts';
import { parseScenario, type Scenario } from '../../../src/embedded/scenario/index.ts';
import { runRehearsedOperator } from '../../../src/operator/rehearsed.ts';
import { CliWorld } from '../../fakes/cli-world.ts';
import { type Decided, PATIENT } from './decided.ts';
import type { Published } from './published.ts';
import { Recording } from './recording.ts';
import { scenarioOf } from './scenario-of.ts';

interface Installed {
  readonly decided: readonly string[];
  readonly snapshot: StageSnapshot;
}

/** Upgrades of one package as `kubepkg rehearse` plays them, all from one install. */
export class RehearsedSide {
  readonly #published: Published;
  readonly #rehearsals: Rehearsals;
  readonly #wishes: Wishes;
  #installed: Promise<Installed> | undefined;
  /** Of the stage that was opened last. */
  #recording: Recording | undefined;

  private constructor(published: Published, rehearsals: Rehearsals) {
    const { id, sources } = published;
    const [from, to] = sources.map((source) => ({ source, trees: new Map() }));
    if (from === undefined || to === undefined) throw new Error('a package has two editions');
    this.#published = published;
    this.#rehearsals = { ...rehearsals, open: (scenario, stage) => this.#open(rehearsals, scenario, stage) };
    const desired = desiredOf(sources[1]);
    this.#wishes = { name: id, from, to, desired, isScripted: true, values: new Map() };
  }

  static with<T>(
    published: Published,
    settings: RehearsalSettings,
    use: (side: RehearsedSide) => Promise<T>,
  ): Promise<T> {
    const place = { clock: new SystemClock(), env: process.env, startOperator: runRehearsedOperator };
    return withRehearsals(place, settings, (rehearsals) => use(new RehearsedSide(published, rehearsals)));
  }

  async play(failures: readonly Failure[], timeout: string): Promise<Decided> {
    this.#installed ??= this.#install();
    const { decided, snapshot } = await this.#installed;
    const { exitCode } = await playFrom(this.#hands(1, timeout), snapshot, { failures });
    return { install: decided, ...this.#read(), exitCode };
  }

  async #install(): Promise<Installed> {
    const { snapshot } = await prepareStage(this.#hands(0, PATIENT));
    return { decided: this.#read().upgrade, snapshot };
  }

  #hands(edition: 0 | 1, timeout: string): PlayHands {
    const host = { ...new CliWorld().host(), runCommand: runCli };
    const text = scenarioOf(this.#published, edition);
    const scenario = parseScenario(text, 'scenario.yaml');
    return { host, rehearsals: this.#rehearsals, wishes: { ...this.#wishes, timeout }, scenario };
  }

  #read(): Omit<Decided, 'install' | 'exitCode'> {
    const recording = this.#recording;
    if (recording === undefined) throw new Error('nothing was played');
    return { upgrade: recording.take(), conditions: recording.conditions(), releases: recording.releases() };
  }

  async #open(rehearsals: Rehearsals, scenario: Scenario, from?: StageSnapshot): ReturnType<Rehearsals['open']> {
    const stage = await rehearsals.open(scenario, from);
    this.#recording = await Recording.begin(stage.cluster, this.#published.id);
    return stage;
  }
}

/** What an edition comes to. */
export function desiredOf(source: KubeObject): DesiredPackage {
  const { name } = source.metadata;
  const parsed = parsePackageSource(source);
  const pkg = parsePackage({ apiVersion: API_VERSION, kind: 'Package', metadata: { name }, spec: {} });
  if (!parsed.ok) throw parsed.error;
  if (!pkg.ok) throw pkg.error;
  const resolution = resolvePackage(pkg.value, parsed.value, { defaultBackend: DEFAULT_BACKEND });
  if (resolution.kind === 'resolved') return resolution.desired;
  throw new Error(resolution.message);
}
