import { asString, at } from '../../../lib/json.ts';
import { parseTime } from '../../../lib/time.ts';
import type { JsonMap } from '../../model/object.ts';
import type { PrinterColumn, Resource } from '../../model/resource.ts';
import { age, type Cell, NONE, textAt } from './cells.ts';
import { humanDuration } from './human-duration.ts';
import { firstAt } from './json-path.ts';
import { RESOURCE_CELLS } from './resource-cells.ts';
import { WORKLOAD_CELLS } from './workload-cells.ts';

const NAME: PrinterColumn = { name: 'Name', type: 'string', format: 'name' };
const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The columns of `kubectl get`, for built-in and custom kinds. */
export function tableColumns({ columns = [] }: Resource): readonly PrinterColumn[] {
  return columns.length === 0 ? [NAME, AGE] : columns;
}

/** The cells of one object, one for each column; `now` in milliseconds is what ages are counted to. */
export function tableRow(resource: Resource, object: JsonMap, now: number): readonly unknown[] {
  const key = `${resource.group}/${resource.plural}`;
  const cells = resource.custom ? {} : (WORKLOAD_CELLS[key] ?? RESOURCE_CELLS[key] ?? {});
  return tableColumns(resource).map((column) => {
    if (column.jsonPath !== undefined) return customCell(column, object, now);
    const cell = cells[column.name] ?? COMMON[column.name];
    return cell === undefined ? NONE : cell(object, now);
  });
}

const COMMON: Readonly<Record<string, Cell>> = {
  Name: (object) => textAt(object, 'metadata', 'name'),
  Age: age,
  'Created At': (object) => at(object, 'metadata', 'creationTimestamp') ?? null,
};

/** A value of another type than the column's is not shown. */
function customCell({ type, jsonPath = '' }: PrinterColumn, object: JsonMap, now: number): unknown {
  const value = firstAt(object, jsonPath);
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return asString(value) ?? JSON.stringify(value);
    case 'date':
      return dateCell(value, now);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
    case 'boolean':
      return typeof value === type ? value : null;
  }
}

function dateCell(value: unknown, now: number): string | null {
  if (typeof value !== 'string') return null;
  const time = parseTime(value);
  return Number.isNaN(time) ? '<invalid>' : humanDuration(now - time);
}
