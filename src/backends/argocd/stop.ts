import { KubepkgError } from '../../api/errors.ts';
import type { ObjectRef } from '../../api/kube.ts';
import type { BackendAction, SubmitOutcome } from '../../ports/backend.ts';
import { applicationRef, readApplication } from './application.ts';
import { operationInProgress, withoutOperation } from './operation.ts';
import { rewrite } from './rewrite.ts';
import type { ArgoCdTools } from './tools.ts';

/** Nothing more of an attempt of ours happens; what somebody else started is theirs to end. */
export async function stop(
  { target, observed }: Extract<BackendAction, { kind: 'stop' }>,
  tools: ArgoCdTools,
): Promise<SubmitOutcome> {
  await endOperation(applicationRef(target, tools.options.namespace), tools, observed.token);
  return { kind: 'accepted' };
}

/** Of that attempt; without one, of whatever attempt of ours has one in progress. */
export async function endOperation(
  ref: ObjectRef,
  { cluster, clock }: Pick<ArgoCdTools, 'cluster' | 'clock'>,
  attempt?: string,
): Promise<void> {
  await rewrite(
    ref,
    (live) => {
      if (live === undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
      const { name, token } = readApplication(live);
      if (attempt !== undefined && attempt !== token) {
        throw new KubepkgError('ApiConflict', `${name} went on since it was looked at`);
      }
      return operationInProgress(live)?.token === undefined ? undefined : withoutOperation(live, clock.now());
    },
    cluster,
  );
}
