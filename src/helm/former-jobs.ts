import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refOf } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import { isMadeBy } from '../domain/readiness/newer-than-change.ts';
import { hasEnded, isEnding } from '../domain/readiness/vanished-job.ts';
import { at } from '../lib/json.ts';
import type { DesiredRelease, ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import { holdMessage } from './describe-hold.ts';
import { manifestDocuments } from './manifest.ts';
import { belongsTo, removeExactly, unlessGone } from './ownership.ts';
import { isJob } from './recreate-jobs.ts';
import { isTerminating } from './remains.ts';
import type { ChartTools } from './tools.ts';

interface Run {
  readonly release: DesiredRelease;
  /** What nobody has signed, or somebody else, is refused by others. */
  readonly isOurs: (object: KubeObject, target: ReleaseTarget) => boolean;
}

/**
 * A hook runs afresh (P16), and its release may be gone without its Jobs: a Job of a former run would pass for the one
 * that is to come. It is removed first, once it has ended; a migration that runs is not cut off.
 */
export async function removeFormerJobs(refs: readonly ObjectRef[], run: Run, cluster: Cluster): Promise<void> {
  const { hookSince } = run.release;
  if (hookSince === undefined) return;
  const former = await findFormer(refs, { ...run, hookSince }, cluster);
  const [first] = former;
  if (first === undefined) return;
  if (hookSince === 'now') for (const job of former) await markFormer(job, cluster);
  for (const job of former.filter((each) => !isTerminating(each) && !runs(each))) await removeExactly(job, cluster);
  throw new KubepkgError('ReleaseLocked', sayAwaited(former.find((each) => runs(each)) ?? first));
}

async function findFormer(
  refs: readonly ObjectRef[],
  { release, isOurs, hookSince }: Run & { readonly hookSince: number | 'now' },
  cluster: Cluster,
): Promise<readonly KubeObject[]> {
  const former: KubeObject[] = [];
  for (const ref of refs.filter((candidate) => isJob(candidate))) {
    const job = await cluster.read(ref);
    if (job !== undefined && isOurs(job, release) && !isOfThisRun(job, hookSince)) former.push(job);
  }
  return former;
}

/** Times of objects are whole seconds: what one of the same second is of, only the beginning of this run could tell. */
function isOfThisRun(job: KubeObject, hookSince: number | 'now'): boolean {
  if (hookSince === 'now' || job.metadata.annotations?.[ANNOTATION.formerRun] !== undefined) return false;
  return isMadeBy(job, { startedAt: hookSince, since: hookSince });
}

/** For the attempts that come after this one. */
async function markFormer(job: KubeObject, cluster: Cluster): Promise<void> {
  const { uid } = job.metadata;
  const patch = { metadata: { uid, annotations: { [ANNOTATION.formerRun]: 'true' } } };
  await unlessGone(() => cluster.write({ verb: 'merge-patch', ref: refOf(job), patch }));
}

/** The same for a release of helm's; only a hook has to be rendered for it. */
export async function clearFormerRun(
  release: DesiredRelease,
  render: () => Promise<string>,
  { cluster, store }: Pick<ChartTools, 'cluster' | 'store'>,
): Promise<void> {
  if (release.hookSince === undefined) return;
  const placed = await store.placed(manifestDocuments(await render()), release.namespace);
  const refs = placed.map(({ ref }) => ref);
  await removeFormerJobs(refs, { release, isOurs: belongsTo }, cluster);
}

function runs(job: KubeObject): boolean {
  return !hasEnded(job) && !isEnding(job) && at(job, 'spec', 'suspend') !== true;
}

function sayAwaited(job: KubeObject): string {
  const name = nameOf(refOf(job));
  if (isTerminating(job)) return `${holdMessage(job)}: it is of a former run of this hook, and has to be gone first`;
  return runs(job)
    ? `${name} is of a former run of this hook and has not ended: the hook runs after it`
    : `${name} is of a former run of this hook and is removed before it runs again`;
}
