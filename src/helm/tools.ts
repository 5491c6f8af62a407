import type { Cluster } from '../ports/cluster.ts';
import type { HelmProgram } from './helm-program.ts';
import type { ReleaseStore } from './release-store.ts';
import type { SchemaCheck } from './schema-check.ts';

/** What every backend looks at charts and releases with. */
export interface ChartTools {
  readonly cluster: Cluster;
  readonly store: ReleaseStore;
  readonly program: HelmProgram;
  readonly schemas: SchemaCheck;
}
