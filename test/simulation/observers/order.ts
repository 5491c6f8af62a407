import type { PackageRevision, RevisionComponent } from '../../../src/api/package-revision.ts';
import type { DesiredRelease } from '../../../src/ports/backend.ts';
import { recordAt } from '../record.ts';
import type { World } from '../world.ts';
import { nameOfRevision, runningRevision } from './revisions.ts';

/** What an observer may be behind by: late events, slow requests, pauses after errors. */
export const LAG_MS = 60_000;

/** I1: forward, nothing is submitted before all that comes before it are ready. */
export class OrderObserver {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** A component passes from untouched to submitted in the journal. */
  revisionChanged(before: PackageRevision | undefined, after: PackageRevision): void {
    if ((after.spec.restoredFrom ?? 0) > 0) return;
    const former = new Map((before?.status?.components ?? []).map((progress) => [progress.name, progress]));
    for (const progress of after.status?.components ?? []) {
      const was = former.get(progress.name);
      const begun = progress.state === 'Submitted' && (progress.attempt ?? 0) > 0 && (was?.attempt ?? 0) === 0;
      if (begun) this.#started(after, progress.name);
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
    const all = [...(revision.status?.components ?? []), ...(revision.status?.hooks ?? [])];
    const progress = all.find(({ name }) => name === release.component);
    if (progress?.state !== 'Submitted' || (progress.attempt ?? 0) === 0) {
      const state = `${progress?.state ?? 'absent'}, attempt ${String(progress?.attempt ?? 0)}`;
      ledger.violate('J1', `${what} is delivered, and ${nameOfRevision(revision)} says ${state}`);
    }
    if (ledger.completed.has(release.token)) ledger.violate('J2', `${what}: a delivery that was complete is begun again`);
  }

  #started(revision: PackageRevision, name: string): void {
    const components = revision.spec.components ?? [];
    const index = components.findIndex((component) => component.name === name);
    for (const earlier of components.slice(0, Math.max(0, index))) {
      const why = this.#unready(earlier);
      if (why === undefined) continue;
      const text = `${nameOfRevision(revision)}: ${name} is submitted before ${earlier.name} is ready: ${why}`;
      this.#world.ledger.violate('I1', text);
    }
  }

  #unready(component: RevisionComponent): string | undefined {
    const { cluster, truth } = this.#world;
    const record = recordAt(cluster, component);
    if (record?.delivery !== 'delivered') return `its release is ${record?.delivery ?? 'absent'}`;
    if (record.digest !== component.digest) return 'its release is not the one of this revision';
    const idle = record.inventory.find((ref) => !truth.worked(ref, LAG_MS));
    return idle === undefined ? undefined : `${idle.kind} ${idle.name} does not work`;
  }
}
