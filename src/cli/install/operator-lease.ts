import { isCode } from '../../api/errors.ts';
import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import { OPERATOR_LEASE, OPERATOR_NAMESPACE } from '../../api/names.ts';
import { asNumber, asString, at } from '../../lib/json.ts';
import type { CliHost, Cluster } from '../host.ts';
import { REVISIONS } from '../objects.ts';
import { parseTime } from '../text/age.ts';

/** The Lease of an operator, wherever the operator was told to keep it. */
export interface OperatorLease {
  readonly namespace: string;
  /** Empty: it was given away. */
  readonly holder: string;
  /** By the clock of its holder; undefined: it was never renewed. */
  readonly renewedAt: number | undefined;
  readonly durationMs: number;
}

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const;
const DEFAULT_DURATION_S = 15;
/** Several looks between two renewals, which are 1.5 seconds apart. */
const LOOK_MS = 500;

/**
 * All there are, the one renewed last first. Who may not list the Leases of all namespaces reads those in the namespace
 * that the operator has by default and in the one where it kept the values of the newest revision; fails where none may be
 * read.
 */
export async function findLeases(cluster: Cluster): Promise<readonly OperatorLease[]> {
  const found = (await listed(cluster)) ?? (await readEach(cluster, await likelyNamespaces(cluster)));
  return found.map(leaseOf).sort((a, b) => (b.renewedAt ?? 0) - (a.renewedAt ?? 0));
}

export function isHeld({ holder, renewedAt }: OperatorLease): boolean {
  return holder !== '' && renewedAt !== undefined;
}

export function placeOf({ namespace }: Pick<OperatorLease, 'namespace'>): string {
  return `Lease ${namespace}/${OPERATOR_LEASE}`;
}

/**
 * The first of the held ones that somebody renews, or takes, while each is watched for as long as it lasts; no two clocks
 * are compared. Undefined: nobody does, or the user has interrupted.
 */
export async function awaitRenewal(
  { clock, interrupted }: Pick<CliHost, 'clock' | 'interrupted'>,
  cluster: Cluster,
  leases: readonly OperatorLease[],
): Promise<OperatorLease | undefined> {
  const held = leases.filter(isHeld);
  const known = new Map(held.map((lease) => [lease.namespace, markOf(lease)]));
  const patience = Math.max(0, ...held.map(({ durationMs }) => durationMs));
  for (let waited = 0; waited < patience && !interrupted.aborted; waited += LOOK_MS) {
    await pause(clock, LOOK_MS, interrupted);
    const now = (await readEach(cluster, [...known.keys()])).map(leaseOf);
    const renewed = now.find((lease) => isHeld(lease) && isNews(known.get(lease.namespace), lease));
    if (renewed !== undefined) return renewed;
  }
  return undefined;
}

function isNews(before: string | undefined, lease: OperatorLease): boolean {
  return before !== undefined && before !== markOf(lease);
}

function markOf({ holder, renewedAt }: OperatorLease): string {
  return `${holder} ${String(renewedAt)}`;
}

function pause(clock: CliHost['clock'], ms: number, interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      interrupted.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    interrupted.addEventListener('abort', done);
  });
}

/** Undefined: there is none in that namespace. */
export async function readLease(cluster: Cluster, namespace: string): Promise<OperatorLease | undefined> {
  const found = await cluster.read(leaseRef(namespace));
  return found === undefined ? undefined : leaseOf(found);
}

function leaseRef(namespace: string): ObjectRef {
  return { ...LEASE, namespace, name: OPERATOR_LEASE };
}

/** Undefined: that may not be listed. */
async function listed(cluster: Cluster): Promise<readonly KubeObject[] | undefined> {
  const wanted = { ...LEASE, fieldSelector: `metadata.name=${OPERATOR_LEASE}` };
  return ifAllowed(async () => (await cluster.list(wanted)).items);
}

/** Fails where none is seen, and one may not be read. */
async function readEach(cluster: Cluster, namespaces: readonly string[]): Promise<readonly KubeObject[]> {
  const read = namespaces.map((namespace) => cluster.read(leaseRef(namespace)));
  const seen = await Promise.allSettled(read);
  const found = seen.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []));
  if (found.length === 0) await Promise.all(read);
  return found;
}

async function likelyNamespaces(cluster: Cluster): Promise<readonly string[]> {
  const told = await ifAllowed(() => namespaceOfValues(cluster));
  return [...new Set([OPERATOR_NAMESPACE, told ?? OPERATOR_NAMESPACE])];
}

/** An operator keeps the values of revisions beside its Lease. */
async function namespaceOfValues(cluster: Cluster): Promise<string | undefined> {
  const { items } = await cluster.list(REVISIONS);
  const newestFirst = items.toSorted((a, b) => madeAt(b) - madeAt(a));
  return newestFirst.flatMap(namespacesOf)[0];
}

function madeAt({ metadata }: KubeObject): number {
  return parseTime(metadata.creationTimestamp) ?? 0;
}

function namespacesOf(revision: KubeObject): readonly string[] {
  const members = ['components', 'hooks'].flatMap((part) => (at(revision, 'spec', part) ?? []) as readonly unknown[]);
  return members.flatMap((member) => asString(at(member, 'valuesRef', 'namespace')) ?? []);
}

/** Undefined: it is not for this user to see. */
export async function ifAllowed<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    if (isCode(thrown, 'ApiForbidden', 'KindNotServed')) return undefined;
    throw thrown;
  }
}

function leaseOf(object: KubeObject): OperatorLease {
  const spec = object['spec'];
  return {
    namespace: object.metadata.namespace ?? '',
    holder: asString(at(spec, 'holderIdentity')) ?? '',
    renewedAt: parseTime(asString(at(spec, 'renewTime'))),
    durationMs: 1000 * (asNumber(at(spec, 'leaseDurationSeconds')) ?? DEFAULT_DURATION_S),
  };
}
