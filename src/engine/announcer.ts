import type { KubeObject } from '../api/kube.ts';
import type { PackageStatus } from '../api/package.ts';
import type { PackageRevision } from '../api/package-revision.ts';
import type { Decision } from '../domain/decide/decision.ts';
import type { World } from '../domain/decide/world.ts';
import { type Announcement, blockedRemoval, statusAnnouncements } from '../domain/status/announcements.ts';
import { journalAnnouncements } from '../domain/status/journal-announcements.ts';
import type { EngineDeps } from './engine-deps.ts';

/** What was last seen of a package, and told. */
interface Told {
  readonly revisions: readonly PackageRevision[];
  /** The last thing that held up its removal; it stays told while another try is made. */
  readonly blocked: string | undefined;
}

/**
 * Tells of every transition of a package once, by an Event and in the log. What a former process recorded is not told
 * again: the first look of a process at a journal is where its own telling begins.
 */
export class Announcer {
  readonly #deps: Pick<EngineDeps, 'recorder' | 'log'>;
  readonly #told = new Map<string, Told>();

  constructor(deps: Pick<EngineDeps, 'recorder' | 'log'>) {
    this.#deps = deps;
  }

  /** What is in the journal since the last look, and what holds up a removal. */
  look(about: KubeObject | undefined, world: World, decision: Decision): void {
    if (about === undefined) return;
    const { name } = about.metadata;
    const { revisions } = world;
    const former = this.#told.get(name);
    const blocked = blockedRemoval(world, decision);
    this.#told.set(name, { revisions, blocked: blocked?.message ?? former?.blocked });
    if (former !== undefined) this.#tell(about, journalAnnouncements(former.revisions, revisions));
    if (blocked !== undefined && blocked.message !== former?.blocked) this.#tell(about, [blocked]);
  }

  /** A status that has just been written over another one. */
  status(
    about: KubeObject,
    change: { readonly before: PackageStatus | undefined; readonly after: PackageStatus },
    decision?: Decision,
  ): void {
    this.#tell(about, statusAnnouncements(change.before, change.after, decision));
  }

  forget(name: string): void {
    this.#told.delete(name);
  }

  #tell(about: KubeObject, announcements: readonly Announcement[]): void {
    for (const { type, reason, message } of announcements) {
      this.#deps.recorder.record(about, { type, reason, message });
      this.#deps.log.info('package', { package: about.metadata.name, reason, detail: message });
    }
  }
}
