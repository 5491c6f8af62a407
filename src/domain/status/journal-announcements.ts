import { ANNOTATION } from '../../api/names.ts';
import type { ComponentProgress, PackageRevision } from '../../api/package-revision.ts';
import { type Announcement, tell } from './announcements.ts';
import { isRestoring, labelOf } from '../decide/views.ts';

/** What happened between two looks at the journal of a package: only what is recorded is told, so nothing is told that did not happen. */
export function journalAnnouncements(
  before: readonly PackageRevision[],
  after: readonly PackageRevision[],
): readonly Announcement[] {
  return after.flatMap((revision) => {
    const former = before.find(({ metadata }) => metadata.uid === revision.metadata.uid);
    if (former === revision || wasTakenOver(former, revision)) return [];
    return [...creation(former, revision), ...stepsOf(former, revision), ...verdictOf(former, revision)];
  });
}

/** What the Go implementation did is not told as ours. */
function wasTakenOver(former: PackageRevision | undefined, revision: PackageRevision): boolean {
  const markOf = ({ metadata }: PackageRevision): string | undefined => metadata.annotations?.[ANNOTATION.takenOver];
  return former !== undefined && markOf(former) === undefined && markOf(revision) !== undefined;
}

function creation(former: PackageRevision | undefined, { spec }: PackageRevision): readonly Announcement[] {
  if (former !== undefined) return [];
  const { revision, version, fromVersion, restoredFrom = 0 } = spec;
  if (restoredFrom > 0) {
    return [
      tell('RollbackStarted', `revision ${String(revision)} restores revision ${String(restoredFrom)} (${version})`),
    ];
  }
  const moves = fromVersion === undefined || fromVersion === version ? '' : `, from version ${fromVersion}`;
  return [tell('RevisionCreated', `revision ${String(revision)} (${version}) was made${moves}`)];
}

type Part = 'hooks' | 'components' | 'removals';

function stepsOf(former: PackageRevision | undefined, revision: PackageRevision): readonly Announcement[] {
  const parts: readonly Part[] = ['hooks', 'removals', 'components'];
  return parts.flatMap((part) => {
    const all = revision.status?.[part] ?? [];
    return all.flatMap((progress, index) => {
      const known = former?.status?.[part]?.find(({ name }) => name === progress.name);
      const where = `${labelOf(revision)}: ${WORDS[part].noun} ${progress.name} (${String(index + 1)} of ${String(all.length)})`;
      return stepOf({ part, known, progress, where });
    });
  });
}

/** Reasons of the steps of each part; of a removal only its end is told. */
const WORDS = {
  hooks: {
    noun: 'hook',
    begun: 'HookStarted',
    again: 'HookStarted',
    done: 'HookFinished',
    end: 'done',
    failed: 'HookFailed',
  },
  components: {
    noun: 'component',
    begun: 'ComponentSubmitted',
    again: 'ComponentRetried',
    done: 'ComponentReady',
    end: 'ready',
    failed: 'ComponentFailed',
  },
  removals: {
    noun: 'component',
    begun: undefined,
    again: undefined,
    done: 'ComponentRemoved',
    end: 'removed',
    failed: 'ComponentFailed',
  },
} as const satisfies Record<Part, unknown>;

interface StepCase {
  readonly part: Part;
  readonly known: ComponentProgress | undefined;
  readonly progress: ComponentProgress;
  readonly where: string;
}

function stepOf({ part, known, progress, where }: StepCase): readonly Announcement[] {
  const words = WORDS[part];
  const submissions = (progress.attempt ?? 0) - (known?.attempt ?? 0);
  const isFirst = (known?.attempt ?? 0) === 0;
  const begun = isFirst ? words.begun : words.again;
  const submitted =
    submissions > 0 && begun !== undefined ? [tell(begun, `${where} is submitted${isFirst ? '' : ' again'}`)] : [];
  return [...submitted, ...outcomeOf({ part, known, progress, where })];
}

function outcomeOf({ part, known, progress, where }: StepCase): readonly Announcement[] {
  const [was, is] = [known?.state ?? 'Pending', progress.state ?? 'Pending'];
  if (was === is) return [];
  const words = WORDS[part];
  if (is === 'Failed') return [tell(words.failed, `${where} failed${causeOf(progress)}`)];
  if (was === 'Ready')
    return [tell('ComponentNotReady', `${where} was ready and is waited for again${causeOf(progress)}`)];
  return is === 'Ready' && !isUntouched(part, was, progress) ? [tell(words.done, `${where} is ${words.end}`)] : [];
}

function causeOf({ message }: ComponentProgress): string {
  return message === undefined ? '' : `: ${message}`;
}

/** Its release was right already, and ready when the revision came to it: nothing happened. */
function isUntouched(part: Part, was: string, { attempt = 0 }: ComponentProgress): boolean {
  return part === 'components' && was === 'Pending' && attempt === 0;
}

function verdictOf(former: PackageRevision | undefined, revision: PackageRevision): readonly Announcement[] {
  const phase = revision.status?.phase;
  if (phase === former?.status?.phase) return [];
  if (phase === 'Applied') return [successOf(revision)];
  return phase === 'Failed' ? [failureOf(revision)] : [];
}

function successOf(revision: PackageRevision): Announcement {
  const restores = revision.spec.restoredFrom ?? 0;
  const applied = `${labelOf(revision)} is applied`;
  if (restores === 0) return tell('RevisionApplied', applied);
  return tell('RollbackFinished', `${applied}: revision ${String(restores)} runs again`);
}

function failureOf(revision: PackageRevision): Announcement {
  const { failure, rollback } = revision.status ?? {};
  const text = `${labelOf(revision)}: ${failureText(revision)}`;
  if (failure?.code === 'Interrupted') return tell('RevisionInterrupted', text);
  if (isRestoring(revision)) return tell('RollbackNotCompleted', text);
  const next = rollback?.state === 'Owed' ? `; revision ${String(rollback.to)} is going to be restored` : '';
  return tell('RevisionFailed', `${text}${next}`);
}

function failureText({ status = {} }: PackageRevision): string {
  const { failure, message, hooks = [] } = status;
  if (failure === undefined) return message ?? 'it failed';
  const { component } = failure;
  if (component === undefined) return failure.message;
  const noun = hooks.some(({ name }) => name === component) ? 'hook' : 'component';
  return `${noun} ${component}: ${failure.message}`;
}
