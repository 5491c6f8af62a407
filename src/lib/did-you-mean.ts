/** The candidate that a word most likely stands for: at most a third of its letters are wrong, missing or swapped. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase());
    const limit = Math.floor(Math.max(word.length, candidate.length) / 3);
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The remedy for a word that is none of the candidates: the one that it stands for, or else something else. */
export function didYouMeanHint(word: string, candidates: readonly string[], otherwise: string): string {
  const meant = didYouMean(word, candidates);
  return meant === undefined ? otherwise : `did you mean ${meant}?`;
}

/** Damerau-Levenshtein with adjacent swaps (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = cell(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = swapped ? cell(beforeLast, column - 2) + 1 : Infinity;
      current.push(Math.min(cell(last, column) + 1, cell(current, column - 1) + 1, substitution, swap));
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, b.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
