import type { Line } from './render.ts';

/** The lines that differ, each with so many around it, as `diff -u` has them; after the numbers comes the field. */
export function hunksOf(lines: readonly Line[], context: number): string {
  return rangesOf(lines, context)
    .map(([start, end]) => hunk(lines, start, end))
    .join('');
}

type Range = readonly [start: number, end: number];

function rangesOf(lines: readonly Line[], context: number): readonly Range[] {
  const ranges: Range[] = [];
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return;
    const start = Math.max(0, index - context);
    const end = Math.min(lines.length, index + context + 1);
    const last = ranges.at(-1);
    if (last === undefined || start > last[1]) ranges.push([start, end]);
    else ranges.splice(-1, 1, [last[0], end]);
  });
  return ranges;
}

function hunk(lines: readonly Line[], start: number, end: number): string {
  const inside = lines.slice(start, end);
  const [before, after] = [numbers(lines, [start, end], '+'), numbers(lines, [start, end], '-')];
  const field = inside.find(({ sign }) => sign !== ' ')?.path ?? '';
  const head = `@@ -${before} +${after} @@ ${field}`.trimEnd();
  return [head, ...inside.map(({ sign, text }) => `${sign}${text}`)].map((line) => `${line}\n`).join('');
}

/** First line and length of a range on the side that does not have lines of `other`. */
function numbers(lines: readonly Line[], [start, end]: Range, other: '+' | '-'): string {
  const isThere = ({ sign }: Line): boolean => sign !== other;
  const length = lines.slice(start, end).filter(isThere).length;
  const first = lines.slice(0, start).filter(isThere).length + (length === 0 ? 0 : 1);
  return `${String(first)},${String(length)}`;
}
