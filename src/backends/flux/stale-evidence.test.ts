import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  readAttempts,
  readTrace,
  traceNames,
  type Version,
  versionsOf,
} from '../../../test/build/flux-trace.ts';
import type { KubeObject } from '../../api/kube.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { factsOf } from './facts.ts';
import { interpret } from './interpret.ts';
import { REQUEST, STAMP } from './names.ts';

/** The versions of one HelmRelease of a trace. */
type Life = readonly Version[];

function livesOf(): readonly Life[] {
  const attempts = readAttempts();
  return traceNames().flatMap((file) => {
    const versions = versionsOf(readTrace(file), attempts);
    const names = new Set(versions.map(({ target }) => target.releaseName));
    return [...names].map((name) => versions.filter(({ target }) => target.releaseName === name));
  });
}

function conditionIn(object: KubeObject, type: string): unknown {
  return asArray(at(object, 'status', 'conditions')).find((condition) => at(condition, 'type') === type);
}

/** The list of facts under which a change of ours is delivered, word for word, without anything that was made easier. */
function isProven({ object, attempt }: Version): boolean {
  const { generation, deletionTimestamp, annotations } = object.metadata;
  const newest = asArray(at(object, 'status', 'history'))[0];
  const ready = conditionIn(object, 'Ready');
  const [version, digest] = attempt.chart.split('@');
  const requestedAt = annotations?.[REQUEST.requestedAt];
  return [
    deletionTimestamp === undefined && at(object, 'spec', 'suspend') !== true,
    at(object, 'status', 'observedGeneration') === generation,
    at(object, 'status', 'lastAttemptedGeneration') === generation,
    at(ready, 'status') === 'True' && at(ready, 'observedGeneration') === generation,
    conditionIn(object, 'Reconciling') === undefined && conditionIn(object, 'Stalled') === undefined,
    at(newest, 'status') === 'deployed',
    at(newest, 'configDigest') === annotations?.[STAMP.configDigest],
    at(newest, 'configDigest') === at(object, 'status', 'lastAttemptedConfigDigest'),
    at(newest, 'chartVersion') === at(object, 'status', 'lastAttemptedRevision'),
    at(newest, 'ociDigest') === digest && asString(at(newest, 'chartVersion'))?.split('+')[0] === version,
    requestedAt !== attempt.token || at(object, 'status', 'lastHandledReconcileAt') === requestedAt,
  ].every((fact) => fact);
}

function isDelivered({ object, target, now, attempt }: Version): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false;
  const { delivery, token } = interpret(factsOf(object), target, { now });
  return delivery === 'delivered' && token === attempt.token;
}

/** For each attempt, the versions from before it was proven to be delivered, of all that came before its end. */
function staleParts(life: Life): ReadonlyMap<Attempt, Life> {
  return new Map(
    [...new Set(life.map(({ attempt }) => attempt))].map((attempt) => {
      const proven = life.findIndex((version) => version.attempt === attempt && isProven(version));
      const last = life.findLastIndex((version) => version.attempt === attempt);
      return [attempt, life.slice(0, proven < 0 ? last + 1 : proven)];
    }),
  );
}

/** What was written for an attempt, with a status put together of parts of others, some of them missing. */
function torn(version: Version, parts: readonly Version[], missing: readonly boolean[]): Version {
  const pick = (index: number): unknown => (parts[index % parts.length] ?? version).object['status'];
  const keys = [
    ...new Set(parts.flatMap(({ object }) => (isRecord(object['status']) ? Object.keys(object['status']) : []))),
  ];
  const types = ['Ready', 'Released', 'Reconciling', 'Stalled', 'Remediated'];
  const conditions = types.flatMap((type, index) =>
    asArray(at(pick(index + 1), 'conditions')).filter((condition) => at(condition, 'type') === type),
  );
  const fields = keys.flatMap((key, index) =>
    missing[index % missing.length] === true ? [] : [[key, at(pick(index), key)] as const],
  );
  const status = { ...Object.fromEntries(fields), conditions };
  return { ...version, object: { ...version.object, status } };
}

describe('stale evidence', () => {
  const lives = livesOf();
  const stories = lives.map((life) => ({ life, parts: staleParts(life) }));

  it('nothing is delivered before the facts are all there, in any version of any trace', () => {
    for (const life of lives) {
      const first = new Map<unknown, boolean>();
      for (const version of life) {
        // Once it is proven, a later turn takes nothing away.
        if (isProven(version)) first.set(version.attempt, true);
        if (isDelivered(version)) expect([version.t, first.get(version.attempt)]).toEqual([version.t, true]);
      }
    }
  });

  it('no mixture of earlier states, whole or torn, in any order, passes for the delivery of an attempt', () => {
    const pieces = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });
    const missing = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.nat(), fc.nat(), pieces, missing, (which, when, indexes, holes) => {
        const { life, parts } = stories[which % stories.length] ?? { life: [], parts: new Map<Attempt, Life>() };
        const version = life[when % life.length];
        if (version === undefined) return;
        const stale = parts.get(version.attempt) ?? [];
        const chosen = indexes.flatMap((index) => stale[index % Math.max(1, stale.length)] ?? []);
        fc.pre(chosen.length > 0);
        expect(isDelivered(torn(version, chosen, holes))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
