import type { ErrorCode } from '../../../api/errors.ts';
import type { KubeObject, ObjectRef } from '../../../api/kube.ts';
import type { DesiredComponent } from '../../resolve/desired.ts';
import type { Finding, Severity } from '../finding.ts';

/** Why something was refused, as the one who refused it said. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One object of a component that is about to be delivered. */
export interface ObjectFacts {
  /** As the chart renders it, in the namespace where it will be. */
  readonly after: KubeObject;
  /** As the release has it on record; absent: it has it not. */
  readonly before?: KubeObject | undefined;
  /** As the cluster has it, `managedFields` included; absent: it is not there. */
  readonly live?: KubeObject | undefined;
  /** What the API server says to a dry run of the write; absent: it was not asked. */
  readonly dryRun?: 'accepted' | Refusal | undefined;
}

/** A CRD of a chart's crds folder, and the one of the cluster. */
export interface CrdFacts {
  readonly wanted: KubeObject;
  readonly live?: KubeObject | undefined;
}

/** What a release record holds, in bytes. */
export interface RecordFacts {
  /** The chart's own files, compressed; subcharts are not recorded. */
  readonly chartBytes: number;
  /** The manifest and the values, as text. */
  readonly textBytes: number;
  /** The largest files of the chart, largest first. */
  readonly largest: readonly { readonly path: string; readonly bytes: number }[];
}

export type PlannedComponent = Pick<
  DesiredComponent,
  | 'name'
  | 'releaseName'
  | 'namespace'
  | 'hook'
  | 'chart'
  | 'readyWhen'
  | 'healthCheckExprs'
  | 'recreate'
  | 'skipSchemaValidation'
  | 'upgradeCRDs'
>;

export interface ComponentFacts {
  readonly component: PlannedComponent;
  readonly objects: readonly ObjectFacts[];
  readonly crds: readonly CrdFacts[];
  /** Everything in the manifest that the release has on record; empty where there is no release. */
  readonly recorded: readonly ObjectRef[];
  /** Why the chart could not be fetched, or not be rendered with these values. */
  readonly refusal?: Refusal | undefined;
  /** Top-level keys of values that the chart's schema allows; absent: it allows any. */
  readonly valuesKeys?: readonly string[] | undefined;
  /** Absent: the backend keeps no record in a Secret. */
  readonly record?: RecordFacts | undefined;
}

export interface PlannedPackage {
  readonly name: string;
  /** Of its source; absent: not looked at. */
  readonly version?: string | undefined;
  readonly rollbackSafe: boolean;
  /** CRDs that its source says it owns. */
  readonly crds: readonly string[];
  /** Images that its source lists; empty: it lists none. */
  readonly images: readonly string[];
  /** Objects that are there already are taken over. */
  readonly adopts: boolean;
}

export interface ClusterFacts {
  /** Of the kinds that are written or on record, those that the API server does not serve. */
  readonly unserved: readonly { readonly apiVersion: string; readonly kind: string }[];
  /** Of the custom kinds that are written, the CRDs that define them. */
  readonly crds: readonly KubeObject[];
  /** HorizontalPodAutoscalers of the namespaces that are written. */
  readonly autoscalers: readonly KubeObject[];
  /** Namespaces that exist; absent: not known. */
  readonly namespaces?: readonly string[] | undefined;
}

/** Releases, by `namespace/name`. */
export interface ReleaseFacts {
  /** Which package has a release of kubepkg's. */
  readonly packages: Readonly<Record<string, string>>;
  /** Those that this plan removes before it delivers anything. */
  readonly leaving: readonly string[];
}

/** Everything that predictions are made from. */
export interface PlanFacts {
  readonly package: PlannedPackage;
  /** In the order of delivery, hooks among them. */
  readonly components: readonly ComponentFacts[];
  readonly cluster: ClusterFacts;
  readonly releases: ReleaseFacts;
  /** Field managers of whoever delivers: their fields are no one else's. */
  readonly managers: readonly string[];
  /** Whether the backend overwrites fields that others have set; otherwise its delivery fails. */
  readonly forcesConflicts: boolean;
}

export interface PredictedFinding extends Finding {
  /** Which prediction it is; stable. */
  readonly code: string;
}

/** A finding before it has its code and severity, which are the prediction's. */
export type Foreseen = Pick<Finding, 'subject' | 'message' | 'remedy'>;

export interface Prediction {
  readonly id: string;
  readonly severity: Severity;
  /** What it foresees, in one line. */
  readonly what: string;
  readonly find: (facts: PlanFacts) => readonly Foreseen[];
}
