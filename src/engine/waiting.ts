import type { Cluster, Subscription, WatchEvent } from '../ports/cluster.ts';
import type { Clock, Timer } from '../ports/system.ts';

/** What one package has to hear of. */
export interface Interest {
  /** Packages whose standing is reported, also when nothing waits for them. */
  readonly reported: ReadonlySet<string>;
  /** Packages whose every change may end its wait. */
  readonly packages: ReadonlySet<string>;
  /** Capabilities that any package may come to provide. */
  readonly capabilities: ReadonlySet<string>;
  /** API groups that may come to be served. */
  readonly groups: ReadonlySet<string>;
}

export interface WaitingOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly wake: (name: string) => void;
  /** What a package provides by its source, its own name included. */
  readonly provides: (name: string) => readonly string[];
  /** Whether what is reported of a required package is not so any more. */
  readonly isReportStale: (name: string, changed: string) => boolean;
}

/** What tells that an API may be served now; both are named `….GROUP`. */
const API_KINDS = [
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
] as const;

/** Discovery lags behind the objects that announce an API. */
const LOOKS_MS: readonly number[] = [100, 200, 400, 800, 1500, 3000, 6000];

interface Look {
  readonly step: number;
  readonly timer: Timer;
}

/** Which packages have to be looked at when another one, or the server's APIs, change. */
export class Waiting {
  readonly #options: WaitingOptions;
  readonly #interests = new Map<string, Interest>();
  readonly #apiWaiters = new Set<string>();
  /** By API group. */
  readonly #looks = new Map<string, Look>();
  #watches: readonly Subscription[] = [];
  #stopped = false;

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  set(name: string, interest: Interest | undefined): void {
    if (interest === undefined) this.#interests.delete(name);
    else this.#interests.set(name, interest);
    if (interest !== undefined && interest.groups.size > 0) this.#apiWaiters.add(name);
    else this.#apiWaiters.delete(name);
    this.#watchApis();
  }

  /** A package, its source or its revisions changed. */
  changed(changed: string): void {
    const provided = this.#options.provides(changed);
    for (const [name, interest] of this.#interests) {
      if (name !== changed && this.#isConcerned(name, interest, { changed, provided })) this.#options.wake(name);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#interests.clear();
    this.#apiWaiters.clear();
    this.#watchApis();
  }

  #isConcerned(
    name: string,
    interest: Interest,
    { changed, provided }: { readonly changed: string; readonly provided: readonly string[] },
  ): boolean {
    const { packages, capabilities, reported } = interest;
    if (packages.has(changed) || provided.some((capability) => capabilities.has(capability))) return true;
    return reported.has(changed) && this.#options.isReportStale(name, changed);
  }

  /** Only while somebody waits for an API. */
  #watchApis(): void {
    const isNeeded = !this.#stopped && this.#apiWaiters.size > 0;
    if (isNeeded === this.#watches.length > 0) return;
    for (const watch of this.#watches) watch.stop();
    for (const { timer } of this.#looks.values()) timer.cancel();
    this.#looks.clear();
    this.#watches = isNeeded ? API_KINDS.map((kind) => this.#watchKind(kind)) : [];
  }

  #watchKind(kind: (typeof API_KINDS)[number]): Subscription {
    return this.#options.cluster.watch({ ...kind, metadataOnly: true }, (event) => {
      this.#take(event);
    });
  }

  /** While a watch is disturbed it tells nothing: each of its attempts is a reason to ask. */
  #take(event: WatchEvent): void {
    if (event.type === 'disturbed') this.#wakeGroups(() => true);
    if (event.type !== 'set') return;
    const group = groupOf(event.object.metadata.name);
    if (this.#looks.get(group)?.step === 0 || !this.#isAwaited(group)) return;
    this.#wakeGroups((each) => each === group);
    this.#lookAgain(group, 0);
  }

  #isAwaited(group: string): boolean {
    return [...this.#interests.values()].some(({ groups }) => groups.has(group));
  }

  #wakeGroups(isMeant: (group: string) => boolean): void {
    for (const [name, { groups }] of this.#interests) if ([...groups].some(isMeant)) this.#options.wake(name);
  }

  #lookAgain(group: string, step: number): void {
    this.#looks.get(group)?.timer.cancel();
    this.#looks.delete(group);
    const delay = LOOKS_MS[step];
    if (delay === undefined || !this.#isAwaited(group)) return;
    const timer = this.#options.clock.after(delay, () => {
      this.#wakeGroups((each) => each === group);
      this.#lookAgain(group, step + 1);
    });
    this.#looks.set(group, { step, timer });
  }
}

function groupOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
