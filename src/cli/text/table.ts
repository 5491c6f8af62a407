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

/** Where less is left for the last column, it goes below its row. */
const LEAST_BESIDE = 20;
const INDENT = '    ';

/** The same, the last column wrapped so that it does not make a line longer than the width. */
export function formatWrappedTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const last = header.length - 1;
  const [titles, ...heads] = formatTable(
    header.slice(0, last),
    rows.map((row) => row.slice(0, last)),
  );
  const headWidth = Math.max(...[titles ?? '', ...heads].map(textWidth)) + GAP.length;
  if (width - headWidth < LEAST_BESIDE) {
    return [titles ?? '', ...heads.flatMap((head, index) => [head, ...below(rows[index]?.[last] ?? '', width)])];
  }
  const beside = (head: string, text: string): readonly string[] =>
    wrap(text, width - headWidth).map((line, index) =>
      `${padEnd(index === 0 ? head : '', headWidth)}${line}`.trimEnd(),
    );
  return [
    ...beside(titles ?? '', header[last] ?? ''),
    ...heads.flatMap((head, index) => beside(head, rows[index]?.[last] ?? '')),
  ];
}

/** The same, but the last column is cut where the line ends. */
export function formatCutTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const last = header.length - 1;
  const heads = formatTable(
    header.slice(0, last),
    rows.map((row) => row.slice(0, last)),
  );
  const room = width - Math.max(...heads.map(textWidth)) - GAP.length;
  const isBeside = room >= LEAST_BESIDE;
  return formatWrappedTable(
    header,
    rows.map((row) => [...row.slice(0, last), cut(row[last] ?? '', isBeside ? room : width - INDENT.length)]),
    width,
  );
}

function cut(text: string, room: number): string {
  const [first = '', ...rest] = wrap(text, Math.max(LEAST_BESIDE, room) - 2);
  return rest.length === 0 ? first : `${first} …`;
}

function below(text: string, width: number): readonly string[] {
  return text === '' ? [] : wrap(text, width - INDENT.length).map((line) => INDENT + line);
}
