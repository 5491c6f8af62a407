import type { Sight } from './sight.ts';
import type { Pool } from './pool.ts';

/** The parts of the engine that an action needs. */
export interface Hands extends Sight {
  readonly pool: Pool;
  /** Asks for another turn of a package. */
  readonly wake: (pkg: string) => void;
}
