import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import { STAMP } from '../../../src/backends/flux/names.ts';
import { asArray, asNumber, asString, at, type JsonObject } from '../../../src/lib/json.ts';
import type { Delivery } from '../release-work.ts';
import type { Status } from './turns.ts';

/** On a HelmRelease of a model: what is in its Secret. */
export const VALUES = 'sim.example.org/values';

/** What one turn goes by: the object as it was at its beginning, whatever comes meanwhile. */
export interface Taken {
  readonly ref: ObjectRef;
  readonly generation: number;
  readonly requestedAt: string | undefined;
  readonly resetAt: string | undefined;
  readonly forceAt: string | undefined;
  readonly configDigest: string;
  readonly chartVersion: string;
  readonly dependsOn: string | undefined;
  readonly delivery: Delivery;
  /** Each write of its own, or several at once. */
  readonly isFine: boolean;
}

interface Config {
  readonly values: JsonObject;
  /** Of the component; what was edited by hand is no component's. */
  readonly digest: string | undefined;
  readonly configDigest: string;
}

export function configOf({ metadata, spec }: KubeObject): Config {
  const { annotations = {} } = metadata;
  // Only the backend model writes this annotation.
  const values = JSON.parse(annotations[VALUES] ?? '{}') as JsonObject;
  const byHand = asNumber(at(spec, 'values', 'byHand'));
  if (byHand === undefined) {
    return { values, digest: annotations[STAMP.digest], configDigest: annotations[STAMP.configDigest] ?? '' };
  }
  return { values: { ...values, byHand }, digest: undefined, configDigest: `sha256:by-hand-${String(byHand)}` };
}

export function isForced({ forceAt, requestedAt }: Taken, status: Status): boolean {
  return forceAt !== undefined && forceAt === requestedAt && forceAt !== status['lastHandledForceAt'];
}

export function isReset({ resetAt, requestedAt }: Taken, status: Status): boolean {
  return resetAt !== undefined && resetAt === requestedAt && resetAt !== status['lastHandledResetAt'];
}

/** No attempt is left for this very spec. */
export function isGivenUp(taken: Taken, status: Status): boolean {
  if (status['lastAttemptedGeneration'] !== taken.generation || isReset(taken, status)) return false;
  return (asNumber(status['upgradeFailures']) ?? 0) > 0;
}

export function withoutFailures(status: Status): Status {
  const { failures: _all, upgradeFailures: _recorded, ...rest } = status;
  return rest;
}

export interface Newest {
  readonly version: number | undefined;
  readonly configDigest: string | undefined;
  readonly chartVersion: string | undefined;
}

export function newestIn(status: Status): Newest {
  const [newest] = asArray(status['history']);
  return {
    version: asNumber(at(newest, 'version')),
    configDigest: asString(at(newest, 'configDigest')),
    chartVersion: asString(at(newest, 'chartVersion')),
  };
}

export function handled(status: Status, { requestedAt }: Taken): Status {
  return requestedAt === undefined ? status : { ...status, lastHandledReconcileAt: requestedAt };
}

export function ended(status: Status, taken: Taken): Status {
  return { ...handled(status, taken), observedGeneration: taken.generation };
}

/** It is what the object asks for. */
export function isWanted({ configDigest, chartVersion }: Taken, newest: Newest): boolean {
  return newest.configDigest === configDigest && newest.chartVersion === chartVersion;
}
