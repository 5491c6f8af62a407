import type { PackageRevision } from '../../api/package-revision.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import { act, type Action, type CrdClaim, type Decision, wait } from './decision.ts';
import { REREAD_MS } from './explain.ts';
import type { CrdView, World } from './world.ts';

/** P21: a CRD that another package owns and still declares is waited for before anything is touched. */
export function crdObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const { crds } = world;
  if (crds === undefined || desired.crds.length === 0) return undefined;
  if (crds.kind !== 'read') return unknownCrds(crds);
  const listed = new Set(desired.crds);
  const taken = crds.crds.find((crd) => listed.has(crd.name) && crd.isDeclaredByOwner);
  if (taken === undefined) return undefined;
  const owner = taken.owner ?? '';
  const message = `CustomResourceDefinition ${taken.name} belongs to package ${owner}, which declares it as well; it passes on once the source of ${owner} lists it no more, or ${owner} is removed`;
  return wait({ reason: 'CRDOwnershipConflict', message }, world.now + REREAD_MS);
}

function unknownCrds(knowledge: Exclude<NonNullable<World['crds']>, { kind: 'read' }>): Decision {
  const reason = 'Progressing';
  return knowledge.kind === 'unread'
    ? { kind: 'observe', reason, message: 'the CustomResourceDefinitions are being read' }
    : wait({ reason, message: knowledge.message });
}

/**
 * What a former owner has given up is claimed before the revision delivers anything, so that neither its removal nor
 * its upgrade takes the CRD along. That the revision lists it is the record of the step, and the annotation that of
 * its end.
 */
export function handOverCrds(world: World, revision: PackageRevision): Decision | undefined {
  const listed = new Set(revision.spec.crds ?? []);
  // After a restart: nothing is delivered before it is known.
  if (listed.size > 0 && world.crds?.kind === 'unread') return unknownCrds(world.crds);
  const passing = crdsOf(world).filter((crd) => listed.has(crd.name) && isLeft(world, crd));
  if (passing.length === 0) return undefined;
  const owners = [...new Set(passing.map(({ owner = '' }) => owner))].join(', ');
  return claim(passing, {
    keep: true,
    message: `revision ${String(revision.spec.revision)}: CustomResourceDefinitions pass on from package ${owners}: ${namesOf(passing)}`,
  });
}

/** Level-based: whatever was applied last, by a rollback too, owns what it lists, and lets go of what it does not. */
export function settleCrds(world: World, applied: PackageRevision): Decision | undefined {
  const listed = recordedCrds(applied);
  if (listed === undefined) return undefined;
  const keep = !isDeletingPolicy(world);
  const claimed = crdsOf(world).filter((crd) => listed.includes(crd.name) && needsClaim(world, crd, keep));
  if (claimed.length > 0) {
    const message = `its CustomResourceDefinitions are being claimed: ${namesOf(claimed)}`;
    return claim(claimed, { keep, message });
  }
  const dropped = ownedCrds(world).filter((crd) => !listed.includes(crd.name));
  return keep ? release(dropped, 'CustomResourceDefinitions that it no longer lists are released') : undefined;
}

/** Undefined: it was made by the Go implementation, which recorded neither this nor the backend. */
function recordedCrds({ spec }: PackageRevision): readonly string[] | undefined {
  return spec.backend === undefined ? spec.crds : (spec.crds ?? []);
}

/** Two packages that both gave one up do not pass it to and fro: only one whose source lists it takes it from another. */
function needsClaim(world: World, crd: CrdView, keep: boolean): boolean {
  if (crd.heldBy !== undefined) return false;
  if (crd.owner === undefined) return true;
  if (crd.owner === world.package.metadata.name) return keep && !crd.isKept;
  return isLeft(world, crd) && isWanted(world, crd.name);
}

function isWanted({ resolution }: World, name: string): boolean {
  return resolution?.kind === 'resolved' && resolution.desired.crds.includes(name);
}

/** P20: before the releases go, what stays is protected, and nobody's any more. */
export function releaseOwnedCrds(world: World): Decision | undefined {
  if (isDeletingPolicy(world)) return undefined;
  const unknown = awaitKnowledge(world);
  if (unknown !== undefined) return unknown;
  return release(ownedCrds(world), 'the CustomResourceDefinitions of the package are being released; they stay');
}

/** With crdPolicy Delete: after the releases and the custom resources in them are gone; others' CRDs stay. */
export function deleteOwnedCrds(world: World): Decision | undefined {
  if (!isDeletingPolicy(world)) return undefined;
  const unknown = awaitKnowledge(world);
  if (unknown !== undefined) return unknown;
  const owned = ownedCrds(world);
  const next = owned.find(({ heldBy }) => heldBy === undefined);
  if (next !== undefined) {
    const message = `CustomResourceDefinition ${next.name} is being deleted`;
    return act({ kind: 'delete-crd', crd: claimOf(next) }, { reason: 'Deleting', message });
  }
  const [held] = owned;
  if (held === undefined) return undefined;
  const message = `CustomResourceDefinition ${held.name} is being deleted: ${held.heldBy ?? 'nothing holds it'}`;
  return wait({ reason: 'Deleting', message });
}

/** Other packages that own what this one lists: what they do may end its wait. */
export function crdRivals(world: World): readonly string[] {
  const { name } = world.package.metadata;
  return crdsOf(world).flatMap(({ owner }) => (owner === undefined || owner === name ? [] : owner));
}

function awaitKnowledge({ crds }: World): Decision | undefined {
  if (crds === undefined || crds.kind === 'read') return undefined;
  const message = crds.kind === 'unread' ? 'the CustomResourceDefinitions are being read' : crds.message;
  return wait({ reason: 'Deleting', message });
}

function crdsOf({ crds }: World): readonly CrdView[] {
  return crds?.kind === 'read' ? crds.crds : [];
}

function ownedCrds(world: World): readonly CrdView[] {
  return crdsOf(world).filter(({ owner }) => owner === world.package.metadata.name);
}

/** Another package owns it and does not declare it any more, or is no more. */
function isLeft(world: World, { owner, isDeclaredByOwner }: CrdView): boolean {
  return owner !== undefined && owner !== world.package.metadata.name && !isDeclaredByOwner;
}

function isDeletingPolicy(world: World): boolean {
  return world.package.spec.crdPolicy === 'Delete';
}

interface Claiming {
  readonly keep: boolean;
  readonly message: string;
}

function claim(crds: readonly CrdView[], { keep, message }: Claiming): Decision {
  const action: Action = { kind: 'claim-crds', crds: crds.map((crd) => claimOf(crd)), keep };
  return act(action, { reason: 'Progressing', message });
}

function release(crds: readonly CrdView[], message: string): Decision | undefined {
  if (crds.length === 0) return undefined;
  const action: Action = { kind: 'release-crds', crds: crds.map((crd) => claimOf(crd)) };
  return act(action, { reason: 'Progressing', message: `${message}: ${namesOf(crds)}` });
}

function claimOf({ name, uid, owner }: CrdView): CrdClaim {
  return { name, uid, ...(owner === undefined ? {} : { from: owner }) };
}

function namesOf(crds: readonly CrdView[]): string {
  return crds.map(({ name }) => name).join(', ');
}
