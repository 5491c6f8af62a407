/** Of the plain versions of a universe. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (const [index, number] of left.entries()) {
    const difference = number - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbers(version: string): readonly number[] {
  return version.split('.').map(Number);
}
