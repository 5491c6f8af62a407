export interface Measure {
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms' | 's' | 'MiB' | '%' | 'ratio' | 'count' | 'each';
  /** What was promised: at most so much; absent where the number only explains another one. */
  readonly limit?: number;
}

export interface Report {
  readonly node: string;
  readonly cores: number;
  /** Of the machine over one minute, before and after: numbers taken beside other work say little. */
  readonly load: readonly [before: number, after: number];
  readonly measures: readonly Measure[];
}

export function isKept({ value, limit }: Measure): boolean {
  return limit === undefined || value <= limit;
}

export function tableOf({ node, cores, load, measures }: Report): string {
  const rows = measures.map((measure) => [
    measure.what,
    format(measure.value, measure.unit),
    measure.limit === undefined ? '' : `at most ${format(measure.limit, measure.unit)}`,
    verdictOf(measure),
  ]);
  const loads = load.map((each) => each.toFixed(1)).join(' before, ');
  return [
    `Node.js ${node}, ${String(cores)} cores, load ${loads} after; compare the ratios, not the times`,
    ...aligned([['measure', 'result', 'target', 'verdict'], ...rows]),
  ].join('\n');
}

function verdictOf(measure: Measure): string {
  if (measure.limit === undefined) return '';
  return isKept(measure) ? 'kept' : 'NOT KEPT';
}

function format(value: number, unit: Measure['unit']): string {
  switch (unit) {
    case 'ratio':
      return value.toFixed(2);
    case 'each':
      return value.toFixed(1);
    case 'count':
      return String(value);
    case 'ms':
      return `${value.toFixed(0)} ms`;
    case 's':
    case '%':
    case 'MiB':
      return `${value.toFixed(1)} ${unit}`;
  }
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
