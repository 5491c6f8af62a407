/** Does the work for each item, so many at once. */
export async function atOnce<T>(places: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const open = [...items];
  const takeNext = async (): Promise<void> => {
    for (let item = open.shift(); item !== undefined; item = open.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: places }, takeNext));
}

export function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_none, index) => `${prefix}${String(index)}`);
}
