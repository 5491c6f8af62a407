import type { EmbeddedApi, Target } from '../../src/embedded/model/api.ts';
import type { JsonMap, StoredObject } from '../../src/embedded/model/object.ts';
import { createEmbeddedApi } from '../../src/embedded/api/index.ts';
import { type Controllers, simulationHooks, startControllers } from '../../src/embedded/controllers/index.ts';
import { parseScenario } from '../../src/embedded/scenario/parse.ts';
import { CALM_SCENARIO, type Scenario } from '../../src/embedded/scenario/types.ts';
import { asNumber, at } from '../../src/lib/json.ts';
import { VirtualClock } from './clock.ts';

export interface EmbeddedScene {
  readonly api: EmbeddedApi;
  readonly clock: VirtualClock;
  readonly controllers: Controllers;
  readonly logs: ReturnType<typeof simulationHooks>['logs'];
  /** Creates it, or replaces it when it is there. */
  put(object: JsonMap): StoredObject;
  find(kind: string, name: string, namespace?: string): StoredObject | undefined;
  get(kind: string, name: string, namespace?: string): StoredObject;
  list(kind: string, namespace?: string): readonly StoredObject[];
  remove(kind: string, name: string, options?: Parameters<EmbeddedApi['delete']>[1]): void;
  /** `Reason: message` of the Events about an object, in order, with ` (xN)` when it was told more than once. */
  events(name: string): readonly string[];
}

/** A cluster in memory with its controllers, in virtual time; a scenario as it is written in a file. */
export function embeddedScene(scenario: Scenario | string = CALM_SCENARIO): EmbeddedScene {
  const clock = new VirtualClock();
  const random = seeded();
  const hooks = simulationHooks();
  const api = createEmbeddedApi({ clock, random, logs: hooks.logs, admit: hooks.admit });
  const parsed = typeof scenario === 'string' ? parseScenario(scenario, 'scenario.yaml') : scenario;
  const controllers = startControllers({ api, clock, random, scenario: parsed, hooks });
  const targetOf = (kind: string, namespace: string | undefined): Target => {
    const resource = api.resources().find((each) => each.kind === kind);
    if (resource === undefined) throw new Error(`${kind} is not served`);
    const { group, version, plural, namespaced } = resource;
    return { group, version, plural, ...(namespaced && namespace !== undefined ? { namespace } : {}) };
  };
  const scene: EmbeddedScene = {
    api,
    clock,
    controllers,
    logs: hooks.logs,
    put(object) {
      const { name, namespace = 'default' } = object.metadata as { readonly name: string; readonly namespace?: string };
      const target = targetOf(String(object.kind), namespace);
      const isThere = scene.find(String(object.kind), name, namespace) !== undefined;
      if (isThere) return api.update({ ...target, name }, object).object;
      return api.create(target, object).object;
    },
    find: (kind, name, namespace = 'default') =>
      scene.list(kind, namespace).find(({ metadata }) => metadata.name === name),
    get(kind, name, namespace = 'default') {
      const found = scene.find(kind, name, namespace);
      if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
      return found;
    },
    list: (kind, namespace) => api.list(targetOf(kind, namespace)).items,
    remove: (kind, name, options = {}) => {
      api.delete({ ...targetOf(kind, 'default'), name }, options);
    },
    events: (name) =>
      api
        .list({ group: '', version: 'v1', plural: 'events' })
        .items.filter((event) => at(event, 'involvedObject', 'name') === name)
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map((event) => {
          const count = asNumber(event.count) ?? 1;
          return `${String(event.reason)}: ${String(event.message)}${count > 1 ? ` (x${String(count)})` : ''}`;
        }),
  };
  return scene;
}

/** The same numbers each time. */
function seeded(): () => number {
  const state = { value: 1 };
  return () => {
    state.value = (state.value * 16_807) % 2_147_483_647;
    return state.value / 2_147_483_647;
  };
}
