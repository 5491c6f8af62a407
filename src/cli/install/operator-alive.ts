import { KubepkgError } from '../../api/errors.ts';
import { OPERATOR_LEASE } from '../../api/names.ts';
import { formatAge } from '../text/age.ts';
import { type GlobalFlags, paintFor } from '../commands/context.ts';
import type { CliHost, Cluster } from '../host.ts';
import { writeSentences } from '../write-sentences.ts';
import { awaitRenewal, findLeases, isHeld, type OperatorLease, placeOf } from './operator-lease.ts';

/** Renewals that may be missed, and clocks that may differ, before the operator seems dead. */
const PATIENCE = 4;

/** Who takes the next steps: an operator elsewhere, this very process (`--local`), or nobody that can be seen. */
export type Worker = 'operator' | 'here' | 'nobody';

export interface WorkerSight {
  readonly worker: Worker;
  /** Why it seems that nobody works. */
  readonly doubt?: string;
  /** Who may not read the Lease takes it that an operator runs. */
  readonly isAssumed?: boolean;
  /** Held, and by the clock here not renewed for long. */
  readonly stale?: readonly OperatorLease[];
  /** How far the clock here is ahead of the operator's, where that was found out. */
  readonly skewMs?: number;
}

/** Behind every sentence that says that nobody works. */
export const START_OPERATOR = 'start one, in the cluster or in a terminal: kubepkg operator';

type Eyes = Pick<CliHost, 'clock' | 'interrupted'>;

/** By the clock, corrected by what is known of how far it is off. */
export async function seeWorker(
  { clock }: Eyes,
  { local, skewMs = 0 }: Pick<GlobalFlags, 'local'> & Pick<WorkerSight, 'skewMs'>,
  cluster: Cluster,
): Promise<WorkerSight> {
  if (local === true) return { worker: 'here' };
  try {
    return sightOf(await findLeases(cluster), clock.now() - skewMs);
  } catch (error) {
    // Who may install packages need not be allowed to read leases.
    if (error instanceof KubepkgError) return { worker: 'operator', isAssumed: true };
    throw error;
  }
}

/** No clock alone says that nobody works: what seems dead is watched for as long as its Lease lasts. */
export async function makeSure(eyes: Eyes, sight: WorkerSight, cluster: Cluster): Promise<WorkerSight> {
  const renewed = await awaitRenewal(eyes, cluster, sight.stale ?? []);
  if (renewed?.renewedAt === undefined) return sight;
  return { worker: 'operator', skewMs: eyes.clock.now() - renewed.renewedAt };
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

function sightOf(leases: readonly OperatorLease[], now: number): WorkerSight {
  const [newest] = leases;
  if (newest === undefined) return { worker: 'nobody', doubt: `there is no Lease ${OPERATOR_LEASE}` };
  const stale = leases.filter(isHeld);
  const [last] = stale;
  if (last === undefined) return { worker: 'nobody', doubt: `nobody holds ${placeOf(newest)}` };
  const age = ({ renewedAt = 0 }: OperatorLease): number => now - renewedAt;
  if (stale.some((lease) => age(lease) <= PATIENCE * lease.durationMs)) return { worker: 'operator' };
  return { worker: 'nobody', doubt: `${placeOf(last)} was renewed last ${formatAge(age(last))} ago`, stale };
}
