import type { BackendWatches } from './backend-watches.ts';
import type { CrdBook } from './crd-book.ts';
import type { Deliveries } from './deliveries.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { Journal } from './journal.ts';
import type { PlatformValues } from './platform-values.ts';
import type { Preparations } from './preparations.ts';
import type { ReleaseBook } from './release-book.ts';

/** The parts of the engine that a turn reads. */
export interface Sight {
  readonly deps: EngineDeps;
  readonly journal: Journal;
  readonly book: Pick<ReleaseBook, 'ask' | 'markRelease' | 'markUnlessPresent'>;
  readonly deliveries: Deliveries;
  readonly preparations: Preparations;
  readonly watches: BackendWatches;
  readonly watchingSince: number;
  /** UIDs of revisions whose values are known to be saved. */
  readonly savedValues: Set<string>;
  readonly crds: CrdBook;
  readonly platform: PlatformValues;
  /** Namespaces whose privileged level was looked at, by revision. */
  readonly settledNamespaces: Set<string>;
}
