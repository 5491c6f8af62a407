import type { ComponentProgress, PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import type { ComponentView, DeliveryView, HealthReport } from '../release/component-view.ts';
import type { ReleaseTarget } from '../release/observation.ts';
import { attemptToken } from '../release/token.ts';
import { releaseKey, type ReleaseView, type World } from './world.ts';

const UNOBSERVED: HealthReport = { status: 'unobserved', message: 'not read yet', notes: [] };

export function targetOf(revision: PackageRevision, component: RevisionComponent): ReleaseTarget {
  const { name, releaseName, namespace } = component;
  return { package: revision.spec.package, component: name, releaseName, namespace };
}

export function componentsOf(revision: PackageRevision): readonly RevisionComponent[] {
  return revision.spec.components ?? [];
}

/** Every component of a revision, in the order of its spec, which is the order of application. */
export function viewsOf(world: World, revision: PackageRevision): readonly ComponentView[] {
  return componentsOf(revision).map((component) => viewOf(world, revision, component));
}

function viewOf(world: World, revision: PackageRevision, component: RevisionComponent): ComponentView {
  const release: ReleaseView | undefined = world.releases[releaseKey(component)];
  const progress = progressOf(revision, component.name);
  const token = tokenOf(world, { revision, component: component.name, attempt: progress.attempt ?? 0 });
  return {
    component,
    progress,
    release: release?.observation ?? { state: 'unknown', message: 'not read yet' },
    token,
    knownRevision: knownRevision(world, component),
    delivery: deliveryOf(release, token),
    health: release?.health ?? UNOBSERVED,
    hook: false,
    formerPlaces: [],
  };
}

/** How a former attempt ended says nothing about this one. */
function deliveryOf(release: ReleaseView | undefined, token: string | undefined): DeliveryView {
  const delivery = release?.delivery ?? { kind: 'none' };
  const ended = delivery.kind === 'accepted' || delivery.kind === 'failed';
  return ended && delivery.token !== token ? { kind: 'none' } : delivery;
}

export function progressOf(revision: PackageRevision, name: string): ComponentProgress {
  const found = revision.status?.components?.find((progress) => progress.name === name);
  return found ?? { name, state: 'Pending', attempt: 0 };
}

function tokenOf(
  world: World,
  key: { readonly revision: PackageRevision; readonly component: string; readonly attempt: number },
): string | undefined {
  if (key.attempt === 0) return undefined;
  return attemptToken({
    packageUid: world.package.metadata.uid ?? '',
    revisionUid: key.revision.metadata.uid ?? '',
    component: key.component,
    attempt: key.attempt,
  });
}

/** The backend's number of a release as the newest revision that delivered it has noted it. */
export function knownRevision(world: World, component: RevisionComponent): number | undefined {
  for (const revision of [...world.revisions].reverse()) {
    const same = componentsOf(revision).find((candidate) => releaseKey(candidate) === releaseKey(component));
    const known = same === undefined ? undefined : progressOf(revision, same.name).backendRevision;
    if (known !== undefined) return known;
  }
  return undefined;
}
