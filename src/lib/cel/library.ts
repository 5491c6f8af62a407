import { OPERATORS } from './functions/arithmetic.ts';
import { COLLECTION_FUNCTIONS } from './functions/collections.ts';
import { CONVERSIONS } from './functions/conversions.ts';
import { TEXT_FUNCTIONS } from './functions/texts.ts';
import { TIME_FUNCTIONS } from './functions/times.ts';
import { KUBERNETES_FUNCTIONS } from './kubernetes/index.ts';
import type { Overload } from './overload.ts';
import { type CelTypeName, typeName } from './values.ts';

interface Limits {
  /** What is longer was not written by hand, and is not read by anybody. */
  readonly characters: number;
  /** How many macros that repeat something may be one inside the other. */
  readonly loops: number;
}

/** The functions that an expression may use, and the types that it may name. */
export interface Library {
  readonly overloads: ReadonlyMap<string, readonly Overload[]>;
  /** Types whose name is a path. */
  readonly typePaths: ReadonlySet<string>;
  /** Whether macros with two variables, and `sortBy`, are there. */
  readonly isKubernetes: boolean;
  readonly limits: Limits;
}

const COMMON = [...OPERATORS, ...CONVERSIONS, ...TEXT_FUNCTIONS, ...TIME_FUNCTIONS, ...COLLECTION_FUNCTIONS];
const COMMON_TYPES = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

/** What Flux's environment has: the standard library, optionals, and the extensions Strings, Sets and Encoders. */
export const READINESS: Library = {
  overloads: byName(COMMON),
  typePaths: new Set(COMMON_TYPES),
  isKubernetes: false,
  limits: { characters: 10_000, loops: 3 },
};

/** Encoders and the newest of Strings are not in there. */
const NOT_IN_KUBERNETES = new Set(['base64.encode', 'base64.decode', 'reverse']);

/** What an API server (Kubernetes 1.36) has for the rules of definitions. */
export const KUBERNETES: Library = {
  overloads: byName([...COMMON.filter(({ name }) => !NOT_IN_KUBERNETES.has(name)), ...KUBERNETES_FUNCTIONS]),
  typePaths: new Set([...COMMON_TYPES, 'net.IP', 'net.CIDR']),
  isKubernetes: true,
  limits: { characters: 100_000, loops: 10 },
};

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
export function overloadsNamed(name: string, { overloads }: Library): readonly Overload[] {
  return overloads.get(name) ?? [];
}

/** Whether a function in a namespace is there: `sets.contains`. */
export function isNamespaced(name: string, { overloads }: Library): boolean {
  return name.includes('.') && overloads.has(name);
}

const TYPE_NAMES = ['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'];

/** Names that stand for a type where no variable has them. */
export const TYPE_CONSTANTS: ReadonlyMap<string, CelTypeName> = new Map(
  TYPE_NAMES.map((name) => [name, typeName(name)]),
);
