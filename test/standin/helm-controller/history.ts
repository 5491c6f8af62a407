import type { Snapshot } from './status.ts';

export type History = readonly Snapshot[];

const SUCCESSES: readonly string[] = ['deployed', 'superseded'];
const LONGEST = 5;

export function newestFirst(history: History): History {
  return [...history].sort((a, b) => b.version - a.version);
}

/** The newest one before the newest that has ever worked: what a rollback goes back to. */
export function previousOf(history: History): Snapshot | undefined {
  return newestFirst(history)
    .slice(1)
    .find(({ status }) => SUCCESSES.includes(status));
}

/** Down to the one that the newest replaced; failed ones between them stay ("history[0] …": [07, 25, 34]). */
export function truncated(history: History): History {
  const sorted = newestFirst(history);
  const previous = sorted.findIndex(({ status }, index) => index > 0 && SUCCESSES.includes(status));
  return previous < 0 ? sorted.slice(0, LONGEST) : sorted.slice(0, previous + 1);
}

/** A new entry in front. The one it was made from is looked at anew, and loses its action [02, 07: v1]. */
export function withDelivery(history: History, made: Snapshot, from: Snapshot | undefined): History {
  return [made, ...history.map((entry) => (from?.version === entry.version ? from : entry))];
}

/** Each entry that an action wrote, in its place; what is not there yet in front. */
export function withObserved(history: History, observed: readonly Snapshot[]): History {
  return observed.reduce<History>((entries, snapshot) => {
    const isThere = entries.some(({ version }) => version === snapshot.version);
    if (!isThere) return [snapshot, ...entries];
    return entries.map((entry) => (entry.version === snapshot.version ? snapshot : entry));
  }, history);
}

export function fullName({ namespace, name, version }: Snapshot): string {
  return `${namespace}/${name}.v${String(version)}`;
}

export function chartOf({ chartName, chartVersion }: Snapshot): string {
  return `${chartName}@${chartVersion}`;
}
