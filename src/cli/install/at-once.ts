/** Questions that are asked at the same time: more of them make an API server no quicker. */
const LIMIT = 8;

/**
 * What the work on each gives, in the order of the items, several at a time. When some fail, the first of these in that
 * order is what it fails with, whichever was the first in time; no further work is begun then.
 */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue = items.entries();
  const done = new Map<number, Result>();
  const failures = new Map<number, unknown>();
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        done.set(index, await work(item));
      } catch (error) {
        failures.set(index, error);
      }
      if (failures.size > 0) return;
    }
  };
  await Promise.all(items.slice(0, LIMIT).map(takeTurns));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return [...done].sort(([a], [b]) => a - b).map(([, result]) => result);
}
