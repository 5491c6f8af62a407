import type { ErrorClass, ErrorCode } from '../../api/errors.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { ReleaseObservation, ReleaseTarget } from '../release/observation.ts';
import type { DeliveryView, HealthReport, HookJobs } from '../release/component-view.ts';
import type { PreparedChart } from '../release/snapshot.ts';
import type { Resolution } from '../resolve/desired.ts';

/** The charts of a desired state, fetched or not. */
export type Preparation =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'ready'; readonly charts: Readonly<Record<string, PreparedChart>> }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly class: ErrorClass;
      readonly message: string;
      readonly retryAt: number;
    };

/** A release of the package that none of its revisions knows, and the id of the backend that has it. */
export interface Stray extends ReleaseTarget {
  readonly backend: string;
}

/** One release that the package has, had, or wants. */
export interface ReleaseView {
  readonly target: ReleaseTarget;
  /** Id of the backend that delivers it. */
  readonly backend: string;
  readonly observation: ReleaseObservation;
  /** Of the newest record that this process has seen of it, be it gone since. */
  readonly lastToken?: string | undefined;
  /** Of a hook whose delivery is not complete: whether its Jobs can have run. */
  readonly jobs?: HookJobs | undefined;
  readonly delivery: DeliveryView;
  /** The controller was told to stop that attempt, and has so long to say that it has (milliseconds since the epoch). */
  readonly stop?: { readonly token: string; readonly until: number } | undefined;
  readonly health: HealthReport;
}

/** A CustomResourceDefinition as far as its ownership goes. */
export interface CrdView {
  readonly name: string;
  readonly uid: string;
  /** Package that the annotation names; undefined: nobody's. */
  readonly owner: string | undefined;
  /** The owner is another package, and still declares it. */
  readonly isDeclaredByOwner: boolean;
  /** Helm is told to leave it where it is. */
  readonly isKept: boolean;
  /** What holds it; absent: it is not being deleted. */
  readonly heldBy?: string | undefined;
}

export type CrdKnowledge =
  | { readonly kind: 'unread' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'read'; readonly crds: readonly CrdView[] };

/** All that a decision may look at: gathered once, plain data, never changed. */
export interface World {
  readonly now: number;
  /** Since when this process has been looking; a wait gets 60 s of its own observation before it can fail. */
  readonly watchingSince: number;
  readonly package: Package;
  /** undefined: there is no PackageSource of that name. */
  readonly resolution: Resolution | undefined;
  /** Generation of the source that was resolved. */
  readonly sourceGeneration: number | undefined;
  /** By revision number, oldest first. */
  readonly revisions: readonly PackageRevision[];
  readonly preparation: Preparation;
  /** Of the revision in progress: its values are in the Secret that it names. */
  readonly valuesSaved: boolean;
  /** What stands against a start, from other packages. */
  readonly unmetRequirements: readonly string[];
  /** What it conflicts with, from either side. */
  readonly conflicts: readonly string[];
  /** Packages that are being removed as well, need this one, and are still there. */
  readonly leavingDependents: readonly string[];
  readonly dependencies: Readonly<Record<string, { readonly ready: boolean }>>;
  /** Every release of the retained revisions and of the desired state, by `namespace/name`. */
  readonly releases: Readonly<Record<string, ReleaseView>>;
  /** While the package is removed: releases of it that no revision knows. */
  readonly strays: readonly Stray[];
  readonly valuesNamespace: string;
  /** Those that the package lists or owns and that exist; absent: it has to do with none. */
  readonly crds?: CrdKnowledge | undefined;
  /** Namespaces whose privileged level kubepkg may have set, and which no component needs any more. */
  readonly surplusPrivileges?: readonly string[] | undefined;
  /** Why the platform's values cannot be had; absent: they can, or there are none. */
  readonly platformTrouble?: string | undefined;
}

export function releaseKey(target: { readonly namespace: string; readonly releaseName: string }): string {
  return `${target.namespace}/${target.releaseName}`;
}

/** Until when a release is left alone after something that was done to it failed; undefined: it is not. */
export function pauseOf(world: World, target: ReleaseTarget): number | undefined {
  const delivery = world.releases[releaseKey(target)]?.delivery;
  return delivery?.kind === 'failed' && world.now < delivery.retryAt ? delivery.retryAt : undefined;
}
