import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, refKey, refOf } from '../api/kube.ts';
import { withoutDropped } from '../domain/plan/dropped-fields.ts';
import { secretValuesOf } from '../domain/plan/diff/clean.ts';
import { type DiffOptions, diffObjects } from '../domain/plan/diff/object-change.ts';
import type { ObjectPlan } from '../domain/plan/plan.ts';
import type { ObjectFacts } from '../domain/plan/predictions/facts.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { StillCluster } from './still-cluster.ts';

/** One release as its chart has it, and as its last delivery had it. */
export interface Manifest {
  readonly component: string;
  readonly objects: readonly KubeObject[];
  /** Empty where there was none, or nobody keeps it. */
  readonly former: readonly KubeObject[];
}

export interface TriedRelease {
  readonly plans: readonly ObjectPlan[];
  readonly facts: readonly ObjectFacts[];
}

export interface Eyes {
  /** Asked to try writes, and to make none. */
  readonly live: Cluster;
  readonly still: StillCluster;
}

/** What a delivery changes, object by object, as the API server says it: by writes that it only tries. */
export async function tryRelease(eyes: Eyes, { component, objects, former }: Manifest): Promise<TriedRelease> {
  const before = new Map(former.map((object) => [refKey(refOf(object)), object]));
  const tried = await Promise.all(objects.map((object) => tryObject(eyes, object, before.get(refKey(refOf(object))))));
  const wanted = new Set(objects.map((object) => refKey(refOf(object))));
  const dropped = former.filter((object) => !wanted.has(refKey(refOf(object))));
  const gone = await Promise.all(dropped.map((object) => readIfAllowed(eyes.still, object)));
  const secretValues = secretValuesOf([...objects, ...former, ...gone, ...tried.map(({ live }) => live)]);
  const change = (pair: Pair): readonly ObjectPlan[] => planOf(component, pair, secretValues);
  const plans = [
    ...tried.flatMap((one) => change(changeOf(one))),
    ...gone.flatMap((live) => change([live, undefined])),
  ];
  return { plans, facts: tried.map(({ result: _what, ...facts }) => facts) };
}

interface Tried extends ObjectFacts {
  /** As the API server would have it then. */
  readonly result?: KubeObject | undefined;
}

async function tryObject(eyes: Eyes, after: KubeObject, before: KubeObject | undefined): Promise<Tried> {
  const known = { after, ...(before === undefined ? {} : { before }) };
  const live = await readIfAllowed(eyes.still, after);
  const seen = { ...known, ...(live === undefined ? {} : { live }) };
  try {
    const result = await eyes.live.write({ verb: 'apply', object: after, force: true, dryRun: true });
    return { ...seen, dryRun: 'accepted', result };
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class === 'bug') throw thrown;
    return { ...seen, ...(isAboutToCome(error) ? {} : { dryRun: { code: error.code, message: error.message } }) };
  }
}

/** Its namespace or its kind comes with the revision. */
function isAboutToCome({ code }: KubepkgError): boolean {
  return code === 'ApiNotFound' || code === 'KindNotServed';
}

/** What may not be looked at is not known, and the trial says which right is missing. */
async function readIfAllowed(still: StillCluster, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await still.read(refOf(object));
  } catch (thrown) {
    if (asKubepkgError(thrown).class === 'bug') throw thrown;
    return undefined;
  }
}

/** Where the API server gave no answer, what the chart says is compared with what it said. */
function changeOf({ live, before, after, result }: Tried): Pair {
  if (live === undefined) return [undefined, after];
  if (result === undefined) return before === undefined ? [live, after] : [before, after];
  return [live, before === undefined ? result : withoutDropped(result, before, after)];
}

type Pair = readonly [before: KubeObject | undefined, after: KubeObject | undefined];

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
