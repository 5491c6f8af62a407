import type { PackageRevision } from '../../api/package-revision.ts';
import { isRestoring } from '../../domain/decide/views.ts';
import { nodeTrouble } from '../text/node-trouble.ts';
import { oneLine } from '../text/sanitize.ts';

/** The newest revision that wanted something new, if that has failed; all that came after it only restored. */
export function newestFailure(revisions: readonly PackageRevision[]): PackageRevision | undefined {
  const newest = revisions.findLast((revision) => !isRestoring(revision));
  return newest?.status?.failure === undefined ? undefined : newest;
}

/** A message about a Job that failed, with the exit code of its container, where it does not name any. */
export function withExitCode(message: string, failed: PackageRevision | undefined): string {
  const [, job] = /\bJob (\S+):/.exec(message) ?? [];
  if (job === undefined || / exit(?:ed with)? code /.test(message)) return message;
  const { evidence, failure } = failed?.status ?? {};
  const end = endOf(job, evidence?.findings);
  return end === undefined ? message : putBehind(failure?.message, message, end);
}

function endOf(job: string, findings: readonly string[] = []): string | undefined {
  const own = findings.map(oneLine).filter((text) => text.startsWith(`Pod ${job}-`));
  return own.flatMap((text) => END.exec(text)?.[1] ?? [])[0];
}

const END = /: (container \S+ exited with code [1-9]\d*(?: \([^)]*\))?)/;

/** Where the cause stands in the message; at its end where it does not. */
function putBehind(text: string | undefined, message: string, more: string): string {
  const cause = oneLine(text ?? '');
  if (cause === '' || !message.includes(cause)) return `${message}; ${more}`;
  return message.replace(cause, () => `${cause}; ${more}`);
}

/**
 * What was seen of a failure: each once, without what the message says and without pods that a newer template replaces.
 * What could not be seen comes last.
 */
export function tellingFindings(findings: readonly string[], message: string): readonly string[] {
  const newest = new Map<string, string>();
  const told = findings.map((finding) => nodeTrouble(oneLine(finding)));
  const telling = [...new Set(told)].filter((finding) => {
    const [, workload = '', template = ''] = POD.exec(finding) ?? [];
    // Findings about pods come in the order of what they tell.
    if (workload !== '' && !newest.has(workload)) newest.set(workload, template);
    return !message.includes(finding) && newest.get(workload) === (workload === '' ? undefined : template);
  });
  const isBlind = (finding: string): boolean => / could not be (?:read|kept): /.test(finding);
  return [...telling.filter((finding) => !isBlind(finding)), ...telling.filter(isBlind)];
}

/** A pod of a ReplicaSet: names that are generated have no vowels. */
const POD =
  /^(?:Warning about )?Pod (\S+)-([bcdfghjklmnpqrstvwxz2456789]{5,10})-[bcdfghjklmnpqrstvwxz2456789]{5}(?=[:, ])/;
