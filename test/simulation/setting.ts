import { Rng } from './prng.ts';
import type { Deliverer } from './record.ts';
import { PLOTS, type Story, storyOf } from './stories.ts';
import { BACKENDS, makePackages, type PackagePlan, type UniverseOptions } from './universe.ts';

export interface Setting {
  readonly packages: readonly PackagePlan[];
  /** What the first package is made for, and what is done to it; undefined: nothing in particular. */
  readonly story: Story | undefined;
  /** What delivers a package that does not say. */
  readonly defaultBackend: Deliverer;
}

/** All that a seed decides before anything happens. */
export function settingOf(seed: number, options: UniverseOptions): Setting {
  const rng = new Rng(`${String(seed)} universe`);
  const packages = makePackages(rng, options);
  const story = rng.chance(0.4) ? storyOf(rng.pick(PLOTS), rng) : undefined;
  const [first, ...others] = packages;
  const told = first === undefined || story === undefined ? packages : [{ ...first, ...story.plan }, ...others];
  return { packages: told, story, defaultBackend: rng.pick(BACKENDS) };
}
