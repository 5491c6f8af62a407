import type { Rng } from './prng.ts';
import type { Deliverer } from './record.ts';

export type Health = 'progressing' | 'ready' | 'failed' | 'unknown';

/** From so many seconds after the controller has taken up a change, its object says this. */
export interface Phase {
  readonly at: number;
  readonly health: Health;
}

/** What the controller of an object does with each new generation of it. */
export interface Script {
  readonly phases: readonly Phase[];
  /** Where its status says which generation it is about. */
  readonly generation: 'status' | 'condition' | 'string' | 'none';
  /** Seconds that a finalizer of the controller holds a deleted object back; `never`: for good. */
  readonly finalizer?: number | 'never';
}

export interface JobScript {
  readonly startsAfter: number;
  readonly endsAfter: number;
  readonly succeeds: boolean;
  /** Seconds after its end until it is removed. */
  readonly ttl?: number;
}

export type ObjectPlan =
  | { readonly kind: 'Deployment' | 'Widget'; readonly name: string; readonly script: Script }
  | { readonly kind: 'Job'; readonly name: string; readonly job: JobScript }
  | { readonly kind: 'ConfigMap' | 'PersistentVolumeClaim'; readonly name: string };

export type DeliveryEnd = 'well' | 'render' | 'immutable' | 'broken';

/** What is in a chart: equal content, equal digest. */
export interface Chart {
  readonly content: string;
  readonly objects: readonly ObjectPlan[];
  readonly seconds: number;
  readonly end: DeliveryEnd;
}

export interface ComponentPlan {
  readonly name: string;
  readonly hook: boolean;
  readonly dependsOn: readonly string[];
  readonly namespace: string;
  readonly releaseName: string;
  readonly chart: Chart;
}

export interface VersionPlan {
  readonly version: string;
  readonly safe: boolean;
  readonly components: readonly ComponentPlan[];
}

export interface RequirementPlan {
  readonly package: string;
  readonly optional?: boolean;
  readonly version?: string;
}

export interface PackagePlan {
  readonly name: string;
  /** Undefined: the default. */
  readonly backend: Deliverer | undefined;
  readonly versions: readonly [VersionPlan, ...VersionPlan[]];
  readonly requires: readonly RequirementPlan[];
}

export interface UniverseOptions {
  readonly hooks: boolean;
}

const VERSIONS = ['1.0.0', '1.1.0', '2.0.0', '2.1.0'] as const;
const NAMES = ['app', 'base', 'cache', 'data'] as const;
export const BACKENDS = ['helm', 'flux', 'argocd'] as const;

/** The packages of one run, all their versions, and how everything in them behaves. */
export function makePackages(rng: Rng, options: UniverseOptions): readonly PackagePlan[] {
  const names = rng.chance(0.4) ? ['alpha', 'beta'] : ['alpha'];
  return names.map((name, index) => new PackageMaker(rng, name, options).make(index > 0));
}

class PackageMaker {
  readonly #rng: Rng;
  readonly #name: string;
  readonly #options: UniverseOptions;
  /** A component may depend on those before it in here. */
  readonly #ranks: readonly string[];
  /** How likely it is that something misbehaves. */
  #misery: number;
  #contents = 0;
  /** Components that had an object whose status named no generation. */
  readonly #nameless = new Set<string>();

  constructor(rng: Rng, name: string, options: UniverseOptions) {
    this.#rng = rng;
    this.#name = name;
    this.#options = options;
    this.#ranks = rng.shuffled(NAMES);
    this.#misery = rng.pick([0, 0.2, 0.3, 0.5]);
  }

  make(isDependent: boolean): PackagePlan {
    const usual = this.#misery;
    // Only what has run once can be upgraded, and gone back to.
    this.#misery = this.#rng.chance(0.7) ? 0 : usual;
    const first = this.#firstVersion();
    this.#misery = usual;
    const versions: [VersionPlan, ...VersionPlan[]] = [first];
    const count = this.#rng.int(2, VERSIONS.length);
    for (const version of VERSIONS.slice(1, count)) versions.push(this.#nextVersion(version, versions.at(-1) ?? first));
    const backend = this.#rng.chance(0.5) ? this.#rng.pick(BACKENDS) : undefined;
    return { name: this.#name, backend, versions, requires: isDependent ? this.#requirements() : [] };
  }

  #requirements(): readonly RequirementPlan[] {
    return [
      this.#rng.pick<RequirementPlan>([
        { package: 'alpha' },
        { package: 'alpha', optional: true },
        { package: 'alpha', version: '>=1.1.0' },
        { package: 'alpha', version: '<2.0.0' },
      ]),
    ];
  }

  #firstVersion(): VersionPlan {
    const count = this.#rng.int(1, 4);
    const chosen = this.#rng.shuffled(NAMES).slice(0, count);
    return this.#version(
      VERSIONS[0],
      chosen.map((name) => this.#component(name)),
    );
  }

  #nextVersion(version: string, former: VersionPlan): VersionPlan {
    const kept = former.components.filter(({ hook }) => !hook).flatMap((component) => this.#successor(component));
    const missing = NAMES.filter((name) => !kept.some((component) => component.name === name));
    const added = this.#rng.pick(missing);
    const isAdded = kept.length === 0 || this.#rng.chance(0.3);
    const components = added !== undefined && isAdded ? [...kept, this.#component(added)] : kept;
    return this.#version(version, this.#rng.chance(0.3) ? this.#rng.shuffled(components) : components);
  }

  #successor(component: ComponentPlan): readonly ComponentPlan[] {
    const chart = this.#rng.chance(0.5) ? component.chart : this.#chart(component.name);
    const other = component.namespace.endsWith('-b') ? `ns-${this.#name}` : `ns-${this.#name}-b`;
    return this.#rng.weighted<readonly ComponentPlan[]>([
      [[{ ...component, chart }], 8],
      [[], 1],
      [[{ ...component, chart, namespace: other }], 1],
    ]);
  }

  #version(version: string, components: readonly ComponentPlan[]): VersionPlan {
    const hooks = this.#options.hooks ? ['migrate', 'backup'].slice(0, this.#rng.int(0, 2)) : [];
    const all = [...components, ...hooks.map((name) => this.#hook(name, version))];
    const names = new Set(all.map(({ name }) => name));
    const linked = all.map((component) => ({ ...component, dependsOn: this.#dependencies(component, names) }));
    return { version, safe: this.#rng.chance(0.7), components: this.#rng.shuffled(linked) };
  }

  #dependencies({ name, hook }: ComponentPlan, names: ReadonlySet<string>): readonly string[] {
    if (hook) return name === 'backup' && names.has('migrate') && this.#rng.chance(0.5) ? ['migrate'] : [];
    const below = this.#ranks.slice(0, this.#ranks.indexOf(name)).filter((other) => names.has(other));
    return below.filter(() => this.#rng.chance(0.4));
  }

  #component(name: string): ComponentPlan {
    const namespace = `ns-${this.#name}`;
    return { name, hook: false, dependsOn: [], namespace, releaseName: name, chart: this.#chart(name) };
  }

  #hook(name: string, version: string): ComponentPlan {
    const job: JobScript = {
      startsAfter: this.#seconds(5),
      endsAfter: this.#seconds(90),
      succeeds: !this.#rng.chance(this.#misery / 2),
      ...(this.#rng.chance(0.2) ? { ttl: this.#rng.pick([0, 5]) } : {}),
    };
    const jobName = this.#rng.chance(0.5) ? `${name}-${version.replaceAll('.', '-')}` : name;
    const chart = this.#sealed(name, [{ kind: 'Job', name: jobName, job }]);
    return { name, hook: true, dependsOn: [], namespace: `ns-${this.#name}`, releaseName: name, chart };
  }

  #chart(name: string): Chart {
    const objects: ObjectPlan[] = [{ kind: 'Deployment', name, script: this.#script(name) }];
    if (this.#rng.chance(0.4)) objects.push({ kind: 'Widget', name, script: this.#script(name) });
    if (this.#rng.chance(0.3)) objects.push({ kind: 'ConfigMap', name });
    if (this.#rng.chance(0.2)) objects.push({ kind: 'PersistentVolumeClaim', name });
    return this.#sealed(name, objects);
  }

  #sealed(name: string, objects: readonly ObjectPlan[]): Chart {
    this.#contents += 1;
    const content = `${this.#name}/${name}/${String(this.#contents)}`;
    const isBad = this.#rng.chance(this.#misery / 3);
    const end = isBad ? this.#rng.pick<DeliveryEnd>(['render', 'immutable', 'broken']) : 'well';
    return { content, objects, seconds: this.#rng.chance(0.1) ? this.#seconds(200) : this.#seconds(4), end };
  }

  #script(name: string): Script {
    const phases = this.#rng.chance(this.#misery) ? this.#badPhases() : this.#goodPhases();
    const generation = this.#rng.pick(['status', 'status', 'condition', 'string', 'none'] as const);
    const held = this.#rng.chance(0.15);
    const finalizer = this.#rng.chance(0.8) ? this.#seconds(40) : ('never' as const);
    // What names no generation is believed after a while: such a controller answers at once, or it would be a liar, also
    // when it learns to name one.
    if (generation === 'none') this.#nameless.add(name);
    const answered = this.#nameless.has(name)
      ? [{ at: this.#seconds(3), health: 'progressing' as const }, ...phases.slice(1)]
      : phases;
    return { phases: answered, generation, ...(held ? { finalizer } : {}) };
  }

  #goodPhases(): readonly Phase[] {
    const start = this.#seconds(2);
    return [
      { at: start, health: 'progressing' },
      { at: 3 + start + this.#seconds(50), health: 'ready' },
    ];
  }

  #badPhases(): readonly Phase[] {
    const [first = { at: 1, health: 'progressing' }, ready = { at: 9, health: 'ready' }] = this.#goodPhases();
    const later = ready.at + this.#seconds(120);
    const never: readonly Phase[] = [first];
    const failing: readonly Phase[] = [first, { at: later, health: 'failed' }];
    const flapping: readonly Phase[] = [
      first,
      ready,
      { at: later, health: 'progressing' },
      { at: later + 90, health: 'ready' },
    ];
    const passing: readonly Phase[] = [
      first,
      { at: ready.at, health: 'failed' },
      { at: ready.at + 15, health: 'ready' },
    ];
    const decaying: readonly Phase[] = [first, ready, { at: later, health: 'progressing' }];
    const late: readonly Phase[] = [
      { at: this.#seconds(200), health: 'progressing' },
      { at: 210, health: 'ready' },
    ];
    const doubtful: readonly Phase[] = [first, { at: ready.at, health: 'unknown' }, { at: later, health: 'ready' }];
    return this.#rng.pick([never, failing, flapping, passing, decaying, late, doubtful]);
  }

  /** Short ones are likelier. */
  #seconds(most: number): number {
    return Math.round(most * this.#rng.next() ** 2 * 1000) / 1000;
  }
}
