import { ANNOTATION, OPERATOR_NAMESPACE } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { decideRequest } from '../../domain/decide/rollback-request.ts';
import { unsafeSince } from '../../domain/decide/safety.ts';
import { inProgress } from '../../domain/decide/views.ts';
import type { World } from '../../domain/decide/world.ts';

/** Where a rollback leads, and what the operator will say to it. */
export interface RollbackPlan {
  readonly target: PackageRevision;
  /** Versions that are left behind and do not declare that this is safe. */
  readonly unsafe: readonly string[];
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
  const unsafe = unsafeSince(worldOf(sight, {}), target);
  const annotations = {
    [ANNOTATION.rollbackTo]: String(target.spec.revision),
    ...(force && unsafe.length > 0 ? { [ANNOTATION.forceRollback]: unsafe.join(',') } : {}),
  };
  return { target, unsafe, annotations, answer: answerOf(worldOf(sight, annotations)) };
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

/** Newest revision that was applied before the newest one, and that is not what runs by a rollback already. */
export function previousRevision(revisions: readonly PackageRevision[]): PackageRevision | undefined {
  const newest = revisions.at(-1);
  if (newest === undefined) return undefined;
  const running = new Set<number>();
  for (let number = newest.spec.restoredFrom ?? 0; number > 0 && !running.has(number); ) {
    running.add(number);
    number = revisions.find(({ spec }) => spec.revision === number)?.spec.restoredFrom ?? 0;
  }
  return revisions.findLast((one) => one !== newest && isTarget(one) && !running.has(one.spec.revision));
}

/** Only what was applied once can be restored. */
export function isTarget({ status }: PackageRevision): boolean {
  return status?.appliedAt !== undefined;
}
