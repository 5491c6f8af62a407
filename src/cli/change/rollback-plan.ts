import { ANNOTATION, OPERATOR_NAMESPACE } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { decideRequest } from '../../domain/decide/rollback-request.ts';
import { unsafeSince, whyUnsafe } from '../../domain/decide/safety.ts';
import { inProgress } from '../../domain/decide/views.ts';
import type { World } from '../../domain/decide/world.ts';
import { withAdditions } from '../../domain/release/additions.ts';
import { stableJson } from '../../lib/stable-json.ts';

/** Where a rollback leads, and what the operator will say to it. */
export interface RollbackPlan {
  readonly target: PackageRevision;
  /** Versions that are left behind and do not declare that this is safe. */
  readonly unsafe: readonly string[];
  /** What speaks against leaving them behind; empty where nothing does. */
  readonly whyUnsafe: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly answer: RollbackAnswer;
}

export type RollbackAnswer =
  | { readonly kind: 'accepted' }
  /** There is nothing to do. */
  | { readonly kind: 'idle'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

export interface RollbackSight {
  readonly package: Package;
  /** Oldest first. */
  readonly revisions: readonly PackageRevision[];
  readonly now: number;
}

/** P19: the operator's own judgement, made before it is asked. */
export function planRollback(sight: RollbackSight, target: PackageRevision, force: boolean): RollbackPlan {
  const asked = worldOf(sight, {});
  const unsafe = unsafeSince(asked, target);
  const annotations = {
    [ANNOTATION.rollbackTo]: String(target.spec.revision),
    ...(force && unsafe.length > 0 ? { [ANNOTATION.forceRollback]: unsafe.join(',') } : {}),
  };
  const why = whyUnsafe(asked, unsafe, target);
  return { target, unsafe, whyUnsafe: why, annotations, answer: answerOf(worldOf(sight, annotations)) };
}

function answerOf(world: World): RollbackAnswer {
  const decision = decideRequest(world, inProgress(world));
  if (decision?.kind !== 'act' || decision.action.kind !== 'drop-annotations') return { kind: 'accepted' };
  return { kind: decision.reason === 'RollbackFailed' ? 'refused' : 'idle', why: decision.message };
}

/** All that a request is judged by; the rest of what the operator knows makes no difference to it. */
function worldOf(
  { package: pkg, revisions, now }: RollbackSight,
  annotations: Readonly<Record<string, string>>,
): World {
  const { [ANNOTATION.forceRollback]: _former, ...others } = pkg.metadata.annotations ?? {};
  return {
    now,
    watchingSince: now,
    package: { ...pkg, metadata: { ...pkg.metadata, annotations: { ...others, ...annotations } } },
    resolution: undefined,
    sourceGeneration: undefined,
    revisions,
    preparation: { kind: 'none' },
    valuesSaved: true,
    unmetRequirements: [],
    conflicts: [],
    leavingDependents: [],
    dependencies: {},
    releases: {},
    strays: [],
    valuesNamespace: OPERATOR_NAMESPACE,
  };
}

/** Newest revision that was applied and that is not, in another revision or by a rollback, what the newest one has. */
export function previousRevision(revisions: readonly PackageRevision[]): PackageRevision | undefined {
  const newest = revisions.at(-1);
  if (newest === undefined) return undefined;
  return revisions.findLast((one) => isTarget(one) && !(isTarget(newest) && hasSameContent(one, newest)));
}

/** A revision that the Go implementation made has no digest of a whole component, and is compared by what both have. */
function hasSameContent(a: PackageRevision, b: PackageRevision): boolean {
  const isDigested = [a, b].every(({ spec }) => (spec.components ?? []).every(({ digest }) => digest !== undefined));
  return contentOf(a, isDigested) === contentOf(b, isDigested);
}

/** What is delivered: a retry makes a revision that differs from the one before in nothing of it. */
function contentOf(revision: PackageRevision, isDigested: boolean): string {
  const { variant, version, build = 0, components = [] } = withAdditions(revision).spec;
  const delivered = components.map(({ name, releaseName, namespace, digest, chartDigest, valuesDigest }) => [
    name,
    releaseName,
    namespace,
    ...(isDigested ? [digest] : [chartDigest, valuesDigest]),
  ]);
  return stableJson({ variant, version, build, delivered });
}

/** Only what was applied once can be restored. */
export function isTarget({ status }: PackageRevision): boolean {
  return status?.appliedAt !== undefined;
}
