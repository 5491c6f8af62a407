import type { JsonMap } from '../../../src/embedded/model/object.ts';
import type { Rng } from '../../simulation/prng.ts';

/** A kind that sequences are about. */
export interface Kind {
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly custom: boolean;
  readonly subresources: readonly string[];
  /** Everything but type and metadata. */
  body(rng: Rng): JsonMap;
  status?(rng: Rng): JsonMap;
  /** One that is always valid, without a name. */
  readonly marker: JsonMap;
}
