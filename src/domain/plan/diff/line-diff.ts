/** A line of a text, and which side has it. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Beyond so many steps of work a shorter script is not looked for: all that differs is replaced. */
const MAX_CELLS = 1_000_000;

/** The shortest way from one text to another, what goes before what comes. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const head = commonLength(before, after);
  const tail = Math.min(
    commonLength(before.toReversed(), after.toReversed()),
    Math.min(before.length, after.length) - head,
  );
  const left = before.slice(head, before.length - tail);
  const right = after.slice(head, after.length - tail);
  return [
    ...withSign(before.slice(0, head), ' '),
    ...middle(left, right),
    ...withSign(before.slice(before.length - tail), ' '),
  ];
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  const index = a.findIndex((line, at) => at >= length || line !== b[at]);
  return index < 0 ? length : index;
}

function middle(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  if (left.length * right.length > MAX_CELLS) return [...withSign(left, '-'), ...withSign(right, '+')];
  const table = longestCommon(left, right);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    if (a !== undefined && a === b) {
      lines.push({ sign: ' ', text: a });
      i += 1;
      j += 1;
    } else if (a !== undefined && (b === undefined || cell(table, i + 1, j) >= cell(table, i, j + 1))) {
      lines.push({ sign: '-', text: a });
      i += 1;
    } else {
      lines.push({ sign: '+', text: b ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** For each pair of positions, how many lines the rests have in common. */
function longestCommon(left: readonly string[], right: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i -= 1) {
    const row = table[i] ?? new Uint32Array();
    for (let j = right.length - 1; j >= 0; j -= 1) {
      row[j] =
        left[i] === right[j] ? cell(table, i + 1, j + 1) + 1 : Math.max(cell(table, i + 1, j), cell(table, i, j + 1));
    }
  }
  return table;
}

function cell(table: readonly Uint32Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

function withSign(texts: readonly string[], sign: DiffLine['sign']): readonly DiffLine[] {
  return texts.map((text) => ({ sign, text }));
}
