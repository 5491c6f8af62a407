import type { PackageRevision } from '../../api/package-revision.ts';
import { API_VERSION } from '../../api/names.ts';
import { isRestoring } from '../../domain/decide/views.ts';
import { createEmbeddedApi, type StoredChange, type StoredContent, type StoringApi } from '../../embedded/api/index.ts';
import {
  type Controllers,
  type Hooks,
  type LogDeed,
  simulationHooks,
  startControllers,
  type StoredLogs,
} from '../../embedded/controllers/index.ts';
import type { ResourceName, StoreEvent, Watching } from '../../embedded/model/api.ts';
import type { StoredObject } from '../../embedded/model/object.ts';
import type { Resource } from '../../embedded/model/resource.ts';
import type { Scenario } from '../../embedded/scenario/types.ts';
import type { Clock } from '../../ports/system.ts';
import type { Failure } from './failure.ts';
import { failingPods } from './failure-rules.ts';
import { releaseOf } from './release-of.ts';

export interface SimulatedClusterOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly scenario: Scenario;
  readonly resources: readonly Resource[];
  readonly content?: SimulatedContent | undefined;
}

/** What is stored, and what containers have written. */
export interface SimulatedContent {
  readonly stored: StoredContent;
  readonly logs: StoredLogs;
}

/** One change of it. */
export type SimulatedDeed = { readonly change: StoredChange } | { readonly log: LogDeed };

const PODS: ResourceName = { group: '', version: 'v1', plural: 'pods' };
const [GROUP = '', VERSION = ''] = API_VERSION.split('/');
const REVISIONS: ResourceName = { group: GROUP, version: VERSION, plural: 'packagerevisions' };

/** The API and its controllers, in which some pods can be made to fail for a while. */
export class SimulatedCluster {
  readonly api: StoringApi;
  readonly #options: SimulatedClusterOptions;
  readonly #hooks: Hooks;
  #now: Scenario;
  #controllers: Controllers | undefined;
  readonly #struck = new Set<string>();
  #watches: readonly Watching[] = [];

  constructor(options: SimulatedClusterOptions) {
    const { clock, random, scenario, resources, content } = options;
    this.#options = options;
    this.#hooks = simulationHooks(content?.logs);
    const { logs, admit } = this.#hooks;
    this.#now = scenario;
    this.api = createEmbeddedApi({ clock, random, resources, logs, admit, content: content?.stored });
  }

  /** The controllers begin; until then nothing happens by itself. */
  start(): void {
    const { clock, random } = this.#options;
    this.api.goOn();
    this.#controllers = startControllers({ api: this.api, clock, random, scenario: this.#now, hooks: this.#hooks });
  }

  content(): SimulatedContent {
    return { stored: this.api.content(), logs: this.#hooks.logs.content() };
  }

  /** Told of every change when it is made, until the returned function is called. */
  observe(observer: (deed: SimulatedDeed) => void): () => void {
    const ends = [
      this.api.observe((change) => {
        observer({ change });
      }),
      this.#hooks.logs.observe((log) => {
        observer({ log });
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** A change that was made to another one, which held the same before. */
  repeat(deed: SimulatedDeed): void {
    if ('change' in deed) this.api.repeat(deed.change);
    else this.#hooks.logs.repeat(deed.log);
  }

  /** Pods that are made from now on, until a rollback begins: it has to find the version before in good health. */
  fail(failures: readonly Failure[]): void {
    if (failures.length === 0) return;
    const rules = failingPods(failures);
    const { scenario } = this.#options;
    const { workloads, jobs } = scenario;
    this.#use({ ...scenario, workloads: [...rules, ...workloads], jobs: [...rules, ...jobs] });
    this.#watches = [
      this.#onAdded(PODS, (pod) => {
        this.#note(pod, failures);
      }),
      this.#onAdded(REVISIONS, (revision) => {
        if (isRestoring(revision as unknown as PackageRevision)) this.#recover();
      }),
    ];
  }

  /** Components of which a pod was made that had to fail. */
  struck(): readonly string[] {
    return [...this.#struck];
  }

  stop(): void {
    this.#stopWatching();
    this.#controllers?.stop();
  }

  #note(pod: StoredObject, failures: readonly Failure[]): void {
    const release = releaseOf(this.api, pod);
    const { namespace } = pod.metadata;
    const struck = failures.find((each) => each.releaseName === release && each.namespace === namespace);
    if (struck !== undefined) this.#struck.add(struck.component);
  }

  #recover(): void {
    this.#stopWatching();
    this.#use(this.#options.scenario);
  }

  #use(scenario: Scenario): void {
    this.#now = scenario;
    this.#controllers?.use(scenario);
  }

  #stopWatching(): void {
    for (const watching of this.#watches) watching.stop();
    this.#watches = [];
  }

  #onAdded(resource: ResourceName, onObject: (object: StoredObject) => void): Watching {
    const { resourceVersion } = this.api.list(resource);
    return this.api.watch(resource, { resourceVersion }, (event: StoreEvent) => {
      if (event.type === 'ADDED') onObject(event.object);
    });
  }
}
