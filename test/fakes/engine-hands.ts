import { BackendWatches } from '../../src/engine/backend-watches.ts';
import { CrdBook } from '../../src/engine/crd-book.ts';
import { Deliveries } from '../../src/engine/deliveries.ts';
import type { Hands } from '../../src/engine/hands.ts';
import { Journal } from '../../src/engine/journal.ts';
import { ObjectTracker } from '../../src/engine/object-tracker.ts';
import { PlatformValues } from '../../src/engine/platform-values.ts';
import { Pool } from '../../src/engine/pool.ts';
import { Preparations } from '../../src/engine/preparations.ts';
import { ReleaseBook } from '../../src/engine/release-book.ts';
import type { EngineWorld } from './engine-world.ts';

const NOTHING = (): void => undefined;

/** The parts of the engine over the fakes of a world, with one place for deliveries and without the loop; who is woken is told. */
export function engineHands(world: EngineWorld, onWake: (name: string) => void = NOTHING): Hands {
  const { cluster, clock } = world;
  return {
    deps: world.deps(),
    journal: new Journal(cluster, { onPackage: NOTHING, onSource: NOTHING, onRevision: NOTHING }),
    book: new ReleaseBook({ cluster, tracker: new ObjectTracker(cluster, NOTHING), clock }),
    deliveries: new Deliveries(clock),
    preparations: new Preparations(world.deps()),
    watches: new BackendWatches({ ...world.deps(), onChange: NOTHING }),
    pool: new Pool(1, (name) => onWake(`place ${name}`)),
    waitingPool: new Pool(1, NOTHING),
    savedValues: new Set(),
    crds: new CrdBook(cluster, NOTHING),
    platform: new PlatformValues(undefined, NOTHING),
    settledNamespaces: new Set(),
    watchingSince: 0,
    wake: onWake,
  };
}
