import type { ComponentProgress, PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { assertNever } from '../../lib/assert-never.ts';
import type { Action } from '../decide/decision.ts';
import {
  componentsOf,
  everyMember,
  inProgress,
  isRestoring,
  lastApplied,
  membersOf,
  progressOf,
} from '../decide/views.ts';
import { releaseKey, type World } from '../decide/world.ts';
import type { ReleaseTarget } from '../release/observation.ts';
import { awaitedOf, hookAwaited } from './awaited.ts';
import type { ForeseenStep } from './forecast.ts';

type Removal = Extract<ForeseenStep, { kind: 'remove' }>;

/** What a person has to know of an action; bookkeeping alone is no step. */
export function describeAction(world: World, action: Action): readonly ForeseenStep[] {
  switch (action.kind) {
    case 'prepare':
      return [fetchStep(world, action)];
    case 'create-revision':
      return [beginStep(action)];
    case 'deliver':
      return [...keptSteps(world, action.revision, action.status), ...deliverSteps(world, action)];
    case 'uninstall':
      return [...keptSteps(world, action.revision, action.status), removeStep(world, action)];
    case 'record':
      return [...keptSteps(world, action.revision, action.status), ...endSteps(world, action)];
    case 'stop':
    case 'hand-back':
    case 'unlock':
    case 'replace-pod':
      return [{ kind: action.kind, ...placeOf(action.target) }];
    case 'claim-crds':
      return [
        { kind: 'claim-crds', crds: action.crds.map(({ name }) => name), from: formerOwners(world, action.crds) },
      ];
    case 'release-crds':
      return [{ kind: 'release-crds', crds: action.crds.map(({ name }) => name) }];
    case 'delete-crd':
      return [{ kind: 'delete-crds', crds: [action.crd.name] }];
    case 'restore-namespace':
      return [{ kind: 'restore-namespace', namespace: action.namespace }];
    case 'take-over':
    case 'complete-revision':
      return [{ kind: 'take-over', revision: action.revision }];
    case 'prune':
    case 'release-revision':
      return [{ kind: 'forget', revision: action.revision }];
    case 'add-finalizer':
    case 'release-finalizer':
    case 'save-values':
    case 'drop-annotations':
    case 'end-adoption':
      return [];
    default:
      return assertNever(action, 'action');
  }
}

function placeOf(target: ReleaseTarget): { readonly component: string; readonly release: string } {
  return { component: target.component, release: releaseKey(target) };
}

function fetchStep({ resolution }: World, { hooks }: Extract<Action, { kind: 'prepare' }>): ForeseenStep {
  if (resolution?.kind !== 'resolved') return { kind: 'fetch', version: '', charts: [] };
  const { desired } = resolution;
  const members = hooks ? [...desired.hooks, ...desired.components] : desired.components;
  return { kind: 'fetch', version: desired.version, charts: members.map(({ name }) => name) };
}

function beginStep({ spec }: Extract<Action, { kind: 'create-revision' }>): ForeseenStep {
  const { revision, version, fromVersion, restoredFrom = 0 } = spec;
  return {
    kind: 'begin',
    revision,
    version,
    ...(fromVersion === undefined ? {} : { fromVersion }),
    ...(restoredFrom === 0 ? {} : { restoredFrom }),
  };
}

function formerOwners(world: World, claims: readonly { readonly from?: string | undefined }[]): readonly string[] {
  const own = world.package.metadata.name;
  const owners = claims.flatMap(({ from }) => (from === undefined || from === own ? [] : [from]));
  return [...new Set(owners)];
}

function findRevision(world: World, name: string | undefined): PackageRevision | undefined {
  return world.revisions.find(({ metadata }) => metadata.name === name);
}

function deliverSteps(world: World, action: Extract<Action, { kind: 'deliver' }>): readonly ForeseenStep[] {
  const revision = findRevision(world, action.revision);
  if (revision === undefined) return [];
  const key = releaseKey(action.target);
  const hook = membersOf(revision, 'hooks').find((each) => releaseKey(each) === key);
  const { fromVersion = '', version: toVersion } = revision.spec;
  if (hook !== undefined) {
    return [{ kind: 'hook', ...placeOf(action.target), fromVersion, toVersion, awaits: hookAwaited(world, hook) }];
  }
  const component = componentsOf(revision).find((each) => releaseKey(each) === key);
  if (component === undefined) return [];
  const { attempt, mode: kind, target } = action;
  const awaits = awaitedOf(world, revision, component);
  return [{ kind, ...placeOf(target), namespace: target.namespace, attempt, awaits }];
}

/** Components that the revision has found to be right already: nothing is delivered for them. */
function keptSteps(world: World, name: string | undefined, status: PackageRevisionStatus | undefined): ForeseenStep[] {
  const revision = findRevision(world, name);
  if (revision === undefined || status === undefined) return [];
  return componentsOf(revision).flatMap((component): ForeseenStep[] => {
    const after = status.components?.find((progress) => progress.name === component.name);
    if (!isAccepted(progressOf(revision, component.name), after)) return [];
    const awaits = awaitedOf(world, revision, component);
    return [{ kind: 'keep', component: component.name, release: releaseKey(component), awaits }];
  });
}

function isAccepted(before: ComponentProgress, after: ComponentProgress | undefined): boolean {
  const isNew = (before.state ?? 'Pending') === 'Pending' && (before.attempt ?? 0) === 0;
  return isNew && (after?.state === 'Submitted' || after?.state === 'Ready') && (after.attempt ?? 0) === 0;
}

function endSteps(world: World, { revision: name, status }: Extract<Action, { kind: 'record' }>): ForeseenStep[] {
  const revision = findRevision(world, name);
  if (revision === undefined || revision.status?.phase === status.phase) return [];
  const { revision: number, version } = revision.spec;
  if (status.phase === 'Applied') return [{ kind: 'commit', revision: number, version }];
  if (status.phase !== 'Failed') return [];
  return [{ kind: 'fail', revision: number, version, message: status.message ?? '' }];
}

function removeStep(world: World, { target, keepData }: Extract<Action, { kind: 'uninstall' }>): Removal {
  return { kind: 'remove', ...placeOf(target), why: whyRemoved(world, target), keepsData: keepData };
}

function whyRemoved(world: World, target: ReleaseTarget): Removal['why'] {
  if (world.package.metadata.deletionTimestamp !== undefined) return 'package';
  const current = inProgress(world);
  return current === undefined ? whyTidied(world, target) : whyCleared(current, target);
}

/** In the course of a revision. */
function whyCleared(current: PackageRevision, target: ReleaseTarget): Removal['why'] {
  const key = releaseKey(target);
  if (everyMember(current).some((component) => releaseKey(component) === key)) return 'leftover';
  if (componentsOf(current).some(({ name }) => name === target.component)) return 'moved';
  return isRestoring(current) ? 'undone' : 'dropped';
}

/** After its commit. */
function whyTidied(world: World, target: ReleaseTarget): Removal['why'] {
  const applied = lastApplied(world);
  const key = releaseKey(target);
  const isHook = world.revisions.some((each) => membersOf(each, 'hooks').some((hook) => releaseKey(hook) === key));
  if (isHook) return 'hook-done';
  const isElsewhere = applied !== undefined && componentsOf(applied).some(({ name }) => name === target.component);
  return isElsewhere ? 'moved' : 'dropped';
}
