import { forbidden, notSupported, required, tooLong } from '../model/causes.ts';
import type { DeleteOptions, ListOptions, LogOptions, WriteOptions } from '../model/api.ts';
import { invalidObject } from '../model/invalid.ts';
import type { JsonMap } from '../model/object.ts';
import { type StatusCause, StatusError } from '../model/status-error.ts';
import type { Call } from './call.ts';

const VALIDATIONS = ['Ignore', 'Warn', 'Strict'] as const;
const MAX_MANAGER = 128;

export function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new StatusError('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

export function flagOf(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== 'false' && text !== '0';
}

export function listOptions({ query }: Call): ListOptions {
  const limit = numberOf(query, 'limit');
  const match = query.get('resourceVersionMatch');
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    ...(limit === undefined ? {} : { limit }),
    ...(match === null ? {} : { resourceVersionMatch: versionMatch(match) }),
  };
}

function versionMatch(match: string): 'Exact' | 'NotOlderThan' {
  if (match === 'Exact' || match === 'NotOlderThan') return match;
  const cause = notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']);
  throw invalidOptions('ListOptions', [cause]);
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions';

function invalidOptions(kind: OptionsKind, causes: readonly StatusCause[]): StatusError {
  return invalidObject({ group: 'meta.k8s.io', kind, name: '' }, causes);
}

export function writeOptions({ query, request }: Call, kind: OptionsKind, isApply = false): WriteOptions {
  const manager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  const causes = [
    ...managerCauses(manager, isApply),
    ...(kind === 'PatchOptions' && !isApply ? forceCauses(query) : []),
    ...dryRunCauses(query.getAll('dryRun')),
    ...validationCauses(validation),
  ];
  if (causes.length > 0) throw invalidOptions(kind, causes);
  const known = VALIDATIONS.find((own) => own === validation);
  return {
    fieldManager: manager === '' ? programOf(request.headers['user-agent']) : manager,
    ...(query.getAll('dryRun').includes('All') ? { dryRun: true } : {}),
    ...(known === undefined ? {} : { fieldValidation: known }),
  };
}

function managerCauses(manager: string, isApply: boolean): readonly StatusCause[] {
  if (manager.length > MAX_MANAGER) return [tooLong('fieldManager', MAX_MANAGER)];
  return isApply && manager === '' ? [required('fieldManager', 'is required for apply patch')] : [];
}

function forceCauses(query: URLSearchParams): readonly StatusCause[] {
  return query.has('force') ? [forbidden('force', 'may not be specified for non-apply patch')] : [];
}

function validationCauses(validation: string): readonly StatusCause[] {
  if (validation === '' || VALIDATIONS.some((own) => own === validation)) return [];
  return [notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn'])];
}

function dryRunCauses(values: readonly unknown[]): readonly StatusCause[] {
  const unknown = values.filter((value) => value !== 'All' && value !== '');
  return unknown.length === 0 ? [] : [notSupported('dryRun', values, ['All'])];
}

/** The name of the program, as far as the version. */
function programOf(userAgent: string | undefined): string {
  return (userAgent ?? 'unknown').split('/')[0] ?? 'unknown';
}

const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;

/** Beside a body the query is not looked at. */
export function deleteOptions({ query }: Call, body: JsonMap | undefined): DeleteOptions {
  const given = body ?? queryOptions(query);
  const dryRun = Array.isArray(given['dryRun']) ? (given['dryRun'] as readonly unknown[]) : [];
  const causes = [...dryRunCauses(dryRun), ...policyCauses(given['propagationPolicy'])];
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes);
  const grace = given['gracePeriodSeconds'];
  return {
    ...(dryRun.includes('All') ? { dryRun: true } : {}),
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...policyOf(given),
    ...preconditionsOf(given['preconditions']),
  };
}

function policyCauses(policy: unknown): readonly StatusCause[] {
  if (policy === undefined || policy === '' || POLICIES.some((own) => own === policy)) return [];
  return [notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil'])];
}

/** Old clients say it with a flag. */
function policyOf({ propagationPolicy, orphanDependents }: JsonMap): Pick<DeleteOptions, 'propagationPolicy'> {
  const known = POLICIES.find((own) => own === propagationPolicy) ?? (orphanDependents === true ? 'Orphan' : undefined);
  return known === undefined ? {} : { propagationPolicy: known };
}

function queryOptions(query: URLSearchParams): JsonMap {
  return {
    dryRun: query.getAll('dryRun'),
    gracePeriodSeconds: numberOf(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: query.get('orphanDependents') === 'true',
  };
}

function preconditionsOf(given: unknown): Pick<DeleteOptions, 'preconditions'> {
  if (typeof given !== 'object' || given === null) return {};
  const { uid, resourceVersion } = given as { readonly uid?: unknown; readonly resourceVersion?: unknown };
  return {
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
  };
}

export function logOptions({ query }: Call): LogOptions {
  const numbers = (['tailLines', 'limitBytes', 'sinceSeconds'] as const).flatMap((name) => {
    const value = numberOf(query, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const sinceTime = query.get('sinceTime');
  return {
    container: query.get('container') ?? '',
    previous: flagOf(query, 'previous'),
    timestamps: flagOf(query, 'timestamps'),
    ...Object.fromEntries(numbers),
    ...(sinceTime === null ? {} : { sinceTime }),
  };
}
