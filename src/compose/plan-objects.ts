import { type KubeObject, nameOf, refKey, refOf } from '../api/kube.ts';
import { withoutDropped } from '../domain/plan/dropped-fields.ts';
import { secretValuesOf } from '../domain/plan/diff/clean.ts';
import { hideTexts } from '../domain/plan/diff/mask.ts';
import { type DiffOptions, diffObjects } from '../domain/plan/diff/object-change.ts';
import type { ObjectPlan } from '../domain/plan/plan.ts';
import type { ObjectFacts } from '../domain/plan/predictions/facts.ts';
import type { Cluster } from '../ports/cluster.ts';
import { attempt, meansAbsent } from './plan-attempt.ts';
import type { Unread } from './plan-unread.ts';
import type { StillCluster } from './still-cluster.ts';

/** One release as its chart has it, and as its last delivery had it. */
export interface Manifest {
  readonly component: string;
  readonly objects: readonly KubeObject[];
  /** Empty where there was none, or nobody keeps it. */
  readonly former: readonly KubeObject[];
  /** To be hidden wherever they stand, beside those of its Secrets. */
  readonly secretValues: readonly string[];
}

export interface TriedRelease {
  readonly plans: readonly ObjectPlan[];
  readonly facts: readonly ObjectFacts[];
  /** All that is hidden in the plans. */
  readonly secretValues: readonly string[];
}

export interface Eyes {
  /** Asked to try writes, and to make none. */
  readonly live: Cluster;
  readonly still: StillCluster;
  readonly unread: Unread;
}

/** What a delivery changes, object by object, as the API server says it: by writes that it only tries. */
export async function tryRelease(eyes: Eyes, manifest: Manifest): Promise<TriedRelease> {
  const { component, objects, former } = manifest;
  const before = new Map(former.map((object) => [refKey(refOf(object)), object]));
  const tried = await Promise.all(objects.map((object) => tryObject(eyes, object, before.get(refKey(refOf(object))))));
  const wanted = new Set(objects.map((object) => refKey(refOf(object))));
  const dropped = former.filter((object) => !wanted.has(refKey(refOf(object))));
  const gone = await Promise.all(dropped.map((object) => goneObject(eyes, object)));
  const own = secretValuesOf([...objects, ...former, ...gone, ...tried.map(({ live }) => live)]);
  const secretValues = [...manifest.secretValues, ...own];
  const change = (pair: Pair): readonly ObjectPlan[] => planOf(component, pair, secretValues);
  const plans = [
    ...tried.flatMap((one) => change(changeOf(one))),
    ...gone.flatMap((live) => change([live, undefined])),
  ];
  return { plans, facts: tried.map((one) => factsOf(one, secretValues)), secretValues };
}

interface Tried extends ObjectFacts {
  /** Whether what runs could not be read, so that it is not known, which is something else than not there. */
  readonly isUnread: boolean;
  /** As the API server would have it then. */
  readonly result?: KubeObject | undefined;
}

async function tryObject(eyes: Eyes, after: KubeObject, before: KubeObject | undefined): Promise<Tried> {
  const known = { after, ...(before === undefined ? {} : { before }) };
  const { live, isUnread } = await lookUp(eyes, after);
  const seen = { ...known, isUnread, ...(live === undefined ? {} : { live }) };
  const { value: result, error } = await attempt(() =>
    eyes.live.write({ verb: 'apply', object: after, force: true, dryRun: true }),
  );
  if (error === undefined) return { ...seen, dryRun: 'accepted', result };
  // Its namespace or its kind comes with the revision.
  if (meansAbsent(error)) return seen;
  return { ...seen, dryRun: { code: error.code, message: error.message } };
}

/** What the API server says may repeat what was written, the values of Secrets too. */
function factsOf(
  { result: _result, isUnread: _isUnread, ...facts }: Tried,
  secretValues: readonly string[],
): ObjectFacts {
  const { dryRun } = facts;
  if (dryRun === undefined || dryRun === 'accepted') return facts;
  return { ...facts, dryRun: { ...dryRun, message: hideTexts(dryRun.message, secretValues) } };
}

async function lookUp({ still, unread }: Eyes, object: KubeObject): Promise<Pick<Tried, 'live' | 'isUnread'>> {
  const ref = refOf(object);
  const { value: live, error } = await attempt(() => still.read(ref));
  if (error === undefined) return { live, isUnread: false };
  unread.note(ref)(error);
  return { isUnread: !meansAbsent(error) };
}

/** What the last delivery had of an object that cannot be read is what is known of it. */
async function goneObject(eyes: Eyes, former: KubeObject): Promise<KubeObject | undefined> {
  const { live, isUnread } = await lookUp(eyes, former);
  return isUnread ? former : live;
}

/** Where the API server gave no answer, what the chart says is compared with what it said. */
function changeOf({ live, isUnread, before, after, result }: Tried): Pair {
  if (isUnread) return before === undefined ? NOT_KNOWN : [before, after];
  if (live === undefined) return [undefined, after];
  if (result === undefined) return before === undefined ? [live, after] : [before, after];
  return [live, before === undefined ? result : withoutDropped(result, before, after)];
}

type Pair = readonly [before: KubeObject | undefined, after: KubeObject | undefined];

const NOT_KNOWN: Pair = [undefined, undefined];

function planOf(component: string, [before, after]: Pair, secretValues: readonly string[]): readonly ObjectPlan[] {
  const options = { secretValues };
  const difference = before === undefined ? diffNew(after, options) : diffObjects(before, after, options);
  if (difference === undefined || difference.kind === 'unchanged') return [];
  const { ref, kind, fields, text } = difference;
  return [{ component, object: nameOf(ref), apiVersion: ref.apiVersion, change: kind, fields, text }];
}

function diffNew(after: KubeObject | undefined, options: DiffOptions): ReturnType<typeof diffObjects> | undefined {
  return after === undefined ? undefined : diffObjects(undefined, after, options);
}
