import type { Evidence, PackageRevisionStatus } from '../../api/package-revision.ts';

/** Name of the Secret with the last log lines of what failed at a revision. */
export function evidenceSecretName(revision: string): string {
  return `kubepkg-evidence-${revision}`;
}

/** The status of a revision that failed, with what was seen of it; its message says where the log lines are, and never repeats them. */
export function withEvidence(status: PackageRevisionStatus, evidence: Evidence): PackageRevisionStatus {
  const { logs } = evidence;
  if (logs === undefined) return { ...status, evidence };
  const where = `the last log lines are in Secret ${logs.namespace}/${logs.name}`;
  const message = status.message ?? status.failure?.message;
  return { ...status, evidence, message: message === undefined ? where : `${message}; ${where}` };
}
