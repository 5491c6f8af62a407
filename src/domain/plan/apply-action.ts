import { ANNOTATION, API_VERSION, FINALIZER } from '../../api/names.ts';
import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { assertNever } from '../../lib/assert-never.ts';
import type { Action } from '../decide/decision.ts';
import { ADOPTED } from '../decide/surroundings.ts';
import { everyMember, targetOf } from '../decide/views.ts';
import { releaseKey, type World } from '../decide/world.ts';
import { type PreparedChart, revisionName } from '../release/snapshot.ts';
import { chartsOf } from './assumed-charts.ts';
import { brought, claimed, deleted, released } from './crds.ts';
import { deliver, HEALTHY, handBack, replacePod, stop, uninstall, unlock } from './releases.ts';

export interface ActionContext {
  /** The charts of what is wanted, by component; of one that is not there, what is known is assumed. */
  readonly charts?: Readonly<Record<string, PreparedChart>> | undefined;
}

/** The world after an action that has succeeded. */
export function applyAction(world: World, action: Action, context: ActionContext = {}): World {
  switch (action.kind) {
    case 'add-finalizer':
      return withMetadata(world, { finalizers: [...(world.package.metadata.finalizers ?? []), FINALIZER] });
    case 'release-finalizer':
      return withMetadata(world, { finalizers: (world.package.metadata.finalizers ?? []).filter(isOthers) });
    case 'drop-annotations':
      return withoutAnnotations(world, action.annotations);
    case 'prepare':
      return { ...world, preparation: { kind: 'ready', charts: chartsOf(world, context.charts) } };
    case 'claim-crds':
    case 'release-crds':
    case 'delete-crd':
      return applyToCrds(world, action);
    case 'restore-namespace':
      return {
        ...world,
        surplusPrivileges: world.surplusPrivileges?.filter((namespace) => namespace !== action.namespace),
      };
    case 'deliver':
    case 'stop':
    case 'unlock':
    case 'hand-back':
    case 'replace-pod':
    case 'uninstall':
      return applyToRelease(world, action);
    case 'create-revision':
    case 'save-values':
    case 'record':
    case 'take-over':
    case 'complete-revision':
    case 'end-adoption':
    case 'prune':
    case 'release-revision':
      return applyToRevision(world, action);
    default:
      return assertNever(action, 'action');
  }
}

type CrdAction = Extract<Action, { kind: 'claim-crds' | 'release-crds' | 'delete-crd' }>;
type ReleaseAction = Extract<
  Action,
  { kind: 'deliver' | 'stop' | 'unlock' | 'hand-back' | 'replace-pod' | 'uninstall' }
>;
type RevisionAction = Exclude<
  Action,
  | CrdAction
  | ReleaseAction
  | { kind: 'add-finalizer' | 'release-finalizer' | 'drop-annotations' | 'prepare' | 'restore-namespace' }
>;

function isOthers(finalizer: string): boolean {
  return finalizer !== FINALIZER;
}

function applyToCrds(world: World, action: CrdAction): World {
  switch (action.kind) {
    case 'claim-crds':
      return claimed(world, action);
    case 'release-crds':
      return released(world, action.crds);
    case 'delete-crd':
      return deleted(world, action.crd);
    default:
      return assertNever(action, 'action');
  }
}

/** The step is in the journal before the backend is asked. */
function applyToRelease(world: World, action: ReleaseAction): World {
  switch (action.kind) {
    case 'deliver':
      return deliver(recorded(world, action.revision, action.status), action);
    case 'stop':
      return stop(world, action.target);
    case 'unlock':
      return unlock(world, action.target);
    case 'hand-back':
      return handBack(world, action.target);
    case 'replace-pod':
      return replacePod(world, action.target);
    case 'uninstall':
      return uninstall(recorded(world, action.revision, action.status), action.target);
    default:
      return assertNever(action, 'action');
  }
}

function applyToRevision(world: World, action: RevisionAction): World {
  switch (action.kind) {
    case 'create-revision':
      return begun(world, action);
    case 'save-values':
      return { ...world, valuesSaved: true };
    case 'record':
      return brought(recorded(world, action.revision, action.status), action);
    case 'take-over':
      return recorded(annotated(world, action.revision, action.annotations), action.revision, action.status);
    case 'complete-revision':
      return annotated(world, action.revision, { [ANNOTATION.additions]: '{}' });
    case 'end-adoption': {
      const asked = withoutAnnotations(world, [ANNOTATION.adopt]);
      return annotated(asked, action.revision, { [ANNOTATION.adopt]: ADOPTED });
    }
    case 'prune':
      return { ...world, revisions: world.revisions.filter(({ metadata }) => metadata.name !== action.revision) };
    case 'release-revision':
      return amended(world, action.revision, (revision) => ({
        ...revision,
        metadata: { ...revision.metadata, finalizers: (revision.metadata.finalizers ?? []).filter(isOthers) },
      }));
    default:
      return assertNever(action, 'action');
  }
}

function begun(world: World, { spec, annotations }: Extract<Action, { kind: 'create-revision' }>): World {
  const name = revisionName(spec.package, spec.revision);
  const metadata = { name, uid: `foreseen-${name}`, finalizers: [FINALIZER], annotations };
  const revision: PackageRevision = { apiVersion: API_VERSION, kind: 'PackageRevision', metadata, spec };
  const revisions = [...world.revisions, revision];
  return { ...world, revisions, valuesSaved: false, releases: { ...world.releases, ...viewsOf(world, revision) } };
}

/** From now on the objects of its releases are read; what is there is ready. */
function viewsOf(world: World, revision: PackageRevision): World['releases'] {
  const hooks = new Set((revision.spec.hooks ?? []).map((hook) => releaseKey(hook)));
  const views = everyMember(revision).map((component) => {
    const key = releaseKey(component);
    const known = world.releases[key];
    const health = known?.observation.state === 'present' && known.health.status === 'unobserved' ? HEALTHY : undefined;
    const view = known ?? {
      target: targetOf(revision, component),
      backend: revision.spec.backend ?? '',
      observation: { state: 'absent' as const },
      delivery: { kind: 'none' as const },
      health: { status: 'unobserved' as const, message: 'not read yet', notes: [] },
    };
    const jobs = hooks.has(key) ? { jobs: view.jobs ?? ('never' as const) } : {};
    return [key, { ...view, ...(health === undefined ? {} : { health }), ...jobs }] as const;
  });
  return Object.fromEntries(views);
}

function recorded(world: World, name: string | undefined, status: PackageRevisionStatus | undefined): World {
  return name === undefined || status === undefined
    ? world
    : amended(world, name, (revision) => ({ ...revision, status }));
}

function annotated(world: World, name: string, annotations: Readonly<Record<string, string>>): World {
  return amended(world, name, (revision) => ({
    ...revision,
    metadata: { ...revision.metadata, annotations: { ...revision.metadata.annotations, ...annotations } },
  }));
}

function amended(world: World, name: string, change: (revision: PackageRevision) => PackageRevision): World {
  const revisions = world.revisions.map((each) => (each.metadata.name === name ? change(each) : each));
  return { ...world, revisions };
}

function withMetadata(world: World, metadata: Partial<World['package']['metadata']>): World {
  return { ...world, package: { ...world.package, metadata: { ...world.package.metadata, ...metadata } } };
}

function withoutAnnotations(world: World, names: readonly string[]): World {
  const kept = Object.entries(world.package.metadata.annotations ?? {}).filter(([name]) => !names.includes(name));
  return withMetadata(world, { annotations: Object.fromEntries(kept) });
}
