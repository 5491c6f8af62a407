import { isRecord } from '../../lib/json.ts';
import { memoize } from '../../lib/memoize.ts';
import type { ManagedFieldsEntry } from '../model/object.ts';
import type { FieldSet } from './field-set.ts';
import { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';
import { compareText } from './path-element.ts';

/** One manager: by its name, operation and subresource, and for updates its version, too. */
export interface Ownership {
  readonly manager: string;
  readonly operation: ManagedFieldsEntry['operation'];
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** By `managerKey`. */
export type Managers = ReadonlyMap<string, Ownership>;

export type ManagerName = Pick<Ownership, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/** One entry for all versions in which a manager applies. Messages list managers in the order of these keys. */
export function managerKey({ manager, operation, apiVersion, subresource }: ManagerName): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Update' ? { apiVersion } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  });
}

/** Throws a SyntaxError on what is no list of managed fields. */
export function readManagers(entries: readonly unknown[]): Managers {
  const managers = new Map<string, Ownership>();
  for (const [index, entry] of entries.entries()) {
    const { key, ownership } =
      isRecord(entry) && entry['fieldsType'] === 'FieldsV1' ? knownEntry(entry) : readEntry(entry, index);
    managers.set(key, ownership);
  }
  return managers;
}

interface Entry {
  readonly key: string;
  readonly ownership: Ownership;
}

/** What was stored with an object is read with every write of it. */
const knownEntry = memoize((entry: object) => readEntry(entry, 0));

function readEntry(entry: unknown, index: number): Entry {
  const { operation, apiVersion, manager, subresource, time, fieldsType, fieldsV1 } = isRecord(entry) ? entry : {};
  if (operation !== 'Apply' && operation !== 'Update') throw new SyntaxError('operation must be `Apply` or `Update`');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new SyntaxError('apiVersion must not be empty');
  if (fieldsType !== 'FieldsV1') throw new SyntaxError(fieldsTypeProblem(fieldsType, index));
  const ownership: Ownership = {
    manager: textOr(manager, ''),
    operation,
    apiVersion,
    subresource: textOr(subresource, '') === '' ? undefined : textOr(subresource, ''),
    time: typeof time === 'string' ? time : undefined,
    fields: parseFieldsV1(fieldsV1 ?? {}),
  };
  return { key: managerKey(ownership), ownership };
}

function fieldsTypeProblem(fieldsType: unknown, index: number): string {
  const place = `in managed fields entry ${String(index)}`;
  if (typeof fieldsType !== 'string' || fieldsType === '') return `missing fieldsType ${place}`;
  return `invalid fieldsType ${JSON.stringify(fieldsType)} ${place}`;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

/** Appliers first, then by time, name, version and subresource. */
export function printManagers(managers: Managers): readonly ManagedFieldsEntry[] {
  return printOwnerships([...managers.values()]);
}

export function printOwnerships(owners: readonly Ownership[]): readonly ManagedFieldsEntry[] {
  return [...owners].sort(compareOwnership).map(printEntry);
}

function compareOwnership(a: Ownership, b: Ownership): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

export function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function printEntry({ manager, operation, apiVersion, time, fields, subresource }: Ownership): ManagedFieldsEntry {
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: printFieldsV1(fields),
    ...(subresource === undefined ? {} : { subresource }),
  };
}
