import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { matchesObject } from '../../scenario/match.ts';
import { nextMoment, scriptAt } from '../../scenario/script-at.ts';
import type { GenerationPlace, Scenario, Script } from '../../scenario/types.ts';
import type { EveryKind, ServedKind } from '../cluster/every-kind.ts';
import type { Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import type { Change } from '../kit/informers.ts';
import { isDeleting, keyOf, mapsAt } from '../kit/read.ts';
import type { Operators } from './operators.ts';

/** An object going through its script. */
interface Performance {
  readonly script: Script;
  readonly kind: ServedKind;
  readonly key: string;
  readonly generation: number;
  readonly rollouts: number;
  /** Undefined: its operator is not there yet. */
  readonly startedAt: number | undefined;
  readonly shown: string | undefined;
  readonly deletedAt: number | undefined;
}

export interface CustomResourcesParts {
  readonly surroundings: Surroundings;
  readonly everyKind: EveryKind;
  readonly operators: Operators;
  readonly scenario: () => Scenario;
}

/** The operators of kinds that no controller here serves: each object goes through the first script that matches it. */
export class CustomResources {
  readonly #parts: CustomResourcesParts;
  readonly #hand: Hand;
  readonly #performances = new Map<string, Performance>();
  readonly #began: number;

  constructor(parts: CustomResourcesParts) {
    this.#parts = parts;
    this.#hand = createHand(parts.surroundings.api, 'operator');
    this.#began = parts.surroundings.clock.now();
  }

  /** The items that a change calls for. */
  see(kind: ServedKind, { type, object, before }: Change): readonly string[] {
    const { uid } = object.metadata;
    if (before !== undefined && before.metadata.uid !== uid) this.#performances.delete(before.metadata.uid);
    if (type === 'DELETED') {
      this.#performances.delete(uid);
      return [];
    }
    if (this.#performances.has(uid)) return [uid];
    const { customResources, onUsed } = this.#parts.scenario();
    const script = customResources.find(({ match }) => matches(match, object));
    if (script === undefined) return [];
    onUsed?.(script);
    this.#performances.set(uid, this.#cast(script, kind, object));
    return [uid];
  }

  /** What waits for operators. */
  waiting(): readonly string[] {
    return [...this.#performances].flatMap(([uid, { script }]) => (script.operator === undefined ? [] : [uid]));
  }

  reconcile(uid: string): number | undefined {
    const before = this.#performances.get(uid);
    const object = before === undefined ? undefined : this.#find(before);
    if (before === undefined || object === undefined) return undefined;
    const { operators } = this.#parts;
    if (!operators.isAvailable(before.script.operator)) return undefined;
    if (isDeleting(object)) return this.#letGo(before, object);
    const now = this.#parts.surroundings.clock.now();
    const performance = this.#restarted(before, object, now);
    const held = this.#hold(performance, object);
    const elapsed = now - (performance.startedAt ?? now);
    const shown = this.#show(performance, held, elapsed);
    this.#performances.set(uid, { ...performance, shown });
    return nextMoment(performance.script.steps, elapsed);
  }

  /** What was there before us, with a status, has had its performance. */
  #cast(script: Script, kind: ServedKind, object: StoredObject): Performance {
    const isOld = this.#parts.surroundings.clock.now() === this.#began && object.status !== undefined;
    const last = script.steps.at(-1)?.after ?? 0;
    return {
      script,
      kind,
      key: keyOf(object),
      generation: isOld ? generationOf(object) : -1,
      rollouts: 0,
      startedAt: isOld ? this.#began - last : undefined,
      shown: isOld ? scriptAt(script.steps, last)?.id : undefined,
      deletedAt: undefined,
    };
  }

  #find({ kind, key }: Performance): StoredObject | undefined {
    const slash = key.indexOf('/');
    return this.#parts.everyKind.cacheOf(kind).get(key.slice(0, slash), key.slice(slash + 1));
  }

  /** From the beginning for a new generation, and perhaps for a new operator. */
  #restarted(before: Performance, object: StoredObject, now: number): Performance {
    const { script } = before;
    const generation = generationOf(object);
    const rollouts = script.operator === undefined ? 0 : (this.#parts.operators.get(script.operator)?.rollouts ?? 0);
    const isUpgraded = script.againOnUpgrade && before.rollouts !== 0 && before.rollouts !== rollouts;
    if (before.startedAt !== undefined && before.generation === generation && !isUpgraded) {
      return before.rollouts === rollouts ? before : { ...before, rollouts };
    }
    return { ...before, generation, rollouts, startedAt: now, shown: undefined };
  }

  #hold({ script, kind }: Performance, object: StoredObject): StoredObject {
    const { finalizer } = script;
    const finalizers = object.metadata.finalizers ?? [];
    if (finalizer === undefined || finalizers.includes(finalizer.name)) return object;
    return this.#hand.merge(kind, object, { metadata: { finalizers: [...finalizers, finalizer.name] } });
  }

  #show({ script, kind, shown }: Performance, object: StoredObject, elapsed: number): string | undefined {
    const moment = scriptAt(script.steps, elapsed);
    if (moment === undefined || moment.id === shown) return shown;
    const now = formatSeconds(this.#parts.surroundings.clock.now());
    const status = filledIn(moment.status, { object, place: script.observedGeneration, now });
    const { subresources = [] } = this.#parts.surroundings.api.resource(kind) ?? {};
    if (subresources.includes('status')) this.#hand.writeStatus(kind, object, status);
    else this.#hand.update(kind, { ...object, status });
    return moment.id;
  }

  #letGo(before: Performance, object: StoredObject): number | undefined {
    const { finalizer } = before.script;
    if (finalizer?.releasedAfter === undefined) return undefined;
    const now = this.#parts.surroundings.clock.now();
    const deletedAt = before.deletedAt ?? now;
    this.#performances.set(object.metadata.uid, { ...before, deletedAt });
    const left = deletedAt + finalizer.releasedAfter - now;
    if (left > 0) return left;
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer.name);
    this.#hand.merge(before.kind, object, { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } });
    return undefined;
  }
}

function matches(match: Script['match'], { apiVersion, kind, metadata }: StoredObject): boolean {
  const { namespace = '', name } = metadata;
  return matchesObject(match, { apiVersion, kind, namespace, name });
}

function generationOf(object: StoredObject): number {
  return object.metadata.generation ?? 0;
}

/** Times of transitions and the generation, as an operator would fill them in. */
function filledIn(
  status: JsonMap,
  { object, place, now }: { readonly object: StoredObject; readonly place: GenerationPlace; readonly now: string },
): JsonMap {
  const generation = generationOf(object);
  const old = mapsAt(object, 'status', 'conditions');
  const conditions = mapsAt(status, 'conditions').map((condition) => ({
    ...(place === 'condition' ? { observedGeneration: generation } : {}),
    ...(condition.status === undefined ? {} : { lastTransitionTime: transitionOf(condition, old) ?? now }),
    ...condition,
  }));
  return {
    ...(place === 'status' ? { observedGeneration: generation } : {}),
    ...(place === 'string' ? { observedGeneration: String(generation) } : {}),
    ...status,
    ...(Array.isArray(status.conditions) ? { conditions } : {}),
  };
}

function transitionOf({ type, status }: JsonMap, old: readonly JsonMap[]): unknown {
  return old.find((each) => each.type === type && each.status === status)?.lastTransitionTime;
}
