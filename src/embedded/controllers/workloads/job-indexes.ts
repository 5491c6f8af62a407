/** `0-2,5`, as the status of an indexed Job tells which of its indexes are done. */
export function writeIndexes(indexes: Iterable<number>): string {
  const parts: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts.map(([first, last]) => rangeText(first, last)).join(',');
}

function rangeText(first: number, last: number): string {
  if (first === last) return String(first);
  return `${String(first)}${last === first + 1 ? ',' : '-'}${String(last)}`;
}

export function readIndexes(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}
