import { union } from './field-set.ts';
import { type Managers, managerKey, type Ownership, seconds } from './managers.ts';
import { compareText } from './path-element.ts';

const MAX_UPDATERS = 10;
const ANCIENT = 'ancient-changes';

/** At most ten entries for updates: of each version the oldest become one. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update').sort(byAge);
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [key, owner] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const first = firstOf.get(owner.apiVersion);
    if (first === undefined) {
      firstOf.set(owner.apiVersion, key);
      continue;
    }
    moveIntoBucket(capped, { first, key, owner });
    count--;
  }
  return capped;
}

interface Moved {
  readonly first: string;
  readonly key: string;
  readonly owner: Ownership;
}

function moveIntoBucket(managers: Map<string, Ownership>, { first, key, owner }: Moved): void {
  const name = { manager: ANCIENT, operation: 'Update', apiVersion: owner.apiVersion, subresource: undefined } as const;
  const bucket = managerKey(name);
  const older = managers.get(bucket) ?? managers.get(first);
  if (!managers.has(bucket)) managers.delete(first);
  managers.delete(key);
  const fields = older === undefined ? owner.fields : union(owner.fields, older.fields);
  managers.set(bucket, { ...name, time: owner.time, fields });
}

function byAge([keyA, a]: readonly [string, Ownership], [keyB, b]: readonly [string, Ownership]): number {
  return seconds(a.time) - seconds(b.time) || compareText(keyA, keyB);
}
