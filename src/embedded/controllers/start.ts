import type { Clock } from '../../ports/system.ts';
import type { EmbeddedApi } from '../model/api.ts';
import { CALM_SCENARIO, type Scenario } from '../scenario/types.ts';
import { accountsController } from './cluster/accounts.ts';
import { endpointsController } from './cluster/endpoints.ts';
import { EveryKind } from './cluster/every-kind.ts';
import { garbageCollector } from './cluster/garbage-collector.ts';
import { loadBalancerController } from './cluster/load-balancers.ts';
import { emptied, namespaceController } from './cluster/namespaces.ts';
import { claimProtection, volumeProtection } from './cluster/protection.ts';
import { quotaController, quotaJudge } from './cluster/quotas.ts';
import { defaultStorageClass, volumeController } from './cluster/volumes.ts';
import { type Hooks, simulationHooks } from './hooks.ts';
import type { Controller, Surroundings } from './kit/controller.ts';
import { createHand, unless } from './kit/hand.ts';
import { Informers } from './kit/informers.ts';
import { DEFINITIONS, NAMESPACES, NODES, STORAGE_CLASSES } from './kit/kinds.ts';
import { Recorder } from './kit/recorder.ts';
import { WorkQueue } from './kit/work-queue.ts';
import { kubeletController } from './pods/kubelet.ts';
import { nodeController, nodeObject } from './pods/nodes.ts';
import { PodPlans } from './pods/pod-plans.ts';
import { schedulerController } from './pods/scheduler.ts';
import { CustomResources } from './scripted/custom-resources.ts';
import { lateObjectsController } from './scripted/late-objects.ts';
import { OPERATOR_KINDS, Operators } from './scripted/operators.ts';
import { webhookJudge } from './scripted/webhooks.ts';
import { cronJobController } from './workloads/cron-job.ts';
import { daemonSetController } from './workloads/daemon-set.ts';
import { deploymentController, type OnTemplate } from './workloads/deployment.ts';
import { jobController } from './workloads/job.ts';
import { replicaSetController } from './workloads/replica-set.ts';
import { statefulSetController } from './workloads/stateful-set.ts';

export interface ControllersOptions {
  readonly api: EmbeddedApi;
  readonly clock: Clock;
  readonly random: () => number;
  /** By default everything goes well. */
  readonly scenario?: Scenario;
  /** Those that the api was made with; without them there are no logs, no quotas and no webhooks. */
  readonly hooks?: Hooks;
  /** PEM of the API server's authority, for `kube-root-ca.crt`. */
  readonly authority?: string;
}

export interface Controllers {
  /** For pods, custom resources and requests that come from now on; what runs already goes on as it began. */
  use(scenario: Scenario): void;
  stop(): void;
}

/** The controllers, scheduler and kubelets of a cluster. They act only by the clock, never inside of somebody's call. */
export function startControllers(options: ControllersOptions): Controllers {
  const { api, clock, random, hooks = simulationHooks() } = options;
  const current = { scenario: options.scenario ?? CALM_SCENARIO };
  const scenario = (): Scenario => current.scenario;
  const informers = new Informers(api);
  const recorder = new Recorder({ api, clock, random });
  const queue = new WorkQueue(clock);
  const surroundings: Surroundings = { api, clock, random, informers, recorder };
  const plans = new PodPlans(informers, scenario);
  const operators = new Operators(informers, clock);
  const noteTemplate: OnTemplate = (workload, hash) => plans.noteTemplate(workload, hash);
  const controllers = [
    nodeController(surroundings, scenario),
    schedulerController(surroundings, plans),
    kubeletController(surroundings, { plans, logs: hooks.logs }),
    replicaSetController(surroundings),
    deploymentController(surroundings, noteTemplate),
    statefulSetController(surroundings, noteTemplate),
    daemonSetController(surroundings, noteTemplate),
    jobController(surroundings),
    cronJobController(surroundings),
    accountsController(surroundings, options.authority ?? ''),
    loadBalancerController(surroundings, scenario),
    endpointsController(surroundings),
    volumeController(surroundings, scenario),
    claimProtection(surroundings),
    volumeProtection(surroundings),
    quotaController(surroundings),
  ];
  for (const controller of controllers) connect(controller, informers, queue);
  const lateObjects = connect(lateObjectsController(surroundings, { operators, scenario }), informers, queue);
  connectEveryKind({ surroundings, queue, operators, scenario });
  hooks.judgeBy([webhookJudge(clock, { operators, scenario }), quotaJudge(surroundings, plans)]);
  informers.start();
  furnish(api);
  lateObjects('all');
  registerNodes(api, scenario());
  return {
    use: (next) => {
      current.scenario = next;
      registerNodes(api, next);
      lateObjects('all');
    },
    stop: () => {
      queue.stop();
      informers.stop();
    },
  };
}

function connect(controller: Controller, informers: Informers, queue: WorkQueue): (key: string) => void {
  const enqueue = queue.register(controller.name, controller.reconcile);
  for (const { kind, keys } of controller.sources) {
    informers.of(kind).listen((change) => keys(change).forEach(enqueue));
  }
  return enqueue;
}

interface Wiring {
  readonly surroundings: Surroundings;
  readonly queue: WorkQueue;
  readonly operators: Operators;
  readonly scenario: () => Scenario;
}

/** Those that have to do with objects of all kinds, of custom ones too. */
function connectEveryKind({ surroundings, queue, operators, scenario }: Wiring): void {
  const { api, informers } = surroundings;
  const everyKind = new EveryKind(api, informers);
  const { controller: garbage, keysOf } = garbageCollector(surroundings, everyKind);
  const customResources = new CustomResources({ surroundings, everyKind, operators, scenario });
  const enqueueGarbage = queue.register(garbage.name, garbage.reconcile);
  const enqueueNamespace = connect(namespaceController(surroundings, everyKind), informers, queue);
  const enqueueScript = queue.register('operator', (uid) => customResources.reconcile(uid));
  everyKind.listen((kind, change) => {
    keysOf(kind, change).forEach(enqueueGarbage);
    emptied(informers.of(NAMESPACES), change).forEach(enqueueNamespace);
    customResources.see(kind, change).forEach(enqueueScript);
  });
  for (const kind of OPERATOR_KINDS) informers.of(kind).listen(() => customResources.waiting().forEach(enqueueScript));
  const refresh = queue.register('discovery', () => {
    everyKind.refresh();
    return undefined;
  });
  informers.of(DEFINITIONS).listen(() => refresh('all'));
  everyKind.refresh();
}

/** What a cluster has before anybody comes. */
function furnish(api: EmbeddedApi): void {
  const hand = createHand(api, 'kube-apiserver');
  unless('AlreadyExists', () => hand.create(STORAGE_CLASSES, defaultStorageClass()));
}

function registerNodes(api: EmbeddedApi, scenario: Scenario): void {
  const hand = createHand(api, 'kubelet');
  for (const [index, spec] of scenario.nodes.entries()) {
    const { status, ...body } = nodeObject(spec, index);
    const node = unless('AlreadyExists', () => hand.create(NODES, body));
    if (node !== undefined) hand.writeStatus(NODES, node, status as Readonly<Record<string, unknown>>);
  }
}
