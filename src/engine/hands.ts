import type { Sight } from './sight.ts';
import type { Pool } from './pool.ts';
import type { ReleaseBook } from './release-book.ts';

/** The parts of the engine that an action needs. */
export interface Hands extends Sight {
  readonly book: ReleaseBook;
  readonly pool: Pool;
  /** Places for deliveries that wait in helm until workloads are ready, so that they keep no other package from its own. */
  readonly waitingPool: Pool;
  /** Asks for another turn of a package. */
  readonly wake: (pkg: string) => void;
}
