import type { Action, CrdClaim } from '../decide/decision.ts';
import type { CrdView, World } from '../decide/world.ts';

/** A revision that is applied has brought the CRDs that it lists; nobody owns them yet. */
export function brought(world: World, { revision: name, status }: Extract<Action, { kind: 'record' }>): World {
  if (world.crds?.kind !== 'read' || status.phase !== 'Applied') return world;
  const { crds } = world.crds;
  const listed = world.revisions.find(({ metadata }) => metadata.name === name)?.spec.crds ?? [];
  const missing = listed.filter((crd) => !crds.some((each) => each.name === crd));
  const views = missing.map((crd): CrdView => {
    return { name: crd, uid: `foreseen-${crd}`, owner: undefined, isDeclaredByOwner: false, isKept: false };
  });
  return views.length === 0 ? world : { ...world, crds: { kind: 'read', crds: [...crds, ...views] } };
}

/** The CRDs are the package's, and kept where that is wished. */
export function claimed(
  world: World,
  { crds, keep }: { readonly crds: readonly CrdClaim[]; readonly keep: boolean },
): World {
  const owner = world.package.metadata.name;
  return changed(world, crds, (crd) => [{ ...crd, owner, isDeclaredByOwner: false, isKept: crd.isKept || keep }]);
}

/** The CRDs are nobody's any more, and stay. */
export function released(world: World, crds: readonly CrdClaim[]): World {
  return changed(world, crds, (crd) => [{ ...crd, owner: undefined, isDeclaredByOwner: false, isKept: true }]);
}

export function deleted(world: World, crd: CrdClaim): World {
  return changed(world, [crd], () => []);
}

function changed(world: World, claims: readonly CrdClaim[], change: (crd: CrdView) => readonly CrdView[]): World {
  if (world.crds?.kind !== 'read') return world;
  const isMeant = (crd: CrdView): boolean => claims.some(({ name, uid }) => name === crd.name && uid === crd.uid);
  const crds = world.crds.crds.flatMap((crd) => (isMeant(crd) ? change(crd) : [crd]));
  return { ...world, crds: { kind: 'read', crds } };
}
