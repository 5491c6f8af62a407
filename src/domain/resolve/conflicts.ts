/** What a package declares about others. */
export interface Declaration {
  readonly name: string;
  /** Capabilities; its own name is one already. */
  readonly provides: readonly string[];
  readonly conflicts: readonly string[];
}

/** How far a package is, for the question which of two comes first. */
export interface Standing {
  readonly name: string;
  /** Something of it is installed, or being installed. */
  readonly holds: boolean;
  readonly createdAt: string | undefined;
}

/** Why two packages cannot be installed beside each other, whichever of them says so; undefined: they can. */
export function findClash(own: Declaration, other: Declaration): string | undefined {
  if (own.name === other.name) return undefined;
  const outgoing = own.conflicts.find((name) => isOrProvides(other, name));
  if (outgoing !== undefined) return `package ${other.name}${capabilityOf(other, outgoing)} conflicts with this one`;
  const incoming = other.conflicts.find((name) => isOrProvides(own, name));
  if (incoming === undefined) return undefined;
  return `package ${other.name} declares that it conflicts with ${incoming}, which this one ${incoming === own.name ? 'is' : 'provides'}`;
}

function isOrProvides({ name, provides }: Declaration, wanted: string): boolean {
  return name === wanted || provides.includes(wanted);
}

function capabilityOf({ name }: Declaration, capability: string): string {
  return name === capability ? '' : `, which provides ${capability},`;
}

/** Of two that conflict: what is there goes before what is not, and where neither is, the older before the younger. */
export function goesFirst(other: Standing, own: Standing): boolean {
  if (other.holds) return true;
  return !own.holds && isOlder(other, own);
}

/** By creation, then by name: an order in which no two packages are equal. */
export function isOlder(
  a: { readonly name: string; readonly createdAt: string | undefined },
  b: { readonly name: string; readonly createdAt: string | undefined },
): boolean {
  const [first = '', second = ''] = [a.createdAt, b.createdAt];
  return first === second ? a.name < b.name : first < second;
}
