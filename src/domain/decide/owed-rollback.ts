import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { act, type Decision } from './decision.ts';
import { restoringRevision } from './restoring-revision.ts';
import { labelOf } from './views.ts';
import type { World } from './world.ts';

/** A failed revision that owes a rollback: the revision that carries it out is created, and how it ended is noted. */
export function oweRollback(world: World): Decision | undefined {
  const failed = world.revisions.findLast(({ status }) => status?.rollback?.state === 'Owed');
  const to = failed?.status?.rollback?.to;
  if (failed === undefined || to === undefined) return undefined;
  const carrier = world.revisions.find(({ spec }) => spec.revision > failed.spec.revision && spec.restoredFrom === to);
  if (carrier !== undefined) return close(failed, carrier);
  const target = world.revisions.find(({ spec }) => spec.revision === to);
  if (failed !== world.revisions.at(-1) || target === undefined) return overtaken(failed);
  return restoringRevision(world, target, { cause: failed });
}

type Rollback = NonNullable<PackageRevisionStatus['rollback']>;

function close(failed: PackageRevision, carrier: PackageRevision): Decision {
  const { spec, status } = carrier;
  if (status?.appliedAt !== undefined) {
    return note(failed, { phase: 'RolledBack', rollback: { state: 'Done', revision: spec.revision } });
  }
  const message = status?.message ?? 'it failed';
  return note(failed, { rollback: { state: 'Failed', revision: spec.revision, message } });
}

function overtaken(failed: PackageRevision): Decision {
  return note(failed, { rollback: { state: 'Failed', message: 'something newer came before it was begun' } });
}

function note(
  failed: PackageRevision,
  { phase, rollback }: { readonly phase?: 'RolledBack'; readonly rollback: Omit<Rollback, 'to'> },
): Decision {
  const { status } = failed;
  const noted = {
    ...status,
    ...(phase === undefined ? {} : { phase }),
    rollback: { to: status?.rollback?.to ?? 0, ...rollback },
  };
  return act(
    { kind: 'record', revision: failed.metadata.name, status: noted },
    { reason: 'Progressing', message: `${labelOf(failed)}: its rollback has ended` },
  );
}
