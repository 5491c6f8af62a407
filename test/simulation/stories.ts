import type { Rng } from './prng.ts';
import type { Chart, ComponentPlan, DeliveryEnd, ObjectPlan, PackagePlan, Phase, VersionPlan } from './universe.ts';

/** What happens in a run that chance would seldom bring about; each makes one promise hard to keep. */
export const PLOTS = ['unsafe-between', 'decay', 'hooks-before', 'hook-and-newer', 'thief', 'away'] as const;
export type Plot = (typeof PLOTS)[number];

/** When somebody does something next. */
export type Cue = 'settled' | 'hook runs' | 'first is submitted' | 'a controller works';

/** `version`: that one is wanted (by its index); `steal`: somebody else installs the last component's release. */
export type Deed =
  | { readonly kind: 'version'; readonly index: number }
  | { readonly kind: 'steal' }
  | { readonly kind: 'controllers leave'; readonly minutes: number };

export interface Scene {
  readonly cue: Cue;
  readonly deed: Deed;
}

/** One package as a plot wants it, and what is done to it. */
export interface Story {
  readonly plan: Pick<PackagePlan, 'versions'> & Partial<PackagePlan>;
  readonly scenes: readonly Scene[];
  readonly timeout: string;
}

export function storyOf(plot: Plot, rng: Rng): Story {
  return new Teller(rng).tell(plot);
}

interface Nature {
  readonly readyAt?: number;
  readonly decaysAt?: number;
  readonly end?: DeliveryEnd;
}

class Teller {
  readonly #rng: Rng;
  #contents = 0;

  constructor(rng: Rng) {
    this.#rng = rng;
  }

  tell(plot: Plot): Story {
    switch (plot) {
      case 'unsafe-between':
        return this.#unsafeBetween();
      case 'decay':
        return this.#decay();
      case 'hooks-before':
        return this.#hooksBefore();
      case 'hook-and-newer':
        return this.#hookAndNewer();
      case 'thief':
        return this.#thief();
      case 'away':
        return this.#away();
    }
  }

  /** A safe version fails, and one before it, which never came to run, was not safe. */
  #unsafeBetween(): Story {
    const base = this.#component('base', {});
    const first = [base, this.#component('app', {})];
    const broken = (): readonly ComponentPlan[] => [base, this.#component('app', this.#failing())];
    return {
      plan: {
        versions: [version('1.0.0', true, first), version('1.1.0', false, broken()), version('2.0.0', true, broken())],
      },
      scenes: [
        { cue: 'settled', deed: { kind: 'version', index: 1 } },
        { cue: 'settled', deed: { kind: 'version', index: 2 } },
      ],
      timeout: '1m',
    };
  }

  /** The first is not what it was any more when the second is ready, long after. */
  #decay(): Story {
    const decaysAt = this.#rng.int(12, 30);
    const components = [
      this.#component('base', { readyAt: 6, decaysAt }),
      this.#component('cache', { readyAt: decaysAt + this.#rng.int(80, 120) }, ['base']),
      this.#component('app', {}, ['cache']),
    ];
    return { plan: { versions: [version('1.0.0', true, components)] }, scenes: [], timeout: '5m' };
  }

  /** What is gone back to has once had hooks. */
  #hooksBefore(): Story {
    const base = this.#component('base', {});
    const hooked = [base, this.#component('app', {}), this.#hook('migrate', 10)];
    const broken = [base, this.#component('app', this.#failing())];
    return {
      plan: {
        versions: [
          version('1.0.0', true, [base, this.#component('app', {})]),
          version('1.1.0', true, hooked),
          version('2.0.0', true, broken),
        ],
      },
      scenes: [
        { cue: 'settled', deed: { kind: 'version', index: 1 } },
        { cue: 'settled', deed: { kind: 'version', index: 2 } },
      ],
      timeout: '2m',
    };
  }

  /** Something newer is wanted while a hook is at work. */
  #hookAndNewer(): Story {
    const base = this.#component('base', {});
    const hooked = [base, this.#component('app', {}), this.#hook('migrate', this.#rng.int(20, 90))];
    return {
      plan: {
        versions: [
          version('1.0.0', true, [base]),
          version('1.1.0', true, hooked),
          version('2.0.0', true, [base, this.#component('app', {}), this.#hook('migrate', 10)]),
        ],
      },
      scenes: [
        { cue: 'settled', deed: { kind: 'version', index: 1 } },
        { cue: 'hook runs', deed: { kind: 'version', index: 2 } },
      ],
      timeout: '5m',
    };
  }

  /** A release of somebody else comes to where one is about to be made. */
  #thief(): Story {
    const components = [
      this.#component('base', { readyAt: this.#rng.int(15, 40) }),
      this.#component('app', {}, ['base']),
    ];
    return {
      plan: { versions: [version('1.0.0', true, components)] },
      scenes: [{ cue: 'first is submitted', deed: { kind: 'steal' } }],
      timeout: '2m',
    };
  }

  /** A controller goes away in the middle, and hears nothing for longer than anybody waits. */
  #away(): Story {
    const slow = { ...this.#component('base', {}), chart: this.#slowChart() };
    return {
      plan: { versions: [version('1.0.0', true, [slow])], backend: 'argocd' },
      scenes: [{ cue: 'a controller works', deed: { kind: 'controllers leave', minutes: this.#rng.int(3, 12) } }],
      timeout: '1m',
    };
  }

  #slowChart(): Chart {
    const script = { phases: [{ at: 5, health: 'ready' as const }], generation: 'status' as const };
    return { ...this.#chart('base', { kind: 'Deployment', name: 'base', script }, 'well'), seconds: 300 };
  }

  #failing(): Nature {
    return this.#rng.pick<Nature>([{ readyAt: 100_000 }, { end: 'immutable' }, { end: 'broken' }]);
  }

  #component(name: string, nature: Nature, dependsOn: readonly string[] = []): ComponentPlan {
    const { readyAt = this.#rng.int(3, 10), decaysAt, end = 'well' } = nature;
    const phases: readonly Phase[] = [
      { at: 1, health: 'progressing' },
      { at: readyAt, health: 'ready' },
      ...(decaysAt === undefined ? [] : [{ at: decaysAt, health: 'progressing' as const }]),
    ];
    const object: ObjectPlan = { kind: 'Deployment', name, script: { phases, generation: 'status' } };
    return { ...placed(name), hook: false, dependsOn, chart: this.#chart(name, object, end) };
  }

  #hook(name: string, seconds: number): ComponentPlan {
    const job = { startsAfter: 1, endsAfter: seconds, succeeds: true };
    return { ...placed(name), hook: true, dependsOn: [], chart: this.#chart(name, { kind: 'Job', name, job }, 'well') };
  }

  #chart(name: string, object: ObjectPlan, end: DeliveryEnd): Chart {
    this.#contents += 1;
    return { content: `alpha/${name}/${String(this.#contents)}`, objects: [object], seconds: this.#rng.int(0, 3), end };
  }
}

function placed(name: string): Pick<ComponentPlan, 'name' | 'namespace' | 'releaseName'> {
  return { name, namespace: 'ns-alpha', releaseName: name };
}

function version(name: string, safe: boolean, components: readonly ComponentPlan[]): VersionPlan {
  return { version: name, safe, components };
}
