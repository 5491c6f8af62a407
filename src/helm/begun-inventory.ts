import { refKey } from '../api/kube.ts';
import type { InventoryItem, ReleaseTarget } from '../ports/backend.ts';
import type { ReleaseStore } from './release-store.ts';
import { startedHooks } from './running-hooks.ts';

/**
 * What the newest record lists, and the Jobs and Pods of the chart's own hooks that helm has started for it. It notes
 * that before it makes one, and may remove one that has ended: of what is not there, it is not known whether it ran.
 */
export async function begunInventory(target: ReleaseTarget, store: ReleaseStore): Promise<readonly InventoryItem[]> {
  const heads = await store.heads(target);
  const [newest] = heads;
  const listed = await store.inventory(target, { heads, record: 'newest' });
  const stored = newest === undefined ? undefined : await store.read(newest);
  if (stored === undefined) return listed;
  const hooks = await store.placed(startedHooks(stored.record), target.namespace);
  const started = new Map(hooks.map(({ ref }) => [refKey(ref), { ...ref, mayVanish: true }]));
  return [...listed, ...started.values()];
}
