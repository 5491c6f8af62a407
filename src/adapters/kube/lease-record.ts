import type { KubeObject } from '../../api/kube.ts';
import { asNumber, asString, at, isRecord } from '../../lib/json.ts';
import { formatTime } from '../../lib/time.ts';

/** A Lease's spec, as client-go writes it too; fields that are not ours are kept. */
export interface LeaseRecord {
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number | undefined;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly leaseTransitions: number;
}

export interface LeaseHold {
  readonly identity: string;
  readonly durationSeconds: number;
  /** Milliseconds since the epoch: for people and for other programs; nothing here judges by it. */
  readonly now: number;
}

export function leaseRecord(lease: KubeObject): LeaseRecord {
  const spec = lease['spec'];
  return {
    holderIdentity: asString(at(spec, 'holderIdentity')) ?? '',
    leaseDurationSeconds: asNumber(at(spec, 'leaseDurationSeconds')),
    acquireTime: asString(at(spec, 'acquireTime')),
    renewTime: asString(at(spec, 'renewTime')),
    leaseTransitions: asNumber(at(spec, 'leaseTransitions')) ?? 0,
  };
}

/** Changes with every renewal. */
export function leaseMark(record: LeaseRecord): string {
  const { holderIdentity, acquireTime, renewTime, leaseTransitions } = record;
  return JSON.stringify([holderIdentity, acquireTime, renewTime, leaseTransitions]);
}

export function newLease(at: { readonly namespace: string; readonly name: string }, hold: LeaseHold): KubeObject {
  const base = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...at } };
  return { ...base, spec: { ...held(hold), acquireTime: microTime(hold.now), leaseTransitions: 0 } };
}

/** The lease as its holder keeps it, or as a new holder takes it. */
export function heldLease(lease: KubeObject, hold: LeaseHold): KubeObject {
  const record = leaseRecord(lease);
  const kept = record.holderIdentity === hold.identity && record.acquireTime !== undefined;
  const taken = { acquireTime: microTime(hold.now), leaseTransitions: record.leaseTransitions + 1 };
  return withSpec(lease, { ...held(hold), ...(kept ? {} : taken) });
}

/** The lease given away: free for whoever looks next. */
export function releasedLease(lease: KubeObject, now: number): KubeObject {
  const time = microTime(now);
  return withSpec(lease, { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time });
}

function withSpec(lease: KubeObject, change: Readonly<Record<string, unknown>>): KubeObject {
  const spec = lease['spec'];
  return { ...lease, spec: { ...(isRecord(spec) ? spec : {}), ...change } };
}

function held(hold: LeaseHold): Readonly<Record<string, unknown>> {
  return {
    holderIdentity: hold.identity,
    leaseDurationSeconds: hold.durationSeconds,
    renewTime: microTime(hold.now),
  };
}

/** Kubernetes' MicroTime. */
function microTime(ms: number): string {
  return formatTime(ms).replace('Z', '000Z');
}
