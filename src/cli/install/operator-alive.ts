import { KubepkgError } from '../../api/errors.ts';
import { OPERATOR_LEASE, OPERATOR_NAMESPACE } from '../../api/names.ts';
import { asNumber, asString, at } from '../../lib/json.ts';
import { formatAge, parseTime } from '../text/age.ts';
import { type GlobalFlags, paintFor } from '../commands/context.ts';
import type { CliHost, Cluster } from '../host.ts';
import { writeSentences } from '../write-sentences.ts';

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: OPERATOR_NAMESPACE,
  name: OPERATOR_LEASE,
} as const;

/** Renewals that may be missed, and clocks that may differ, before the operator seems dead. */
const PATIENCE = 4;
const DEFAULT_DURATION_S = 15;

/** Who takes the next steps: an operator elsewhere, this very process (`--local`), or nobody that can be seen. */
export type Worker = 'operator' | 'here' | 'nobody';

export interface WorkerSight {
  readonly worker: Worker;
  /** Why it seems that nobody works. */
  readonly doubt?: string;
  /** Who may not read the Lease takes it that an operator runs. */
  readonly isAssumed?: boolean;
}

/** Behind every sentence that says that nobody works. */
export const START_OPERATOR = 'start one, in the cluster or in a terminal: kubepkg operator';

export async function seeWorker(
  { clock }: Pick<CliHost, 'clock'>,
  { local }: Pick<GlobalFlags, 'local'>,
  cluster: Cluster,
): Promise<WorkerSight> {
  if (local === true) return { worker: 'here' };
  try {
    const doubt = leaseDoubt(await cluster.read(LEASE), clock.now());
    return doubt === undefined ? { worker: 'operator' } : { worker: 'nobody', doubt };
  } catch (error) {
    // Who may install packages need not be allowed to read leases.
    if (error instanceof KubepkgError) return { worker: 'operator', isAssumed: true };
    throw error;
  }
}

/** Said first, so that whatever follows is read with it in mind. */
export function warnOfDoubt(host: CliHost, flags: GlobalFlags, { doubt }: WorkerSight): void {
  if (doubt === undefined) return;
  const paint = paintFor(host, flags, 'stderr');
  writeSentences(host.stderr, [
    `${paint('yellow', 'warning:')} no operator seems to be running: ${doubt}; nothing happens until one does`,
    `${paint('cyan', 'hint:')} ${START_OPERATOR}`,
  ]);
}

export interface OperatorFact {
  readonly running: boolean;
  readonly message?: string;
}

/** The same as data; undefined: it is not known. */
export function operatorFact({ worker, doubt, isAssumed = false }: WorkerSight): OperatorFact | undefined {
  if (isAssumed || worker === 'here') return undefined;
  return { running: worker === 'operator', ...(doubt === undefined ? {} : { message: doubt }) };
}

function leaseDoubt(lease: unknown, now: number): string | undefined {
  const place = `Lease ${LEASE.namespace}/${LEASE.name}`;
  if (lease === undefined) return `there is no ${place}`;
  const renewed = parseTime(asString(at(lease, 'spec', 'renewTime')));
  if (renewed === undefined || (asString(at(lease, 'spec', 'holderIdentity')) ?? '') === '')
    return `nobody holds ${place}`;
  const patience = PATIENCE * 1000 * (asNumber(at(lease, 'spec', 'leaseDurationSeconds')) ?? DEFAULT_DURATION_S);
  return now - renewed <= patience ? undefined : `${place} was renewed last ${formatAge(now - renewed)} ago`;
}
