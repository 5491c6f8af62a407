import type { Constraint } from '../../lib/semver/constraint.ts';
import type { JsonMap } from '../model/object.ts';

/** What a pod does. */
export const BEHAVIOURS = [
  'ready',
  'never-ready',
  'crash',
  'init-crash',
  'image-pull-error',
  'unschedulable',
  'quota',
  'complete',
  'fail',
  'never-ends',
] as const;

export type Behaviour = (typeof BEHAVIOURS)[number];

/** Milliseconds, as all times here. */
export interface PodTimes {
  /** From the start of its containers until it is ready. */
  readonly readyAfter: number;
  /** How long each init container takes. */
  readonly initFor: number;
  /** How long a pod runs that comes to an end, of a Job say. */
  readonly jobRunsFor: number;
  /** How long a pod takes to stop once it is deleted, unless its time of grace is shorter. */
  readonly terminatesAfter: number;
}

export interface Match {
  readonly kind?: string;
  /** `*` and `?` stand for any text and any character, as in names. */
  readonly namespace?: string;
  readonly name?: string;
  /** Name of a Helm release. */
  readonly release?: string;
  /** Of the chart, by the label `helm.sh/chart`; else of the app. */
  readonly version?: Constraint;
  readonly image?: string;
}

export interface PodRule {
  readonly match: Match;
  readonly behaviour?: Behaviour;
  readonly readyAfter?: number;
  readonly initFor?: number;
  readonly runsFor?: number;
  readonly terminatesAfter?: number;
  readonly exitCode?: number;
  /** How many tries fail before one goes well. */
  readonly failures?: number;
  readonly log?: readonly string[];
  /** Replaces what the kubelet or scheduler would say. */
  readonly message?: string;
  /** Counted from the creation of the pod: it starts well and turns bad then. */
  readonly after?: number;
  /** Counted from the creation of the pod: it starts badly and recovers then. */
  readonly until?: number;
}

/** A workload that stands for an operator, or whatever else has to be there first. */
export interface Operator {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Flap {
  readonly every: number;
  /** For ever when absent. */
  readonly times?: number;
  readonly statuses: readonly JsonMap[];
}

/** Either `status` or `flap`. */
export interface Step {
  readonly after: number;
  readonly status?: JsonMap;
  readonly flap?: Flap;
}

/** Where a custom resource tells which generation its status is about. */
export const GENERATION_PLACES = ['status', 'condition', 'string', 'none'] as const;

export type GenerationPlace = (typeof GENERATION_PLACES)[number];

export interface ObjectMatch {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** What happens to objects of a kind that no controller here serves. */
export interface Script {
  readonly match: ObjectMatch;
  readonly observedGeneration: GenerationPlace;
  /** Nothing happens before it is available. */
  readonly operator?: Operator;
  /** It goes through all steps again when its operator was replaced by a newer one. */
  readonly againOnUpgrade: boolean;
  readonly steps: readonly Step[];
  readonly finalizer?: { readonly name: string; readonly releasedAfter: number | undefined };
}

/** An object that appears by itself: a late CRD, or what an operator deploys. */
export interface LateObject {
  readonly object: JsonMap;
  readonly after: number;
  readonly operator?: Operator;
}

export const WEBHOOK_FAILURES = ['denied', 'connection-refused', 'unknown-authority', 'timeout'] as const;

export type WebhookFailure = (typeof WEBHOOK_FAILURES)[number];

export interface Webhook {
  readonly name: string;
  readonly match: Partial<ObjectMatch>;
  readonly operations: readonly string[];
  readonly failure: WebhookFailure;
  readonly message: string;
  /** From the moment at which its operator is available, or else from the first request that it refused. */
  readonly until: number | undefined;
  readonly operator?: Operator;
}

export interface NodeSpec {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly JsonMap[];
  readonly cpu: string;
  readonly memory: string;
  readonly pods: number;
  /** Not ready from then on, and until then. */
  readonly notReady?: { readonly after: number; readonly until: number | undefined };
}

export interface ClaimRule {
  readonly match: { readonly namespace?: string; readonly name?: string };
  /** Undefined: it is never bound. */
  readonly boundAfter: number | undefined;
}

export interface Scenario {
  readonly name: string;
  readonly defaults: PodTimes;
  readonly nodes: readonly NodeSpec[];
  readonly workloads: readonly PodRule[];
  readonly jobs: readonly PodRule[];
  readonly claims: readonly ClaimRule[];
  /** Undefined: never. */
  readonly loadBalancersAfter: number | undefined;
  readonly customResources: readonly Script[];
  readonly lateObjects: readonly LateObject[];
  readonly webhooks: readonly Webhook[];
  /** Told of each rule, claim rule, script or webhook that something in the cluster goes by. */
  readonly onUsed?: (rule: object) => void;
}

export const DEFAULT_TIMES: PodTimes = { readyAfter: 1000, initFor: 200, jobRunsFor: 1000, terminatesAfter: 200 };

export const DEFAULT_NODE: NodeSpec = {
  name: 'node-1',
  labels: {},
  taints: [],
  cpu: '1000',
  memory: '4Ti',
  pods: 10_000,
};

/** Everything goes well. */
export const CALM_SCENARIO: Scenario = {
  name: 'calm',
  defaults: DEFAULT_TIMES,
  nodes: [DEFAULT_NODE],
  workloads: [],
  jobs: [],
  claims: [],
  loadBalancersAfter: 1000,
  customResources: [],
  lateObjects: [],
  webhooks: [],
};
