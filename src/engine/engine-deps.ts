import type { ArtifactSource } from '../ports/artifacts.ts';
import type { Backend } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock, Log, Recorder } from '../ports/system.ts';

export interface EngineOptions {
  /** Namespace of the operator: Secrets with the values of revisions are kept there. */
  readonly namespace: string;
  /** Backend of packages that name none. */
  readonly defaultBackend: string;
  /** Deliveries that may run at once. */
  readonly deliverySlots: number;
  /** Secret with the values that go under those of every component; absent: none. */
  readonly valuesSecret?: { readonly namespace: string; readonly name: string } | undefined;
  /** Labels that the namespaces of components get where they have none of that name. */
  readonly namespaceLabels?: Readonly<Record<string, string>> | undefined;
}

/** Everything that the engine reaches the world through. */
export interface EngineDeps {
  readonly cluster: Cluster;
  readonly backends: ReadonlyMap<string, Backend>;
  readonly artifacts: ArtifactSource;
  readonly clock: Clock;
  readonly log: Log;
  readonly recorder: Recorder;
  readonly options: EngineOptions;
}
