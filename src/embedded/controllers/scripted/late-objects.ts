import type { JsonMap } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import type { LateObject, Scenario } from '../../scenario/types.ts';
import type { Controller, Surroundings } from '../kit/controller.ts';
import type { Operators } from './operators.ts';
import { OPERATOR_KINDS } from './operators.ts';

const COMPONENT = 'late-objects';
const TRY_AGAIN_MS = 1000;

/** Makes what appears by itself: definitions that an operator brings, and what it deploys. */
export function lateObjectsController(
  { api, clock }: Surroundings,
  { operators, scenario }: { readonly operators: Operators; readonly scenario: () => Scenario },
): Controller {
  const began = clock.now();
  const made = new Set<LateObject>();
  return {
    name: COMPONENT,
    sources: OPERATOR_KINDS.map((kind) => ({ kind, keys: () => (scenario().lateObjects.length === 0 ? [] : ['all']) })),
    reconcile() {
      const waits = scenario()
        .lateObjects.filter((late) => !made.has(late))
        .map(attempt);
      const known = waits.filter((wait) => wait !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
  };

  /** How long it has to wait still; undefined: it is made, or its operator is not there. */
  function attempt(late: LateObject): number | undefined {
    const since = late.operator === undefined ? began : operators.get(late.operator)?.since;
    if (since === undefined) return undefined;
    const left = since + late.after - clock.now();
    if (left > 0) return left;
    if (!create(late.object)) return TRY_AGAIN_MS;
    made.add(late);
    return undefined;
  }

  /** What it needs, its namespace or its kind, may come later still. */
  function create(object: JsonMap): boolean {
    const { apiVersion, kind, metadata } = object;
    const { namespace } = metadata as { readonly namespace?: string };
    const resource = api.resources().find((each) => {
      const version = each.group === '' ? each.version : `${each.group}/${each.version}`;
      return version === apiVersion && each.kind === kind;
    });
    if (resource === undefined) return false;
    const { group, version, plural, namespaced } = resource;
    const target = { group, version, plural, ...(namespaced ? { namespace: namespace ?? 'default' } : {}) };
    try {
      api.create(target, object, { fieldManager: 'operator' });
      return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return error.reason === 'AlreadyExists';
    }
  }
}
