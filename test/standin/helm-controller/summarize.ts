import type { WorkingCopy } from './working-copy.ts';

/**
 * Ready is what the last action left: the remediation, when it is as new as the release, else the release. It is about
 * the present generation even if nothing was released for it [02: Ready@3, Released@2; 34: Ready@3].
 */
export function summarize(copy: WorkingCopy): void {
  const released = copy.condition('Released');
  const remediated = copy.condition('Remediated');
  const isRemediated =
    remediated !== undefined && (remediated.observedGeneration ?? 0) >= (released?.observedGeneration ?? 0);
  const decisive = isRemediated ? remediated : released;
  if (decisive === undefined) return;
  const status = isRemediated ? 'False' : decisive.status;
  if (status === 'True') copy.unmark('Stalled');
  copy.ready(status, decisive.reason, decisive.message);
}
