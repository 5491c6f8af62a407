export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** `1.23`. */
export function ratio(a: number, b: number): string {
  return (a / b).toFixed(2);
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
