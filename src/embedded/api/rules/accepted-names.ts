import { asArray, asString, at } from '../../../lib/json.ts';
import type { JsonMap } from '../../model/object.ts';

/** `spec.names` and `status.acceptedNames` of a CustomResourceDefinition. */
export interface Names extends JsonMap {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface NameProblem {
  readonly status: 'False';
  readonly reason: string;
  readonly message: string;
}

export function namesOf(value: unknown): Names {
  const texts = (field: string): readonly string[] =>
    asArray(at(value, field)).filter((text): text is string => typeof text === 'string');
  const singular = asString(at(value, 'singular'));
  const listKind = asString(at(value, 'listKind'));
  return {
    plural: asString(at(value, 'plural')) ?? '',
    ...(singular === undefined ? {} : { singular }),
    ...(texts('shortNames').length === 0 ? {} : { shortNames: texts('shortNames') }),
    kind: asString(at(value, 'kind')) ?? '',
    ...(listKind === undefined ? {} : { listKind }),
    ...(texts('categories').length === 0 ? {} : { categories: texts('categories') }),
  };
}

/** As many of the wanted names as no other definition of the group has; of several problems, the last one is told. */
export function acceptedNames(
  wanted: Names,
  accepted: Names,
  others: readonly Names[],
): { readonly names: Names; readonly problem: NameProblem | undefined } {
  const resources = new Set(others.flatMap((own) => [own.plural, own.singular ?? '', ...(own.shortNames ?? [])]));
  const kinds = new Set(others.flatMap((own) => [own.kind, own.listKind ?? '']));
  const problems: NameProblem[] = [];
  const judge = (field: 'plural' | 'singular' | 'kind' | 'listKind', reason: string): string | undefined => {
    const [want, have] = [wanted[field], accepted[field]];
    const taken = field === 'plural' || field === 'singular' ? resources : kinds;
    if (want === have || want === undefined || want === '' || !taken.has(want)) return want;
    problems.push({ status: 'False', reason, message: `${JSON.stringify(want)} is already in use` });
    return have;
  };
  const plural = judge('plural', 'PluralConflict');
  const singular = judge('singular', 'SingularConflict');
  const shortNames = judgeShortNames(wanted, { accepted, taken: resources, problems });
  const kind = judge('kind', 'KindConflict');
  const listKind = judge('listKind', 'ListKindConflict');
  const { categories } = wanted;
  return { names: namesOf({ plural, singular, shortNames, kind, listKind, categories }), problem: problems.at(-1) };
}

interface ShortNames {
  readonly accepted: Names;
  readonly taken: ReadonlySet<string>;
  readonly problems: NameProblem[];
}

function judgeShortNames({ shortNames = [] }: Names, { accepted, taken, problems }: ShortNames): readonly string[] {
  const known = accepted.shortNames ?? [];
  const clashes = shortNames.filter((name) => !known.includes(name) && taken.has(name));
  if (clashes.length === 0) return shortNames;
  const told = clashes.map((name) => `${JSON.stringify(name)} is already in use`);
  const message = told.length === 1 ? String(told[0]) : `[${told.join(', ')}]`;
  problems.push({ status: 'False', reason: 'ShortNamesConflict', message });
  return known;
}
