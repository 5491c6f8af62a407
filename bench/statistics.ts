export function median(numbers: readonly number[]): number {
  const sorted = ascending(numbers);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The smallest of the numbers that so many per cent of them do not exceed. */
export function percentile(numbers: readonly number[], percent: number): number {
  const rank = Math.max(1, Math.ceil((numbers.length * percent) / 100));
  return ascending(numbers)[rank - 1] ?? Number.NaN;
}

function ascending(numbers: readonly number[]): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
