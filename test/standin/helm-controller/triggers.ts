import { type KubeObject, refKey, refOf } from '../../../src/api/kube.ts';
import { asString, at } from '../../../src/lib/json.ts';
import type { Cluster, Subscription, WatchEvent } from '../../../src/ports/cluster.ts';
import { artifactOf, digestIn, SOURCE_API, type SourceKind, sourceRef } from './source.ts';
import { type HelmReleaseSpec, specOf } from './spec.ts';
import { HELM_RELEASE } from './turn.ts';
import type { StillDue } from './turn-queue.ts';
import { ANNOTATION } from './working-copy.ts';

export interface TriggerOptions {
  readonly cluster: Cluster;
  readonly accepts: (namespace: string) => boolean;
  /** A turn is due, if it is still so when it could begin. */
  readonly notice: (key: string, isDue?: StillDue) => void;
}

interface Known {
  readonly object: KubeObject;
  readonly spec: HelmReleaseSpec;
}

/** A Secret or ConfigMap without it is not noticed at all when it changes [17]. */
const WATCH_LABEL = 'reconcile.fluxcd.io/watch=Enabled';

/** What makes the controller look at a HelmRelease. It never asks again by itself, but where its turns say so. */
export class Triggers {
  readonly #options: TriggerOptions;
  readonly #releases = new Map<string, Known>();
  /** Revision of the artifact that each source had. */
  readonly #revisions = new Map<string, string>();
  readonly #configs = new Map<string, string>();
  readonly #subscriptions: readonly Subscription[];

  constructor(options: TriggerOptions) {
    this.#options = options;
    const { cluster } = options;
    const sources: readonly SourceKind[] = ['OCIRepository', 'HelmChart'];
    const configs = ['Secret', 'ConfigMap'].map((kind) => ({
      apiVersion: 'v1',
      kind,
      labelSelector: WATCH_LABEL,
      metadataOnly: true,
    }));
    this.#subscriptions = [
      cluster.watch(HELM_RELEASE, (event) => this.#onRelease(event)),
      ...sources.map((kind) => cluster.watch({ apiVersion: SOURCE_API, kind }, (event) => this.#onSource(event))),
      ...configs.map((selection) => cluster.watch(selection, (event) => this.#onConfig(event))),
    ];
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription.stop();
  }

  /** A new generation, or another token in requestedAt; also each one that is seen for the first time. */
  #onRelease(event: WatchEvent): void {
    if (event.type !== 'set' && event.type !== 'gone') return;
    const { object } = event;
    const { namespace = '' } = object.metadata;
    if (!this.#options.accepts(namespace)) return;
    const key = keyOf(object);
    const former = this.#releases.get(key)?.object;
    if (event.type === 'gone') {
      this.#releases.delete(key);
      return;
    }
    this.#releases.set(key, { object, spec: specOf(object) });
    if (former === undefined || isAsking(former, object)) this.#options.notice(key);
  }

  /** Another artifact. Not if it is what was attempted last [35: no turn when the same comes back]. */
  #onSource(event: WatchEvent): void {
    if (event.type !== 'set' && event.type !== 'gone') return;
    const source = refKey(refOf(event.object));
    const revision = event.type === 'gone' ? undefined : artifactOf(event.object)?.revision;
    const former = this.#revisions.get(source);
    if (revision === undefined) this.#revisions.delete(source);
    else this.#revisions.set(source, revision);
    if (revision !== undefined && revision !== former) this.#onRevision(source, event.object.kind, revision);
  }

  #onRevision(source: string, kind: string, revision: string): void {
    for (const [key, { object, spec }] of this.#releases) {
      if (refKey(sourceRef(spec.chart)) !== source || isAttempted(object, kind, revision)) continue;
      // A turn that runs may be attempting it right now.
      this.#options.notice(key, () => {
        const known = this.#releases.get(key);
        return known !== undefined && !isAttempted(known.object, kind, revision);
      });
    }
  }

  #onConfig(event: WatchEvent): void {
    if (event.type !== 'set') return;
    const { kind, metadata } = event.object;
    const config = refKey(refOf(event.object));
    const former = this.#configs.get(config);
    this.#configs.set(config, metadata.resourceVersion ?? '');
    if (former === metadata.resourceVersion) return;
    for (const [key, { object, spec }] of this.#releases) {
      const isUsed = spec.valuesFrom.some((reference) => reference.kind === kind && reference.name === metadata.name);
      if (isUsed && object.metadata.namespace === metadata.namespace) this.#options.notice(key);
    }
  }
}

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function isAsking(former: KubeObject, object: KubeObject): boolean {
  const tokenIn = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[ANNOTATION.requestedAt];
  // One that was deleted and made again meanwhile is another one.
  const isOther = former.metadata.uid !== object.metadata.uid;
  return isOther || former.metadata.generation !== object.metadata.generation || tokenIn(former) !== tokenIn(object);
}

function isAttempted(release: KubeObject, kind: string, revision: string): boolean {
  if (kind === 'OCIRepository') {
    return asString(at(release, 'status', 'lastAttemptedRevisionDigest')) === digestIn(revision);
  }
  const conditions = at(release, 'status', 'conditions');
  const isReady =
    Array.isArray(conditions) &&
    conditions.some((condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True');
  return isReady && asString(at(release, 'status', 'lastAttemptedRevision')) === revision;
}
