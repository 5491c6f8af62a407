import { asKubepkgError } from '../api/errors.ts';
import type { ObjectRef } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import { REREAD_MS } from '../domain/decide/explain.ts';
import { releaseKey } from '../domain/decide/world.ts';
import type { Change } from '../domain/readiness/newer-than-change.ts';
import type { HealthReport } from '../domain/release/component-view.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { Backend, PresentRelease, ReleaseObservation, ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';
import { followedBy, judgeHealth, type HealthRequest, type HealthSight } from './health.ts';
import type { ObjectTracker } from './object-tracker.ts';
import { RelatedReader } from './related.ts';

const UNOBSERVED: HealthReport = { status: 'unobserved', message: 'it has not been read yet', notes: [] };

interface Followed {
  readonly revision: number;
  /** What the component declares about its readiness: other declarations, other objects to follow. */
  readonly declared: string;
  readonly request: HealthRequest;
  readonly readAt: number;
}

interface Entry {
  readonly package: string;
  observation: ReleaseObservation | undefined;
  /** Something may have changed since it was observed. */
  stale: boolean;
  /** The delivered record whose objects are followed, and since when they have been read live. */
  followed: Followed | undefined;
  /** When this process first saw which record delivered. */
  delivered: { readonly revision: number; readonly at: number } | undefined;
  failedSince: number | undefined;
}

export interface ReleaseQuestion {
  readonly backend: Backend;
  readonly target: ReleaseTarget;
  /** Whose readiness declarations judge it; undefined: only whether it is there is asked. */
  readonly component: RevisionComponent | undefined;
  /** Somebody waits for it: it is read again now and then, so that no lost event blocks for ever. */
  readonly awaited: boolean;
  /** When a delivery began whose effect its objects have to have answered to (milliseconds since the epoch). */
  readonly changedAt?: number | undefined;
}

export interface ReleaseAnswer {
  readonly observation: ReleaseObservation;
  readonly health: HealthReport;
}

interface BookDeps {
  readonly cluster: Cluster;
  readonly tracker: ObjectTracker;
  readonly clock: Clock;
}

/** What is known of releases and of the health of their objects; asked again only when something may have changed. */
export class ReleaseBook {
  readonly #deps: BookDeps;
  readonly #sight: HealthSight;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: BookDeps) {
    this.#deps = deps;
    const { cluster, tracker, clock } = deps;
    this.#sight = { cluster, tracker, related: new RelatedReader(cluster, clock) };
  }

  /** A record of it may have changed. */
  markRelease(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.stale = true;
  }

  /** Lets go of everything about a package; gives the keys of its releases. */
  forgetPackage(pkg: string): readonly string[] {
    const keys = [...this.#entries].flatMap(([key, entry]) => (entry.package === pkg ? [key] : []));
    for (const key of keys) {
      this.#deps.tracker.follow(key, []);
      this.#entries.delete(key);
    }
    return keys;
  }

  /** Package that a follower of the tracker belongs to. */
  packageOf(key: string): string | undefined {
    return this.#entries.get(key)?.package;
  }

  async ask(question: ReleaseQuestion): Promise<ReleaseAnswer> {
    const entry = this.#entryOf(question.target);
    await this.#observe(entry, question);
    const observation = entry.observation ?? { state: 'unknown', message: 'its release has not been read yet' };
    if (observation.state !== 'present' || question.component === undefined) {
      this.#unfollow(entry, question.target);
      return { observation, health: UNOBSERVED };
    }
    return {
      observation,
      health: await this.#judge(entry, { ...question, component: question.component, observation }),
    };
  }

  #entryOf(target: ReleaseTarget): Entry {
    const key = releaseKey(target);
    const known = this.#entries.get(key);
    if (known?.package === target.package) return known;
    const entry: Entry = {
      package: target.package,
      observation: undefined,
      stale: true,
      followed: undefined,
      delivered: undefined,
      failedSince: undefined,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  async #observe(entry: Entry, { backend, target, awaited }: ReleaseQuestion): Promise<void> {
    const readAt = entry.followed?.readAt ?? 0;
    const due = awaited && entry.followed !== undefined && this.#deps.clock.now() - readAt >= REREAD_MS;
    if (!entry.stale && !due) return;
    entry.stale = false;
    if (due) entry.followed = undefined;
    try {
      entry.observation = await backend.observe(target);
    } catch (thrown) {
      entry.stale = true;
      const error = asKubepkgError(thrown);
      if (error.class !== 'transient') throw error;
      entry.observation = { state: 'unknown', message: `its release cannot be read: ${error.message}` };
    }
  }

  #unfollow(entry: Entry, target: ReleaseTarget): void {
    if (entry.followed === undefined) return;
    entry.followed = undefined;
    this.#deps.tracker.follow(releaseKey(target), []);
  }

  async #judge(
    entry: Entry,
    question: ReleaseQuestion & { readonly component: RevisionComponent; readonly observation: PresentRelease },
  ): Promise<HealthReport> {
    const { observation, component } = question;
    // While a record is pending or failed, what the last completed one owns still runs and is still judged.
    if (!observation.everDelivered) return UNOBSERVED;
    const known = entry.followed;
    if (known?.revision !== observation.revision || known.declared !== declaredBy(component)) {
      if (observation.delivery === 'delivered' || known === undefined) await this.#follow(entry, question);
    }
    if (entry.followed === undefined) return UNOBSERVED;
    const change = this.#changeOf(entry, question);
    const report = await judgeHealth(this.#sight, { ...entry.followed.request, component, change });
    return this.#withGrace(entry, report);
  }

  #changeOf(entry: Entry, { changedAt }: ReleaseQuestion): Change | undefined {
    if (changedAt === undefined || entry.followed === undefined) return undefined;
    const { revision, readAt } = entry.followed;
    if (entry.delivered?.revision !== revision) entry.delivered = { revision, at: readAt };
    return { startedAt: changedAt, since: entry.delivered.at, now: this.#deps.clock.now() };
  }

  /** From here on evidence counts: a live read of every object, after the delivery. */
  async #follow(
    entry: Entry,
    {
      backend,
      target,
      component,
      observation,
    }: ReleaseQuestion & { readonly component: RevisionComponent; readonly observation: PresentRelease },
  ): Promise<void> {
    const inventory = await backend.inventory(target);
    const request: HealthRequest = { component, inventory, awaited: await this.#placed(component) };
    const refs = followedBy(request);
    this.#deps.tracker.follow(releaseKey(target), refs);
    await this.#deps.tracker.refresh(refs);
    entry.followed = {
      revision: observation.revision,
      declared: declaredBy(component),
      request,
      readAt: this.#deps.clock.now(),
    };
  }

  /** `namespace` is the component's by default, and ignored for cluster-scoped kinds. */
  async #placed(component: RevisionComponent): Promise<readonly ObjectRef[]> {
    const entries = component.readyWhen ?? [];
    return Promise.all(
      entries.map(async ({ apiVersion, kind, name, namespace }) => {
        const served = await this.#deps.cluster.served(apiVersion, kind);
        if (served?.namespaced === false) return { apiVersion, kind, name };
        return { apiVersion, kind, name, namespace: namespace ?? component.namespace };
      }),
    );
  }

  #withGrace(entry: Entry, report: HealthReport): HealthReport {
    if (report.status !== 'failed') {
      entry.failedSince = undefined;
      return report;
    }
    entry.failedSince ??= this.#deps.clock.now();
    return { ...report, failedSince: entry.failedSince };
  }
}

function declaredBy({ namespace, readyWhen, readiness }: RevisionComponent): string {
  return stableJson({ namespace, readyWhen, readiness });
}
