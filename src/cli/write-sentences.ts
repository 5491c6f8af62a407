import type { Output } from './host.ts';
import { columnsOf } from './look/columns.ts';
import { textWidth } from './text/width.ts';
import { wrap } from './text/wrap.ts';
import { writeLines } from './write-lines.ts';

/** Prose: on a terminal, what is too long for it is parted between words, as far in as it began. */
export function writeSentences(output: Output, lines: readonly string[]): void {
  const { columns = Infinity } = columnsOf(output);
  writeLines(
    output,
    lines.flatMap((line) => fitted(line, columns)),
  );
}

function fitted(line: string, columns: number): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const text = line.trimStart();
  const indent = line.slice(0, line.length - text.length);
  return wrap(text, columns - indent.length).map((part) => indent + part);
}
