import type { Moment } from './timeline.ts';

/** One line of `kubectl get pods --watch` with these columns. */
export const POD_COLUMNS = [
  'APP:.metadata.labels.app',
  'UID:.metadata.uid',
  'CHANGE:.metadata.resourceVersion',
  'MADE:.metadata.creationTimestamp',
  'DELETED:.metadata.deletionTimestamp',
  'READY:.status.conditions[?(@.type=="Ready")].status',
  'SINCE:.status.conditions[?(@.type=="Ready")].lastTransitionTime',
].join(',');

interface Pod {
  readonly app: string;
  readonly made: string;
  readonly madeBy: number;
  readonly ready: { readonly since: string; readonly by: number } | undefined;
  readonly gone: boolean;
}

/** What was told of pods. A resource version is the number of a change in the API server's store. */
export class PodHistory {
  readonly #pods = new Map<string, Pod>();
  readonly #former = new Set<string>();

  tell(line: string): void {
    const [app = '', uid = '', change, made = '', deleted, ready, since = ''] = line.trim().split(/\s+/);
    const by = Number(change);
    if (uid === '' || !Number.isInteger(by)) return;
    const before = this.#pods.get(uid) ?? { app, made, madeBy: by, ready: undefined, gone: false };
    const now = ready === 'True' ? { since, by } : undefined;
    this.#pods.set(uid, { ...before, gone: deleted !== '<none>', ready: before.ready ?? now });
  }

  /** Pods that are there now are not those of the version that comes. */
  beginVersion(): void {
    for (const uid of this.#pods.keys()) this.#former.add(uid);
  }

  /** Undefined: there are no such pods yet, or not all of them were ready. */
  momentOf(component: { readonly name: string; readonly app: string }): Moment | undefined {
    const pods = [...this.#pods].flatMap(([uid, pod]) =>
      pod.app === component.app && !pod.gone && !this.#former.has(uid) ? [pod] : [],
    );
    const [first] = pods.toSorted((a, b) => a.madeBy - b.madeBy);
    const ready = pods.map((pod) => pod.ready);
    const last = ready.toSorted((a, b) => (a?.by ?? Infinity) - (b?.by ?? Infinity)).at(-1);
    if (first === undefined || last === undefined || ready.includes(undefined)) return undefined;
    return { component: component.name, made: first.made, madeBy: first.madeBy, ready: last.since, readyBy: last.by };
  }
}
