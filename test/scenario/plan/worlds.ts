import fc from 'fast-check';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { aPackage, aSource } from '../../build/objects.ts';
import { graphs, type Misfortune, misfortunes } from '../decide/misfortunes.ts';
import { Model } from '../decide/model.ts';

interface Happening {
  readonly misfortune: Misfortune;
  /** Steps before it. */
  readonly after: number;
}

export interface Life {
  readonly components: readonly SourceComponent[];
  readonly happenings: readonly Happening[];
}

/** What has befallen a package so far: it may be fresh, applied, failed, in the middle of something, moved, deleted. */
export const lives: fc.Arbitrary<Life> = fc.record({
  components: graphs,
  happenings: fc.array(fc.record({ misfortune: misfortunes, after: fc.nat({ max: 14 }) }), { maxLength: 12 }),
});

export function modelOf({ components, happenings }: Life): Model {
  const model = new Model(aPackage({}, { finalizers: [] }), aSource(components));
  for (const { misfortune, after } of happenings) {
    for (let step = 0; step < after; step += 1) model.step();
    misfortune.befall(model);
  }
  return model;
}
