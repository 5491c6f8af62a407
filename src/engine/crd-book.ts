import { describeError, isCode } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import { isOlderVersion } from '../lib/resource-version.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { Cluster, Subscription, WatchEvent } from '../ports/cluster.ts';

export const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

const RELEASE_NAME = 'meta.helm.sh/release-name';
const RELEASE_NAMESPACE = 'meta.helm.sh/release-namespace';

/** What is kept of a CRD: its ownership, and nothing that grows with its schema. */
export interface CrdFact {
  readonly name: string;
  readonly uid: string;
  readonly owner: string | undefined;
  readonly isKept: boolean;
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  /** `namespace/name` of the release that it is part of. */
  readonly release: string | undefined;
}

export type CrdFacts =
  | { readonly kind: 'unread' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'read'; readonly facts: readonly CrdFact[] };

interface Entry {
  readonly fact: CrdFact;
  readonly resourceVersion: string | undefined;
}

/** Whose the CRDs of the cluster are: one watch on their metadata, which runs while some package has to do with any. */
export class CrdBook {
  readonly #cluster: Cluster;
  readonly #onChange: (pkg: string) => void;
  readonly #entries = new Map<string, Entry>();
  /** What each package lists. */
  readonly #listed = new Map<string, ReadonlySet<string>>();
  #subscription: Subscription | undefined;
  #state: 'unread' | 'read' | { readonly message: string } = 'unread';

  constructor(cluster: Cluster, onChange: (pkg: string) => void) {
    this.#cluster = cluster;
    this.#onChange = onChange;
  }

  /** Of a package from now on: what it lists, and what is said to be its own. */
  look(pkg: string, listed: readonly string[]): CrdFacts {
    this.#listed.set(pkg, new Set(listed));
    this.#subscription ??= this.#cluster.watch({ ...CRD, metadataOnly: true }, (event) => {
      this.#take(event);
    });
    if (this.#state === 'unread') return { kind: 'unread' };
    if (this.#state !== 'read') return { kind: 'unreadable', message: this.#state.message };
    return { kind: 'read', facts: this.facts().filter((fact) => this.#concerns(pkg, fact)) };
  }

  /** Of all CRDs, as far as they are known. */
  facts(): readonly CrdFact[] {
    return [...this.#entries.values()].map(({ fact }) => fact);
  }

  /** It has to do with none any more. */
  leave(pkg: string): void {
    this.#listed.delete(pkg);
    if (this.#listed.size === 0) this.stop();
  }

  /** What a live read or a write of ours has shown, before the watch tells it. */
  note(name: string, object: KubeObject | undefined): void {
    if (object === undefined) this.#entries.delete(name);
    else if (!this.#isOutdated(object)) this.#keep(object);
  }

  stop(): void {
    this.#subscription?.stop();
    this.#subscription = undefined;
    this.#entries.clear();
    this.#state = 'unread';
  }

  #take(event: WatchEvent): void {
    switch (event.type) {
      case 'set':
        this.#set(event.object);
        break;
      case 'gone':
        this.#remove(event.object);
        break;
      case 'synced':
        if (this.#state !== 'read') this.#enter('read');
        break;
      case 'disturbed':
        if (this.#state === 'unread' && isCode(event.error, 'ApiForbidden'))
          this.#enter({ message: describeError(event.error) });
    }
  }

  #enter(state: 'read' | { readonly message: string }): void {
    this.#state = state;
    for (const pkg of this.#listed.keys()) this.#onChange(pkg);
  }

  #set(object: KubeObject): void {
    if (this.#isOutdated(object)) return;
    const before = this.#entries.get(object.metadata.name)?.fact;
    const fact = this.#keep(object);
    if (stableJson(before ?? null) !== stableJson(fact)) this.#tell(before, fact);
  }

  #remove({ metadata }: KubeObject): void {
    const before = this.#entries.get(metadata.name)?.fact;
    if (before === undefined || before.uid !== metadata.uid) return;
    this.#entries.delete(metadata.name);
    this.#tell(before);
  }

  #keep(object: KubeObject): CrdFact {
    const fact = crdFact(object);
    this.#entries.set(fact.name, { fact, resourceVersion: object.metadata.resourceVersion });
    return fact;
  }

  #isOutdated({ metadata }: KubeObject): boolean {
    const known = this.#entries.get(metadata.name);
    return known?.fact.uid === metadata.uid && isOlderVersion(metadata.resourceVersion, known?.resourceVersion);
  }

  #tell(...facts: readonly (CrdFact | undefined)[]): void {
    if (this.#state !== 'read') return;
    for (const pkg of this.#listed.keys()) {
      if (facts.some((fact) => fact !== undefined && this.#concerns(pkg, fact))) this.#onChange(pkg);
    }
  }

  #concerns(pkg: string, { name, owner }: CrdFact): boolean {
    return owner === pkg || this.#listed.get(pkg)?.has(name) === true;
  }
}

export function crdFact({ metadata }: KubeObject): CrdFact {
  const { name, uid = '', annotations = {}, finalizers = [], deletionTimestamp } = metadata;
  const { [RELEASE_NAME]: releaseName, [RELEASE_NAMESPACE]: namespace } = annotations;
  return {
    name,
    uid,
    owner: annotations[ANNOTATION.ownedBy],
    isKept: annotations[ANNOTATION.helmKeep] === 'keep',
    isDeleting: deletionTimestamp !== undefined,
    finalizers,
    release: releaseName === undefined || namespace === undefined ? undefined : `${namespace}/${releaseName}`,
  };
}

/** What makes an object one of a release. */
export function releaseMarks(release: { readonly namespace: string; readonly releaseName: string }): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  return {
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { [RELEASE_NAME]: release.releaseName, [RELEASE_NAMESPACE]: release.namespace },
  };
}
