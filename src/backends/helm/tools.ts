import type { Cluster } from '../../ports/cluster.ts';
import type { HelmProgram } from './helm-program.ts';
import type { ReleaseStore } from './release-store.ts';
import type { SchemaCheck } from './schema-check.ts';

/** What the steps of the Helm backend share. */
export interface HelmTools {
  readonly cluster: Cluster;
  readonly store: ReleaseStore;
  readonly program: HelmProgram;
  readonly schemas: SchemaCheck;
  readonly historyMax: number;
}
