import { padEnd, textWidth } from './width.ts';

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
