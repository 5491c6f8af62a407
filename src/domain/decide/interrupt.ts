import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { act, type Decision } from './decision.ts';

export const NEWER = 'by a newer desired state';

/** Ends a revision without undoing anything. */
export function interrupt(
  revision: PackageRevision,
  progress: PackageRevisionStatus | undefined,
  cause: string,
): Decision {
  const message = `revision ${String(revision.spec.revision)} was interrupted ${cause}`;
  const status: PackageRevisionStatus = {
    ...progress,
    phase: 'Failed',
    message,
    failure: { code: 'Interrupted', message },
  };
  return act({ kind: 'record', revision: revision.metadata.name, status }, { reason: 'Progressing', message });
}
