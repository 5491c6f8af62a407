import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import type { ClusterAccess } from '../../../src/adapters/kube/access.ts';
import { findAccess } from '../../../src/adapters/kube/create-cluster.ts';
import { Life } from './life.ts';
import {
  type AwkwardModes,
  type HelmControllerOptions,
  type HelmControllerStandin,
  type Moment,
  NO_MODES,
  REAL_TIMING,
  type Sabotage,
} from './options.ts';
import type { ObjectName } from './spec.ts';

/** A stand-in for Flux's helm-controller: real helm underneath, and the statuses that the real one was seen to write. */
export async function startHelmController(options: HelmControllerOptions): Promise<HelmControllerStandin> {
  const standin = new Standin(options);
  await standin.start();
  return standin;
}

interface Crash {
  readonly moment: Moment;
  readonly about: ObjectName | undefined;
  readonly done: () => void;
}

class Standin implements HelmControllerStandin {
  readonly #options: HelmControllerOptions;
  readonly #access: ClusterAccess;
  #modes: AwkwardModes;
  #life: Life | undefined;
  #crash: Crash | undefined;
  #isFrozen = false;

  constructor(options: HelmControllerOptions) {
    this.#options = options;
    this.#access = findAccess({ kubeconfig: options.kubeconfig, env: {} });
    this.#modes = { ...NO_MODES, ...options.modes };
  }

  async start(): Promise<void> {
    await this.kill();
    const { helm, clock = new SystemClock(), timing, accepts = () => true, onError = throwUncaught } = this.#options;
    this.#life = await Life.start({
      access: this.#access,
      helm,
      clock,
      timing: { ...REAL_TIMING, ...timing },
      modes: () => this.#modes,
      takeConflict: () => this.#takeConflict(),
      takeSabotage: (action) => this.#takeSabotage(action),
      accepts,
      moment: (moment, about) => this.#moment(moment, about),
      onError,
    });
    if (this.#isFrozen) this.#life.freeze();
  }

  async kill(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    await life?.end();
  }

  close(): Promise<void> {
    return this.kill();
  }

  pause(): void {
    this.#isFrozen = true;
    this.#life?.freeze();
  }

  resume(): void {
    this.#isFrozen = false;
    this.#life?.thaw();
  }

  set(modes: Partial<AwkwardModes>): void {
    this.#modes = { ...this.#modes, ...modes };
  }

  crashAt(moment: Moment, about?: ObjectName): Promise<void> {
    return new Promise((resolve) => {
      this.#crash = { moment, about, done: resolve };
    });
  }

  async #moment(moment: Moment, about: ObjectName): Promise<void> {
    const crash = this.#crash;
    if (crash === undefined || crash.moment !== moment || !isAbout(crash.about, about)) return;
    this.#crash = undefined;
    await this.start();
    crash.done();
  }

  #takeConflict(): boolean {
    const { conflicts } = this.#modes;
    if (conflicts > 0) this.set({ conflicts: conflicts - 1 });
    return conflicts > 0;
  }

  #takeSabotage(action: Sabotage['action']): Sabotage | undefined {
    const { sabotage } = this.#modes;
    if (sabotage?.action !== action) return undefined;
    this.set({ sabotage: sabotage.times > 1 ? { ...sabotage, times: sabotage.times - 1 } : undefined });
    return sabotage;
  }
}

function isAbout(wanted: ObjectName | undefined, about: ObjectName): boolean {
  return wanted === undefined || (wanted.namespace === about.namespace && wanted.name === about.name);
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
