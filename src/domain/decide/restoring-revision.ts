import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { valuesSecretName } from '../release/snapshot.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import { answerTo } from './answer.ts';
import { act, type Decision } from './decision.ts';
import { unsafeToRemember } from './safety.ts';
import { componentsOf, labelOf } from './views.ts';
import type { World } from './world.ts';

export interface RestoreOptions {
  /** The failed revision that is undone; absent: a rollback that was asked for. */
  readonly cause?: PackageRevision;
}

/** A rollback is a revision too: a copy of the good one, with values of its own, since that one may be pruned. */
export function restoringRevision(world: World, target: PackageRevision, { cause }: RestoreOptions): Decision {
  const number = nextNumber(world);
  const { hooks: _past, fromVersion: _former, adopt: _once, ...spec } = target.spec;
  const components = componentsOf(target).map((component) => withOwnValues(component, target.spec.package, number));
  const restored = { ...spec, revision: number, restoredFrom: target.spec.revision, components };
  const why = cause === undefined ? 'as requested' : `since revision ${String(cause.spec.revision)} failed`;
  return act(
    { kind: 'create-revision', spec: restored, annotations: annotationsOf(world, target, cause) },
    { reason: 'Progressing', message: `${labelOf(target)} is being restored, ${why}` },
  );
}

/** What a new revision has to carry on, since older ones are not kept for ever. */
export function memoryOf(world: World): Readonly<Record<string, string>> {
  const unsafe = unsafeToRemember(world);
  return unsafe.length === 0 ? {} : { [ANNOTATION.unsafeVersions]: unsafe.join(',') };
}

export function nextNumber(world: World): number {
  return 1 + Math.max(0, ...world.revisions.map((revision) => revision.spec.revision));
}

function withOwnValues(component: RevisionComponent, pkg: string, number: number): RevisionComponent {
  const { valuesRef } = component;
  if (valuesRef === undefined) return component;
  return { ...component, valuesRef: { ...valuesRef, name: valuesSecretName(pkg, number) } };
}

/** It answers to what was wanted when it began, so that the package is held until something else is. */
function annotationsOf(
  world: World,
  target: PackageRevision,
  cause: PackageRevision | undefined,
): Readonly<Record<string, string>> {
  const restored =
    target.metadata.annotations?.[ANNOTATION.restoredDigest] ?? target.metadata.annotations?.[ANNOTATION.desiredDigest];
  const answered =
    cause === undefined ? answerTo(world, wantedNow(world)) : pick(cause, [ANNOTATION.desiredDigest, ANNOTATION.retry]);
  return {
    ...answered,
    ...memoryOf(world),
    ...(restored === undefined ? {} : { [ANNOTATION.restoredDigest]: restored }),
    ...(cause === undefined ? { [ANNOTATION.rollbackRequested]: 'true' } : {}),
  };
}

function wantedNow({ resolution }: World): DesiredPackage | undefined {
  return resolution?.kind === 'resolved' ? resolution.desired : undefined;
}

function pick({ metadata }: PackageRevision, keys: readonly string[]): Record<string, string> {
  const entries = keys.flatMap((key) => {
    const value = metadata.annotations?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}
