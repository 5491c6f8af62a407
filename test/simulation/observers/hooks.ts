import type { PackageRevision } from '../../../src/api/package-revision.ts';
import { asArray, at } from '../../../src/lib/json.ts';
import type { ReleaseTarget } from '../../../src/ports/backend.ts';
import type { Begun } from '../ledger.ts';
import { OWNER, ours, TOKEN } from '../places.ts';
import type { Place } from '../record.ts';
import type { Stage } from '../stage.ts';
import { isRunning, nameOfRevision, runningRevision } from './revisions.ts';

/** After which the operator has seen what it asked for, and noted that it is there. */
const SEEING_MS = 60_000;

/**
 * I2, I3 and P16: a hook runs once in a revision that moves to another version, before everything else, and to its end.
 */
export class HookObserver {
  readonly #world: Stage;
  readonly #runs = new Map<string, number>();
  #seen = 0;

  constructor(world: Stage) {
    this.#world = world;
  }

  deliveryBegins(release: ReleaseTarget): void {
    const revision = runningRevision(this.#world.cluster, release.package);
    if (revision === undefined) return;
    if (isHook(revision, release.component)) this.#hookBegins(revision, release);
    else this.#othersBegin(revision, release);
  }

  removalBegins(target: ReleaseTarget): void {
    const revision = runningRevision(this.#world.cluster, target.package);
    if (revision === undefined || isHook(revision, target.component)) return;
    const isPlanned = (revision.spec.components ?? []).some(({ name }) => name === target.component);
    if (isPlanned) this.#othersBegin(revision, target);
  }

  /** Looks at the Jobs that have started since. */
  count(): void {
    const { jobs } = this.#world.ledger;
    for (const { owner, token } of jobs.slice(this.#seen)) {
      const begun = this.#world.ledger.begunWith(token);
      const key = `${begun?.revisionUid ?? ''} ${owner}`;
      const runs = (this.#runs.get(key) ?? 0) + 1;
      this.#runs.set(key, runs);
      if (runs > 1) this.#ranAgain(owner, { token, runs, begun });
    }
    this.#seen = jobs.length;
  }

  /** A revision that ends leaves no hook behind that still runs, unless it is that one's fault. */
  revisionChanged(before: PackageRevision | undefined, after: PackageRevision): void {
    if (after.status?.phase !== 'Failed' || before === undefined || !isRunning(before)) return;
    for (const { name, state } of after.status.hooks ?? []) {
      if (state !== 'Submitted' || !this.#isAtWork(after, name) || this.#isSomebodyElses(after, name)) continue;
      this.#world.ledger.violate('P16', `${nameOfRevision(after)} ends while the Job of its hook ${name} runs`);
    }
  }

  /** Since it began, somebody has changed by hand what delivers it. */
  #isSomebodyElses({ metadata, spec }: PackageRevision, hook: string): boolean {
    const place = (spec.hooks ?? []).find(({ name }) => name === hook);
    return place !== undefined && this.#isTouched({ ...place, revisionUid: metadata.uid, component: hook });
  }

  #isAtWork({ metadata, spec }: PackageRevision, hook: string): boolean {
    const { cluster, ledger } = this.#world;
    return cluster.all('Job').some((job) => {
      const { [OWNER]: owner, [TOKEN]: token = '' } = job.metadata.annotations ?? {};
      if (owner !== `${spec.package}/${hook}` || at(job, 'spec', 'suspend') === true) return false;
      const hasEnded = asArray(at(job, 'status', 'conditions')).length > 0;
      return !hasEnded && ledger.begunWith(token)?.revisionUid === metadata.uid;
    });
  }

  /** A controller that dies in the middle begins anew when it is back, and asks nobody. */
  #ranAgain(
    owner: string,
    { token, runs, begun }: { readonly token: string; readonly runs: number; readonly begun: Begun | undefined },
  ): void {
    const { ledger } = this.#world;
    if (begun !== undefined && this.#isTouched(begun) && !this.#isAskedAgain(owner, begun)) return;
    if (ledger.redone.has(token)) ledger.reach('hook run again by its controller');
    else ledger.violate('I2', `hook ${owner} ran ${String(runs)} times in ${begun?.revision ?? '?'}`);
  }

  /** By hand, since the revision first asked for it. */
  #isTouched(hook: Place & { readonly revisionUid: string | undefined; readonly component: string }): boolean {
    const { ledger } = this.#world;
    const { revisionUid, component } = hook;
    const first = ledger.begun.find((each) => each.revisionUid === revisionUid && each.component === component);
    return ledger.touchedByHand(hook, first?.at ?? 0);
  }

  /** Whatever people do, the operator asks no more for what has run, unless it had no time to see that it was there. */
  #isAskedAgain(owner: string, begun: Begun): boolean {
    const { ledger } = this.#world;
    const ran = ledger.jobs.find((run) => run.owner === owner && this.#revisionOf(run.token) === begun.revisionUid);
    const orders = ledger.begun.filter(
      (each) => each.revisionUid === begun.revisionUid && each.component === begun.component,
    );
    const before = orders.findLast((each) => ran !== undefined && each.at <= ran.at);
    if (before === undefined || !orders.some((each) => each.at > (ran?.at ?? 0))) return false;
    const end = before.at + SEEING_MS;
    const hadNoTime = [...ledger.deaths, ledger.touchedAt(begun) ?? 0].some((at) => at >= before.at && at <= end);
    return !hadNoTime;
  }

  #revisionOf(token: string): string | undefined {
    return this.#world.ledger.begunWith(token)?.revisionUid;
  }

  #hookBegins(revision: PackageRevision, { component }: ReleaseTarget): void {
    const { spec } = revision;
    const moves = spec.fromVersion !== undefined && spec.fromVersion !== spec.version && (spec.restoredFrom ?? 0) === 0;
    if (moves) return;
    const from = spec.fromVersion ?? 'nothing';
    this.#world.ledger.violate('I2', `${nameOfRevision(revision)} runs hook ${component} coming from ${from}`);
  }

  #othersBegin(revision: PackageRevision, { component }: ReleaseTarget): void {
    const pkg = this.#world.cluster.get(ours('Package', revision.spec.package));
    // A removal is no upgrade.
    if (pkg?.metadata.deletionTimestamp !== undefined) return;
    for (const hook of revision.spec.hooks ?? []) {
      if (this.#hasSucceeded(revision, hook.name)) continue;
      const text = `${nameOfRevision(revision)}: ${component} is changed before hook ${hook.name} has succeeded`;
      this.#world.ledger.violate('I3', text);
    }
  }

  #hasSucceeded(revision: PackageRevision, hook: string): boolean {
    const { ledger } = this.#world;
    const owner = `${revision.spec.package}/${hook}`;
    return ledger.jobs.some(
      (run) =>
        run.owner === owner &&
        run.ended === 'well' &&
        ledger.begunWith(run.token)?.revisionUid === revision.metadata.uid,
    );
  }
}

function isHook(revision: PackageRevision, component: string): boolean {
  return (revision.spec.hooks ?? []).some(({ name }) => name === component);
}
