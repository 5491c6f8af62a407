import { KubepkgError } from '../../api/errors.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { isInProgress, labelOf } from '../../domain/decide/views.ts';
import { declined, isConfirmed } from '../change/ask.ts';
import { editPackage } from '../change/edit-package.ts';
import { findPackage, namesOf, refuseLeaving } from '../change/find-packages.ts';
import { finish } from '../change/finish.ts';
import { type ChangeFlags, waitMsOf } from '../change/flags.ts';
import { rollbackJudge } from '../change/judges.ts';
import { isTarget, planRollback, previousRevision, type RollbackPlan } from '../change/rollback-plan.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { asObject, ownRevisions, revisionsOf } from '../objects.ts';
import { oneLine } from '../text/sanitize.ts';
import { withCluster } from './context.ts';

export interface RollbackFlags extends ChangeFlags {
  readonly to?: string | undefined;
  readonly force?: boolean | undefined;
}

interface Subject {
  readonly cluster: Cluster;
  readonly pkg: Package;
  readonly revisions: readonly PackageRevision[];
  readonly waitMs: number;
}

/** P19: asks the operator for a rollback, unless it would refuse. */
export async function runRollback(host: CliHost, name: string, flags: RollbackFlags): Promise<ExitCode> {
  namesOf([name]);
  const waitMs = waitMsOf(flags);
  const wanted = flags.to === undefined ? undefined : requireNumber(flags.to);
  return withCluster(host, flags, async ({ cluster }) => {
    const pkg = await findPackage(cluster, name);
    refuseLeaving([pkg]);
    const revisions = ownRevisions(pkg, (await cluster.list(revisionsOf([name]))).items);
    const target = wanted === undefined ? defaultTarget(name, revisions) : findTarget(name, revisions, wanted);
    const plan = planRollback({ package: pkg, revisions, now: host.clock.now() }, target, flags.force === true);
    return ask(host, flags, { subject: { cluster, pkg, revisions, waitMs }, plan });
  });
}

function requireNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new KubepkgError('InvalidInput', `--to ${text} is not the number of a revision`, {
    hint: 'write a number, such as --to 3; kubepkg history lists those of a package',
  });
}

function defaultTarget(name: string, revisions: readonly PackageRevision[]): PackageRevision {
  const target = previousRevision(revisions);
  if (target !== undefined) return target;
  const others = revisions.slice(0, -1).filter(isTarget);
  const what = others.length === 0 ? 'was applied' : 'differs in version or values from what runs';
  throw new KubepkgError('NotFound', `package ${name} has no earlier revision that ${what}`, {
    hint: `see its revisions: kubepkg history ${name}`,
  });
}

/** Those that are no targets are left to the operator's own words. */
function findTarget(name: string, revisions: readonly PackageRevision[], wanted: number): PackageRevision {
  const target = revisions.find(({ spec }) => spec.revision === wanted);
  if (target !== undefined) return target;
  const known = revisions.filter(isTarget).map((one) => labelOf(one));
  const offer =
    known.length === 0 ? 'none was applied yet' : `those that can be gone back to: ${oneLine(known.join(', '))}`;
  throw new KubepkgError('NotFound', `package ${name} has no revision ${String(wanted)}`, { hint: offer });
}

interface Request {
  readonly subject: Subject;
  readonly plan: RollbackPlan;
}

async function ask(host: CliHost, flags: RollbackFlags, request: Request): Promise<ExitCode> {
  const { subject, plan } = request;
  const { name } = subject.pkg.metadata;
  if (plan.answer.kind === 'refused') throw refusal(name, plan, plan.answer.why);
  if (plan.answer.kind === 'idle') {
    const line = oneLine(`${name}: ${plan.answer.why}`);
    return finish(host, flags, { ...subject, changed: [{ object: asObject(subject.pkg), line }] });
  }
  const isSettled = flags.yes === true || flags.dryRun === true;
  if (!(await isConfirmed(host, { lines: planLines(subject, plan), isSettled, byDefault: 'yes' }))) {
    return declined(host);
  }
  return write(host, flags, request);
}

function refusal(name: string, { unsafe }: RollbackPlan, why: string): KubepkgError {
  const reason = oneLine(why).replace(/; fix it forward, or force it.*$/, '');
  return new KubepkgError('InvalidConfiguration', `package ${name}: ${reason}`, {
    hint:
      unsafe.length > 0
        ? `fix it forward; if you know that going back past ${unsafe.join(', ')} is safe: --force`
        : `see its revisions: kubepkg history ${name}`,
  });
}

function planLines({ pkg, revisions }: Subject, { target, whyUnsafe }: RollbackPlan): readonly string[] {
  const newest = revisions.at(-1);
  const running = revisions.find((one) => isInProgress(one));
  const from = newest === undefined ? '' : ` from ${labelOf(newest)}`;
  const lines = [`${pkg.metadata.name} goes back${from} to ${labelOf(target)}; no hook runs`];
  if (running !== undefined) lines.push(`${labelOf(running)} is in progress and is ended first`);
  if (whyUnsafe !== '') lines.push(`forced, although ${whyUnsafe}`);
  if (pkg.spec.suspend === true) lines.push('it is suspended: nothing happens before kubepkg resume');
  lines.push('it stays there until the Package or its source is changed, or kubepkg retry');
  return lines.map(oneLine);
}

async function write(host: CliHost, flags: RollbackFlags, { subject, plan }: Request): Promise<ExitCode> {
  const { cluster, pkg, revisions, waitMs } = subject;
  const { name } = pkg.metadata;
  const patch = { metadata: { annotations: plan.annotations } };
  const written = await editPackage(cluster, pkg, { patch, dryRun: flags.dryRun === true });
  const number = plan.target.spec.revision;
  const awaited = {
    name,
    generation: written.metadata.generation ?? 1,
    judge: rollbackJudge(number, revisions.at(-1)?.spec.revision ?? 0),
  };
  const line = `${name} is to go back to revision ${String(number)}`;
  return finish(host, flags, { cluster, waitMs, changed: [{ object: asObject(written), line, awaited }] });
}
