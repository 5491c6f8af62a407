import type { ComponentProgress, PackageRevision, RevisionComponent } from '../../../src/api/package-revision.ts';
import type { DesiredRelease } from '../../../src/ports/backend.ts';
import { recordAt } from '../record.ts';
import type { Stage } from '../stage.ts';
import { nameOfRevision, runningRevision } from './revisions.ts';

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

  /** I1 again, from the backend's side; and nothing is begun that the journal does not announce. */
  deliveryBegins(release: DesiredRelease): void {
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
    if (ledger.completed.has(release.token))
      ledger.violate('J2', `${what}: a delivery that was complete is begun again`);
  }

  #started(revision: PackageRevision, name: string): void {
    const components = revision.spec.components ?? [];
    const index = components.findIndex((component) => component.name === name);
    for (const earlier of components.slice(0, Math.max(0, index))) {
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
  if (record?.delivery !== 'delivered') return `its release is ${record?.delivery ?? 'absent'}`;
  if (record.digest !== component.digest) return 'its release is not the one of this revision';
  const idle = record.inventory.find((ref) => !truth.worked(ref, LAG_MS));
  return idle === undefined ? undefined : `${idle.kind} ${idle.name} does not work`;
}

function progressIn(revision: PackageRevision | undefined, name: string): ComponentProgress | undefined {
  const { components = [], hooks = [] } = revision?.status ?? {};
  return [...components, ...hooks].find((progress) => progress.name === name);
}

/** It was submitted at this revision. */
function isBegun(progress: ComponentProgress | undefined): boolean {
  return (progress?.attempt ?? 0) > 0;
}
