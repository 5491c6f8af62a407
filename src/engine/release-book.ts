import { asKubepkgError } from '../api/errors.ts';
import type { ObjectRef } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import { REREAD_MS } from '../domain/decide/explain.ts';
import { releaseKey } from '../domain/decide/world.ts';
import type { Happenings } from '../domain/readiness/newer-than-change.ts';
import type { HealthReport } from '../domain/release/component-view.ts';
import { stableJson } from '../lib/stable-json.ts';
import { formatSeconds } from '../lib/time.ts';
import type { Backend, PresentRelease, ReleaseObservation, ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';
import { followedBy, judgeHealth, type HealthRequest } from './health.ts';
import { countGone, type Leaving, stillThere } from './leaving.ts';
import type { ObjectTracker } from './object-tracker.ts';
import { RelatedReader } from './related.ts';
import { Witness } from './witness.ts';

/** A release that is going is looked at no more often than this, unless one of its objects went. */
const LEAVING_LOOK_MS = 1000;

/** One that is changing all the time is decided on as it was seen last. */
const MAX_LOOKS = 3;

/** Stands for the record of a delivery that is not complete. */
const BEGUN = 0;

interface Followed {
  readonly revision: number | undefined;
  /** What the component declares about its readiness: other declarations, other objects to follow. */
  readonly declared: string;
  readonly request: HealthRequest;
  readonly readAt: number;
}

interface Entry {
  readonly package: string;
  observation: ReleaseObservation | undefined;
  /** Of the newest record that was seen, be it gone since. */
  lastToken: string | undefined;
  observedAt: number;
  /** Something may have changed since it was observed. */
  stale: boolean;
  /** The delivered record whose objects are followed, and since when they have been read live. */
  followed: Followed | undefined;
  /** Jobs of a record that was begun, followed so that their end is seen even when they remove themselves. */
  begun: { readonly key: string; readonly jobs: readonly ObjectRef[] } | undefined;
  leaving: Leaving | undefined;
  /** When this process first saw which record delivered. */
  delivered: { readonly revision: number; readonly at: number } | undefined;
  failedSince: number | undefined;
  witness: Witness;
}

export interface ReleaseQuestion {
  readonly backend: Backend;
  readonly target: ReleaseTarget;
  /** Whose readiness declarations judge it; undefined: only whether it is there is asked. */
  readonly component: RevisionComponent | undefined;
  /** Somebody waits for it: it is read again now and then, so that no lost event blocks for ever. */
  readonly awaited: boolean;
  /** Its objects count, though its delivery was never completed: a hook that was cut off, and whose Job is there (P16). */
  readonly judgeBegun?: boolean | undefined;
  /** When a delivery began whose effect its objects have to have answered to (milliseconds since the epoch). */
  readonly changedAt?: number | undefined;
  /**
   * Of a component that is not recorded as ready yet: when the newest of the components that it depends on, and that
   * were delivered anew at this revision, became ready (milliseconds since the epoch): one of them may run the
   * controllers of its objects.
   */
  readonly controllerReadyAt?: number | undefined;
  /** It is a hook: its Jobs have to be seen to complete. */
  readonly hook?: boolean | undefined;
  /** Nothing is given up on what was seen before: once it has passed, everything is read again (milliseconds since the epoch). */
  readonly deadline?: number | undefined;
}

export interface ReleaseAnswer {
  readonly observation: ReleaseObservation;
  /** Of the newest record that this process has seen of it, be it gone since. */
  readonly lastToken?: string | undefined;
  readonly health: HealthReport;
}

interface BookDeps {
  readonly cluster: Cluster;
  readonly tracker: ObjectTracker;
  readonly clock: Clock;
}

/** A question about the health of a release that is there. */
interface Judged extends ReleaseQuestion {
  readonly component: RevisionComponent;
  readonly observation: PresentRelease;
}

/** What is known of releases and of the health of their objects; asked again only when something may have changed. */
export class ReleaseBook {
  readonly #deps: BookDeps;
  readonly #related: RelatedReader;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: BookDeps) {
    this.#deps = deps;
    this.#related = new RelatedReader(deps.cluster, deps.clock);
  }

  /** A record of it may have changed. */
  markRelease(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.stale = true;
  }

  /** Of somebody else's release no event tells: what is not there, or not ours, is looked for again. */
  markUnlessPresent(key: string): void {
    if (this.#entries.get(key)?.observation?.state !== 'present') this.markRelease(key);
  }

  /** Nobody looked for a while: everything is read again, and nothing has lasted since before. */
  lookAway(): void {
    for (const entry of this.#entries.values()) {
      entry.stale = true;
      entry.followed = undefined;
      entry.failedSince = undefined;
      entry.witness.lookAway();
    }
  }

  /** Lets go of everything about a package. */
  forgetPackage(pkg: string): void {
    const keys = [...this.#entries].flatMap(([key, entry]) => (entry.package === pkg ? [key] : []));
    for (const key of keys) {
      this.#deps.tracker.follow(key, []);
      this.#entries.delete(key);
    }
  }

  /** Package that a follower of the tracker belongs to. */
  packageOf(key: string): string | undefined {
    return this.#entries.get(key)?.package;
  }

  async ask(question: ReleaseQuestion): Promise<ReleaseAnswer> {
    const { component } = question;
    const entry = this.#entryOf(question.target);
    await this.#observe(entry, question);
    const observation = entry.observation ?? { state: 'unknown', message: 'its release has not been read yet' };
    const { lastToken } = entry;
    if (observation.state !== 'present') {
      if (observation.state !== 'unknown') this.#unfollow(entry, question.target);
      return { observation, lastToken, health: unobserved('it has not been read yet') };
    }
    return {
      observation,
      lastToken,
      health: await this.#patiently(() => this.#healthOf(entry, { ...question, observation, component })),
    };
  }

  /** What cannot be read at the moment is asked for again at the next look, and a deadline goes on. */
  async #patiently(work: () => Promise<HealthReport>): Promise<HealthReport> {
    try {
      return await work();
    } catch (thrown) {
      const error = asKubepkgError(thrown);
      if (error.class !== 'transient') throw error;
      return unobserved(`its objects cannot be read: ${error.message}`);
    }
  }

  async #healthOf(
    entry: Entry,
    question: ReleaseQuestion & { readonly observation: PresentRelease },
  ): Promise<HealthReport> {
    const { observation, component } = question;
    if (isLeaving(observation)) {
      await this.#followLeaving(entry, question);
      return unobserved(observation.message);
    }
    if (component === undefined) {
      this.#unfollow(entry, question.target);
      return unobserved('it has not been read yet');
    }
    return this.#judge(entry, { ...question, component });
  }

  #entryOf(target: ReleaseTarget): Entry {
    const key = releaseKey(target);
    const known = this.#entries.get(key);
    if (known?.package === target.package) return known;
    const entry: Entry = {
      package: target.package,
      observation: undefined,
      lastToken: undefined,
      observedAt: 0,
      stale: true,
      followed: undefined,
      begun: undefined,
      leaving: undefined,
      delivered: undefined,
      failedSince: undefined,
      witness: new Witness(),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  async #observe(entry: Entry, question: ReleaseQuestion): Promise<void> {
    const { backend, target } = question;
    const now = this.#deps.clock.now();
    const due = isDue(entry, question, now);
    if (!entry.stale && !due && !this.#hasMoved(entry, now)) return;
    if (due) entry.followed = undefined;
    this.#recountLeaving(entry);
    try {
      await lookAtOnce(entry, () => backend.observe(target));
      entry.observedAt = now;
    } catch (thrown) {
      entry.stale = true;
      const error = asKubepkgError(thrown);
      if (error.class !== 'transient') throw error;
      entry.observation = { state: 'unknown', message: `its release cannot be read: ${error.message}` };
    }
  }

  /** Before it is observed: what goes meanwhile is news afterwards. */
  #recountLeaving(entry: Entry): void {
    const { leaving } = entry;
    if (leaving !== undefined) entry.leaving = { ...leaving, gone: countGone(this.#deps.tracker, leaving.refs) };
  }

  /** Nothing of the record of a release that is going tells when the last of its objects went. */
  #hasMoved({ observation, observedAt, leaving }: Entry, now: number): boolean {
    if (observation?.state !== 'present' || !isLeaving(observation)) return false;
    if (now - observedAt >= LEAVING_LOOK_MS) return true;
    return leaving !== undefined && countGone(this.#deps.tracker, leaving.refs) !== leaving.gone;
  }

  async #followLeaving(
    entry: Entry,
    { backend, target, observation }: ReleaseQuestion & { readonly observation: PresentRelease },
  ): Promise<void> {
    const { cluster, tracker } = this.#deps;
    const { revision } = observation;
    if (entry.leaving?.revision === revision) return;
    this.#unfollow(entry, target);
    const refs = await stillThere(cluster, await backend.inventory(target, 'newest'));
    tracker.follow(releaseKey(target), refs);
    entry.leaving = { revision, refs, gone: 0 };
    await tracker.refresh(refs);
  }

  #unfollow(entry: Entry, target: ReleaseTarget): void {
    if (entry.followed === undefined && entry.begun === undefined && entry.leaving === undefined) return;
    entry.followed = undefined;
    entry.begun = undefined;
    entry.leaving = undefined;
    entry.delivered = undefined;
    entry.failedSince = undefined;
    entry.witness = new Witness();
    this.#deps.tracker.follow(releaseKey(target), []);
  }

  async #judge(entry: Entry, question: Judged): Promise<HealthReport> {
    const { observation, component } = question;
    if (entry.leaving !== undefined) this.#unfollow(entry, question.target);
    if (isBegun(observation)) await this.#followBegun(entry, question);
    // While a record is pending or failed, what the last completed one owns still runs and is still judged.
    if (!observation.everDelivered && question.judgeBegun !== true) return unobserved('it has not been read yet');
    if (await this.#isToBeRead(entry, question)) await this.#follow(entry, question);
    if (entry.followed === undefined) return unobserved('it has not been read yet');
    const { hook, awaited } = question;
    const happenings = this.#happeningsOf(entry, question);
    const request = { ...entry.followed.request, component, happenings, isHook: hook, isAwaited: awaited };
    const { cluster, tracker, clock } = this.#deps;
    const { witness } = entry;
    const report = await judgeHealth({ cluster, tracker, related: this.#related, clock, witness }, request);
    return this.#withGrace(entry, report);
  }

  async #isToBeRead({ followed }: Entry, { observation, component }: Judged): Promise<boolean> {
    if (followed === undefined) return true;
    const isOther = followed.revision !== observation.revision || followed.declared !== declaredBy(component);
    return (isOther && observation.delivery === 'delivered') || (await this.#isServedMeanwhile(followed));
  }

  #happeningsOf(entry: Entry, { changedAt, controllerReadyAt }: ReleaseQuestion): Happenings {
    if (changedAt === undefined || entry.followed === undefined) return { controllerReadyAt };
    const { revision = BEGUN, readAt } = entry.followed;
    if (entry.delivered?.revision !== revision) {
      entry.delivered = { revision, at: readAt };
      entry.witness.startOver();
    }
    return { change: { startedAt: changedAt, since: entry.delivered.at }, controllerReadyAt };
  }

  /** From the beginning of a delivery on: a Job may have ended, and be gone, before the record says that it is complete. */
  async #followBegun(entry: Entry, { backend, target, observation, hook }: Judged): Promise<void> {
    const key = `${String(observation.revision)} ${observation.token ?? ''} ${observation.message}`;
    if (entry.begun?.key === key) return;
    const items = await backend.inventory(target, hook === true ? 'begun' : 'newest');
    entry.begun = { key, jobs: items.filter(({ mayVanish }) => mayVanish === true) };
    this.#track(entry, target, entry.followed?.request);
    await this.#deps.tracker.refresh(entry.begun.jobs);
  }

  /** From here on evidence counts: a live read of every object, after the delivery. */
  async #follow(entry: Entry, { backend, target, component, observation, judgeBegun }: Judged): Promise<void> {
    // The record may have become complete since it was asked to judge what was begun.
    const record = judgeBegun === true && observation.delivery !== 'delivered' ? 'begun' : 'completed';
    const inventory = await backend.inventory(target, record);
    const request: HealthRequest = { component, inventory, awaited: await this.#placed(component) };
    this.#track(entry, target, request);
    if (observation.delivery === 'delivered') entry.begun = undefined;
    await this.#deps.tracker.refresh(followedBy(request));
    entry.followed = {
      // What is read before the delivery is complete is read anew once it is.
      revision: observation.delivery === 'delivered' ? observation.revision : undefined,
      declared: declaredBy(component),
      request,
      readAt: this.#deps.clock.now(),
    };
  }

  #track({ begun }: Entry, target: ReleaseTarget, request: HealthRequest | undefined): void {
    const refs = request === undefined ? [] : followedBy(request);
    this.#deps.tracker.follow(releaseKey(target), [...refs, ...(begun?.jobs ?? [])]);
  }

  /** A kind that was not served when its objects were placed and read, and may have turned out to have no namespaces. */
  async #isServedMeanwhile({ request }: Followed): Promise<boolean> {
    const { cluster, tracker } = this.#deps;
    const unserved = request.awaited.filter((ref) => tracker.look(ref).kind === 'unserved');
    const served = await Promise.all(unserved.map(({ apiVersion, kind }) => cluster.served(apiVersion, kind)));
    return served.some((kind) => kind !== undefined);
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
    const { failedSince } = entry;
    const message = report.final === true ? report.message : `${report.message}, since ${formatSeconds(failedSince)}`;
    return { ...report, message, failedSince };
  }
}

/** To be read again though no event tells to. */
function isDue(
  { followed, observedAt }: Entry,
  { awaited, deadline = Infinity }: ReleaseQuestion,
  now: number,
): boolean {
  const readAt = followed?.readAt ?? observedAt;
  return (awaited && now - readAt >= REREAD_MS) || (now >= deadline && readAt < deadline);
}

/** A controller may have made its first objects at any of the steps that its messages tell of. */
function isBegun({ delivery }: PresentRelease): boolean {
  return delivery === 'pending' || delivery === 'underway';
}

function unobserved(message: string): HealthReport {
  return { status: 'unobserved', message, notes: [] };
}

/** Uninstalled, or about to be: what is left of it is waited for, not judged. */
function isLeaving({ delivery }: PresentRelease): boolean {
  return delivery === 'draining' || delivery === 'removing';
}

function declaredBy({ namespace, readyWhen, readiness, healthCheckExprs }: RevisionComponent): string {
  return stableJson({ namespace, readyWhen, readiness, healthCheckExprs });
}

/** Several requests make one observation: what changed between them belongs together in the next one only. */
async function lookAtOnce(entry: Entry, observe: () => Promise<ReleaseObservation>): Promise<void> {
  let looks = 0;
  do {
    looks += 1;
    entry.stale = false;
    entry.observation = await observe();
    if (entry.observation.state === 'present') entry.lastToken = entry.observation.token;
  } while (isStale(entry) && looks < MAX_LOOKS);
}

/** Marked by others while it was read. */
function isStale({ stale }: Entry): boolean {
  return stale;
}
