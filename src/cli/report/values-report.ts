import type { JsonValue } from '../../lib/json.ts';
import type { ComponentValues, ValueLeaf } from '../look/recorded-values.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatWrappedTable } from '../text/table.ts';

/** A row for each value; of components without any, one that says so. What is wanted and not in force comes last. */
export function valuesReport(
  components: readonly ComponentValues[],
  { columns = Infinity }: { readonly columns?: number },
): readonly string[] {
  const rows = components.flatMap(({ component, leaves, pending }) => [
    ...(leaves.length === 0 ? [[component, '-', '-', "none but the chart's own"]] : rowsOf(component, leaves)),
    ...rowsOf(component, pending),
  ]);
  return formatWrappedTable(['COMPONENT', 'KEY', 'FROM', 'VALUE'], rows, columns);
}

function rowsOf(component: string, leaves: readonly ValueLeaf[]): readonly (readonly string[])[] {
  return leaves.map(({ path, value, from }) => [component, oneLine(path), from, valueText(value)]);
}

/** Text as it is, everything else as JSON. */
export function valueText(value: JsonValue): string {
  return typeof value === 'string' && value !== '' ? oneLine(value) : JSON.stringify(value);
}
