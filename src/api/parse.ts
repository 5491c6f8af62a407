import * as z from 'zod';
import {
  type KindDefinition,
  PACKAGE,
  PACKAGE_REVISION,
  PACKAGE_SOURCE,
  REPOSITORY,
  SERVED_VERSIONS,
} from './crd-kinds.ts';
import { KubepkgError } from './errors.ts';
import type { KubeObject, ObjectMeta } from './kube.ts';
import { GROUP, VERSION } from './names.ts';
import type { PackageRevision } from './package-revision.ts';
import type { PackageSource } from './package-source.ts';
import type { Package } from './package.ts';
import { problemOf } from './parse-problems.ts';
import type { Repository } from './repository.ts';
import { memoize } from '../lib/memoize.ts';
import { type Problem, unknownFields } from './unknown-fields.ts';

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: KubepkgError; readonly problems: readonly Problem[] };

export interface ParseOptions {
  /** For files: unknown fields are refused too, and the code is InvalidInput instead of InvalidConfiguration. */
  readonly strict?: boolean;
  /** API group of the installation. */
  readonly group?: string;
}

export function parsePackage(object: KubeObject, options?: ParseOptions): Parsed<Package> {
  return options === undefined ? plainPackage(object) : parseObject(PACKAGE, object, options);
}

export function parsePackageSource(object: KubeObject, options?: ParseOptions): Parsed<PackageSource> {
  return options === undefined ? plainSource(object) : parseObject(PACKAGE_SOURCE, object, options);
}

export function parsePackageRevision(object: KubeObject, options?: ParseOptions): Parsed<PackageRevision> {
  return options === undefined ? plainRevision(object) : parseObject(PACKAGE_REVISION, object, options);
}

/** Many look at one object, and parsing is what costs them most. */
const plainPackage = memoize((object: KubeObject): Parsed<Package> => parseObject(PACKAGE, object, {}));
const plainSource = memoize((object: KubeObject): Parsed<PackageSource> => parseObject(PACKAGE_SOURCE, object, {}));
const plainRevision = memoize(
  (object: KubeObject): Parsed<PackageRevision> => parseObject(PACKAGE_REVISION, object, {}),
);

export function parseRepository(object: KubeObject, options: ParseOptions = {}): Parsed<Repository> {
  return parseObject(REPOSITORY, object, options);
}

/** What a file may say about an object besides our own fields. */
const metadata = z.object({
  name: z.string().min(1),
  generateName: z.string().optional(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
  finalizers: z.array(z.string()).nullish(),
  ...Object.fromEntries(
    [
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'ownerReferences',
      'managedFields',
      'selfLink',
    ].map((field) => [field, z.unknown().optional()]),
  ),
});

interface Definition<K extends string, S extends z.ZodObject> extends KindDefinition {
  readonly kind: K;
  readonly schema: S;
}

type ParsedObject<K extends string, S extends z.ZodObject> = z.output<S> & {
  readonly apiVersion: string;
  readonly kind: K;
  readonly metadata: ObjectMeta;
};

function parseObject<K extends string, S extends z.ZodObject>(
  definition: Definition<K, S>,
  object: KubeObject,
  options: ParseOptions,
): Parsed<ParsedObject<K, S>> {
  const { kind, schema } = definition;
  const headProblems = [...typeProblems(definition, object, options), ...metadataProblems(definition, object)];
  const parsed = schema.safeParse(object);
  const problems = [
    ...headProblems,
    ...(parsed.error?.issues ?? []).map((issue) => problemOf(issue, object)),
    ...(options.strict === true ? strictProblems(schema, object) : []),
  ];
  if (!parsed.success || problems.length > 0) {
    return { ok: false, problems, error: parseError(kind, object, { problems, options }) };
  }
  const { apiVersion } = object;
  return { ok: true, value: { ...parsed.data, apiVersion, kind, metadata: object.metadata } };
}

function typeProblems({ kind }: KindDefinition, object: KubeObject, options: ParseOptions): readonly Problem[] {
  const group = options.group ?? GROUP;
  const problems: Problem[] = [];
  if (!SERVED_VERSIONS.some((version) => object.apiVersion === `${group}/${version}`)) {
    const served = SERVED_VERSIONS.join(', ');
    const message = `must be one of the versions ${served} of ${group}`;
    problems.push({ path: 'apiVersion', message, remedy: `write ${group}/${VERSION}` });
  }
  if (object.kind !== kind) problems.push({ path: 'kind', message: `must be ${kind}` });
  return problems;
}

function metadataProblems({ maxName }: KindDefinition, object: KubeObject): readonly Problem[] {
  const issues = metadata.safeParse(object.metadata).error?.issues ?? [];
  const problems = issues.map((issue) => problemOf({ ...issue, path: ['metadata', ...issue.path] }, object));
  if (problems.length > 0 || maxName === undefined || object.metadata.name.length <= maxName) return problems;
  return [{ path: 'metadata.name', message: `must have at most ${String(maxName)} characters` }];
}

function strictProblems(schema: z.ZodObject, object: KubeObject): readonly Problem[] {
  const known = schema.extend({ apiVersion: z.string(), kind: z.string(), metadata });
  return unknownFields(known, object);
}

const SHOWN_PROBLEMS = 5;

function parseError(
  kind: string,
  object: KubeObject,
  { problems, options }: { readonly problems: readonly Problem[]; readonly options: ParseOptions },
): KubepkgError {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(describeProblem);
  const more = problems.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('; ');
  const code = options.strict === true ? 'InvalidInput' : 'InvalidConfiguration';
  return new KubepkgError(code, `${kind} ${nameOr(object)}: ${list}`, { hint: hintFor(kind, problems) });
}

function nameOr(object: KubeObject): string {
  const name: unknown = (object.metadata as ObjectMeta | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : '(without a name)';
}

function describeProblem({ path, message, remedy }: Problem): string {
  const where = path === '' ? message : `${path} ${message}`;
  const text = message === 'unknown field' ? `unknown field ${path}` : where;
  return remedy === undefined ? text : `${text} (${remedy})`;
}

function hintFor(kind: string, problems: readonly Problem[]): string {
  const fields = problems.length === 1 ? 'this field' : 'these fields';
  return `correct ${fields} and apply the ${kind} again`;
}
