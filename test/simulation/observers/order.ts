import type { ComponentProgress, PackageRevision, RevisionComponent } from '../../../src/api/package-revision.ts';
import { parseTime } from '../../../src/lib/time.ts';
import type { ReleaseTarget } from '../../../src/ports/backend.ts';
import { recordAt, type ReleaseRecord } from '../record.ts';
import type { Stage } from '../stage.ts';
import { nameOfRevision, revisionsOf, runningRevision } from './revisions.ts';

/** What an observer may be behind by: late events, slow requests, pauses after errors. */
const LAG_MS = 60_000;

/** I1: forward, nothing is submitted before all that comes before it are ready. */
export class OrderObserver {
  readonly #world: Stage;

  constructor(world: Stage) {
    this.#world = world;
  }

  /** A component passes from untouched to submitted in the journal. */
  revisionChanged(before: PackageRevision | undefined, after: PackageRevision): void {
    if ((after.spec.restoredFrom ?? 0) > 0) return;
    const { components = [] } = after.status ?? {};
    for (const progress of components) {
      if (isBegun(progress) && !isBegun(progressIn(before, progress.name))) this.#started(after, progress.name);
    }
  }

  /** I1 again, from the other side; and nothing is begun that the journal does not announce. */
  deliveryBegins(release: ReleaseTarget & { readonly token: string }): void {
    const { cluster, ledger } = this.#world;
    const revision = runningRevision(cluster, release.package);
    const what = `release ${release.namespace}/${release.releaseName} of ${release.package}`;
    if (revision === undefined) {
      ledger.violate('P22', `${what} is delivered while no revision is in progress`);
      return;
    }
    const progress = progressIn(revision, release.component);
    if (progress?.state !== 'Submitted' || !isBegun(progress)) {
      const state = progress?.state ?? 'nothing';
      ledger.violate('J1', `${what} is delivered, and ${nameOfRevision(revision)} says ${state} of it`);
    }
    this.#judgeNeed(release, revision);
    this.#judgeRepetition(release, what);
  }

  /** What somebody has removed by hand since is delivered once more. */
  #judgeRepetition(release: ReleaseTarget & { readonly token: string }, what: string): void {
    const { ledger } = this.#world;
    if (!ledger.completed.has(release.token)) return;
    if (ledger.touchedByHand(release, ledger.begunWith(release.token)?.at ?? 0)) return;
    ledger.violate('J2', `${what}: a delivery that was complete is begun again`);
  }

  /** What is as the revision wants it, and as the journal knows it, is left alone. */
  #judgeNeed(release: ReleaseTarget & { readonly token: string }, revision: PackageRevision): void {
    const { cluster, ledger } = this.#world;
    const record = recordAt(cluster, release);
    const component = (revision.spec.components ?? []).find(({ name }) => name === release.component);
    if (record?.delivery !== 'delivered' || record.digest !== component?.digest) return;
    if (record.token === undefined || record.token === release.token || !this.#isNoted(release, record.token)) return;
    const what = `release ${release.namespace}/${release.releaseName} of ${release.package}`;
    ledger.violate('P22', `${what} is delivered again, and was right already`);
  }

  /** The journal knows the record that the attempt with the token made. */
  #isNoted(release: ReleaseTarget, token: string): boolean {
    const { cluster, ledger } = this.#world;
    const begun = ledger.begunWith(token);
    if (begun === undefined || ledger.redone.has(token) || ledger.touchedByHand(release, begun.at)) return false;
    const noted = revisionsOf(cluster, release.package).find(({ metadata }) => metadata.uid === begun.revisionUid);
    // Something else may have been asked for since, which never came to be.
    const isLast = ledger.lastBegunAt(release)?.token === token;
    return isLast && (progressIn(noted, release.component)?.backendRevision ?? 0) > 0;
  }

  #started(revision: PackageRevision, name: string): void {
    const components = revision.spec.components ?? [];
    const index = components.findIndex((component) => component.name === name);
    for (const earlier of components.slice(0, Math.max(0, index))) {
      // What somebody changes by hand in the meantime is told in the end.
      if (isEdited(recordAt(this.#world.cluster, earlier))) continue;
      if (this.#world.ledger.touchedByHand(earlier, parseTime(revision.metadata.creationTimestamp ?? ''))) continue;
      const why = whyUnready(this.#world, earlier);
      if (why === undefined) continue;
      const text = `${nameOfRevision(revision)}: ${name} is submitted before ${earlier.name} is ready: ${why}`;
      this.#world.ledger.violate('I1', text);
    }
  }
}

/** Why a component is not what its revision wants, or does not work; undefined: it is and does, or did a moment ago. */
export function whyUnready({ cluster, truth }: Stage, component: RevisionComponent): string | undefined {
  const record = recordAt(cluster, component);
  if (record !== undefined && isByHand(record)) return undefined;
  if (record?.delivery !== 'delivered') return `its release is ${record?.delivery ?? 'absent'}`;
  if (record.digest !== component.digest) return 'its release is not the one of this revision';
  const idle = record.inventory.find((ref) => !truth.worked(ref, LAG_MS));
  return idle === undefined ? undefined : `${idle.kind} ${idle.name} does not work`;
}

/** By hand: it is no component's as it is. */
export function isEdited(record: ReleaseRecord | undefined): boolean {
  return record !== undefined && record.by !== 'helm' && record.digest === undefined;
}

/** Argo CD tells of a sync that somebody else has started only when it has ended well. */
export function isByHand({ by, delivery, digest }: ReleaseRecord): boolean {
  return by === 'argocd' && delivery !== 'delivered' && digest === undefined;
}

function progressIn(revision: PackageRevision | undefined, name: string): ComponentProgress | undefined {
  const { components = [], hooks = [] } = revision?.status ?? {};
  return [...components, ...hooks].find((progress) => progress.name === name);
}

/** It was submitted at this revision. */
function isBegun(progress: ComponentProgress | undefined): boolean {
  return (progress?.attempt ?? 0) > 0;
}
