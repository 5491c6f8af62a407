import {
  anyObject,
  duration,
  durationOrNever,
  type Field,
  flag,
  line,
  listOf,
  mapOf,
  object,
  oneOf,
  text,
  versionRange,
  whole,
} from './fields.ts';
import { BEHAVIOURS, type Behaviour, GENERATION_PLACES, type GenerationPlace, WEBHOOK_FAILURES } from './types.ts';

const SCENARIO_VERSION = 'rehearse.kubepkg.dev/v1';

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;
const OPERATOR_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'] as const;
const WORKLOAD_KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Pod'] as const;
const JOB_BEHAVIOURS = [
  'complete',
  'fail',
  'never-ends',
  'crash',
  'init-crash',
  'image-pull-error',
  'unschedulable',
  'quota',
] as const satisfies readonly Behaviour[];

const podMatch = object({
  kind: oneOf(WORKLOAD_KINDS),
  namespace: text,
  name: text,
  release: text,
  version: versionRange,
  image: text,
});

const jobMatch = object({ namespace: text, name: text, release: text, version: versionRange, image: text });

const POD_FIELDS = {
  initFor: duration,
  runsFor: duration,
  terminatesAfter: duration,
  exitCode: whole(0, 255),
  failures: whole(0, 1000),
  log: listOf(line),
  message: text,
  after: duration,
  until: duration,
};

const workload = object(
  {
    match: podMatch,
    behaviour: oneOf(BEHAVIOURS.filter((each) => each !== 'never-ends')),
    readyAfter: duration,
    ...POD_FIELDS,
  },
  ['match'],
);

const job = object({ match: jobMatch, behaviour: oneOf(JOB_BEHAVIOURS), ...POD_FIELDS }, ['match']);

const operator = object({ kind: oneOf(OPERATOR_KINDS), namespace: text, name: text }, ['namespace', 'name']);

const objectMatch = object({ apiVersion: text, kind: text, namespace: text, name: text });

const step = object({
  after: duration,
  status: anyObject,
  flap: object({ every: duration, times: whole(1, 100_000), statuses: listOf(anyObject) }, ['every', 'statuses']),
});

/** `true` is where Kubernetes has it, `false` is nowhere. */
const generationPlace: Field<GenerationPlace> = (value, path, problems) => {
  if (typeof value === 'boolean') return value ? 'status' : 'none';
  return oneOf(GENERATION_PLACES)(value, path, problems);
};

const customResource = object(
  {
    match: objectMatch,
    operator,
    againOnUpgrade: flag,
    observedGeneration: generationPlace,
    steps: listOf(step),
    finalizer: object({ name: text, releasedAfter: durationOrNever }, ['name', 'releasedAfter']),
  },
  ['match'],
);

const definition = object(
  {
    name: text,
    kind: text,
    scope: oneOf(['Namespaced', 'Cluster'] as const),
    versions: listOf(text),
    schema: anyObject,
    after: duration,
    operator,
  },
  ['name', 'kind'],
);

const lateObject = object({ object: anyObject, after: duration, operator }, ['object']);

const webhook = object(
  {
    name: text,
    match: objectMatch,
    operations: listOf(oneOf(OPERATIONS)),
    refuse: text,
    fails: oneOf(WEBHOOK_FAILURES.filter((each) => each !== 'denied')),
    until: duration,
    operator,
  },
  ['match'],
);

const node = object(
  {
    name: text,
    labels: mapOf(line),
    taints: listOf(
      object({ key: text, value: line, effect: oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const) }, [
        'key',
        'effect',
      ]),
    ),
    cpu: text,
    memory: text,
    pods: whole(1, 1_000_000),
    notReady: object({ after: duration, until: duration }),
  },
  ['name'],
);

const claim = object({ match: object({ namespace: text, name: text }), boundAfter: durationOrNever }, ['boundAfter']);

export const scenario = object(
  {
    apiVersion: oneOf([SCENARIO_VERSION]),
    kind: oneOf(['Scenario'] as const),
    metadata: object({ name: text }, ['name']),
    defaults: object({ readyAfter: duration, initFor: duration, jobRunsFor: duration, terminatesAfter: duration }),
    nodes: listOf(node),
    workloads: listOf(workload),
    jobs: listOf(job),
    claims: listOf(claim),
    loadBalancers: object({ readyAfter: durationOrNever }, ['readyAfter']),
    customResources: listOf(customResource),
    crds: listOf(definition),
    objects: listOf(lateObject),
    webhooks: listOf(webhook),
  },
  ['apiVersion', 'kind', 'metadata'],
);

export type WrittenScenario = NonNullable<ReturnType<typeof scenario>>;
export type Written<K extends keyof WrittenScenario> =
  NonNullable<WrittenScenario[K]> extends readonly (infer T)[] ? T : NonNullable<WrittenScenario[K]>;
