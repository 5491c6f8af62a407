import { padEnd, textWidth } from './width.ts';
import { wrap } from './wrap.ts';

const GAP = '   ';

/** Rows in columns as kubectl writes them: three blanks between, none at the end of a line. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))));
  return all.map((row) =>
    row
      .map((cell, column) => padEnd(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Where less is left for the last column, it is not wrapped. */
const LEAST_WRAPPED = 20;

/** The same, the last column wrapped so that no line is longer than the width. */
export function formatWrappedTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const last = header.length - 1;
  const before = formatTable(
    header.slice(0, last),
    rows.map((row) => row.slice(0, last)),
  );
  const left = width - Math.max(...before.map(textWidth)) - GAP.length;
  if (left < LEAST_WRAPPED) return formatTable(header, rows);
  const blank = Array.from({ length: last }, () => '');
  const wrapped = rows.flatMap((row) => {
    const lines = wrap(row[last] ?? '', left);
    return lines.map((line, index) => [...(index === 0 ? row.slice(0, last) : blank), line]);
  });
  return formatTable(header, wrapped);
}
