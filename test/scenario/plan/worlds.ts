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
  /** What is wanted in the end; absent: what was wanted before. */
  readonly wish: Wish | null;
}

interface Wish {
  readonly components: readonly SourceComponent[];
  readonly version: string;
  readonly safe: boolean;
  readonly namespace: string;
}

/** What has befallen a package so far: it may be fresh, applied, failed, in the middle of something, moved, deleted. */
export const lives: fc.Arbitrary<Life> = fc.record({
  components: graphs,
  happenings: fc.array(fc.record({ misfortune: misfortunes, after: fc.nat({ max: 10 }) }), { maxLength: 10 }),
  wish: fc.option(
    fc.record({
      components: graphs,
      version: fc.constantFrom('1.0.0', '1.1.0', '2.0.0'),
      safe: fc.boolean(),
      namespace: fc.constantFrom('shop', 'shop', 'data'),
    }),
    { freq: 3 },
  ),
});

export function modelOf({ components, happenings, wish }: Life): Model {
  const model = new Model(aPackage({}, { finalizers: [] }), aSource(components));
  for (const { misfortune, after } of happenings) {
    for (let step = 0; step < after; step += 1) model.step();
    misfortune.befall(model);
  }
  if (wish !== null) grant(model, wish);
  return model;
}

function grant(model: Model, { components, version, safe, namespace }: Wish): void {
  model.source = aSource(components, { version, rollback: { safe } });
  const [first] = components;
  if (first === undefined || namespace === 'shop') return;
  model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: { [first.name]: { namespace } } } };
}
