import { OPERATORS } from './functions/arithmetic.ts';
import { COLLECTION_FUNCTIONS } from './functions/collections.ts';
import { CONVERSIONS } from './functions/conversions.ts';
import { TEXT_FUNCTIONS } from './functions/texts.ts';
import { TIME_FUNCTIONS } from './functions/times.ts';
import type { Overload } from './overload.ts';
import { type CelTypeName, typeName } from './values.ts';

/** What Flux's environment has: the standard library, optionals, and the extensions Strings, Sets and Encoders. */
const OVERLOADS = byName([...OPERATORS, ...CONVERSIONS, ...TEXT_FUNCTIONS, ...TIME_FUNCTIONS, ...COLLECTION_FUNCTIONS]);

function byName(overloads: readonly Overload[]): ReadonlyMap<string, readonly Overload[]> {
  const found = new Map<string, Overload[]>();
  for (const overload of overloads) {
    const group = found.get(overload.name);
    if (group === undefined) found.set(overload.name, [overload]);
    else group.push(overload);
  }
  return found;
}

/** All that bear the name, functions and methods, with whatever arguments. */
export function overloadsNamed(name: string): readonly Overload[] {
  return OVERLOADS.get(name) ?? [];
}

/** Whether a function in a namespace is there: `sets.contains`. */
export function isNamespaced(name: string): boolean {
  return name.includes('.') && OVERLOADS.has(name);
}

const TYPE_NAMES = ['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'];

/** Names that stand for a type where no variable has them. */
export const TYPE_CONSTANTS: ReadonlyMap<string, CelTypeName> = new Map(
  TYPE_NAMES.map((name) => [name, typeName(name)]),
);
