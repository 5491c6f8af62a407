import type { PackageRevision, RevisionComponent } from '../../src/api/package-revision.ts';
import { targetOf } from '../../src/domain/decide/views.ts';
import { releaseKey, type ReleaseView, type World } from '../../src/domain/decide/world.ts';
import type { HealthReport } from '../../src/domain/release/component-view.ts';
import type { PresentRelease } from '../../src/domain/release/observation.ts';
import { aPackage } from './objects.ts';

export const NOW = Date.parse('2026-01-01T12:00:00Z');

export const READY: HealthReport = { status: 'ready', message: 'every object is ready', notes: [] };
export const PROGRESSING: HealthReport = {
  status: 'progressing',
  message: 'Deployment shop/app: 0 of 1 replicas available',
  notes: [],
};
export const UNOBSERVED: HealthReport = { status: 'unobserved', message: 'not read yet', notes: [] };

/** It was begun this moment, with the time that a component has by default. */
export const RUNNING = {
  kind: 'running',
  token: undefined,
  since: NOW,
  grantedUntil: NOW + 600_000,
} as const satisfies ReleaseView['delivery'];

/** A world that has been watched for an hour. */
export function aWorld(parts: Partial<World> = {}): World {
  return {
    now: NOW,
    watchingSince: NOW - 3_600_000,
    package: aPackage(),
    resolution: undefined,
    sourceGeneration: undefined,
    revisions: [],
    preparation: { kind: 'none' },
    valuesSaved: true,
    unmetRequirements: [],
    conflicts: [],
    leavingDependents: [],
    dependencies: {},
    releases: {},
    strays: [],
    valuesNamespace: 'kubepkg-system',
    ...parts,
  };
}

export function present(parts: Partial<PresentRelease> = {}): PresentRelease {
  return {
    state: 'present',
    revision: 1,
    token: undefined,
    digest: undefined,
    delivery: 'delivered',
    everDelivered: true,
    message: 'release revision 1 is deployed',
    ...parts,
  };
}

export function aRelease(
  revision: PackageRevision,
  component: RevisionComponent,
  parts: Partial<ReleaseView> = {},
): ReleaseView {
  return {
    target: targetOf(revision, component),
    observation: { state: 'absent' },
    backend: 'helm',
    delivery: { kind: 'none' },
    health: UNOBSERVED,
    ...parts,
  };
}

export function releases(...views: readonly ReleaseView[]): World['releases'] {
  return Object.fromEntries(views.map((view) => [releaseKey(view.target), view]));
}
