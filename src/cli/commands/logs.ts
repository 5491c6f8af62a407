import { KubepkgError } from '../../api/errors.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { followLogs, type LogReading, readLog } from '../look/log-follower.ts';
import {
  chooseMembers,
  type Member,
  type PackageScope,
  progressIn,
  requireRevision,
  withScope,
} from '../look/package-scope.ts';
import { keptLogs, type LogSource, logSources, podSelections } from '../look/pod-logs.ts';
import { openSight, type Sight } from '../look/sight.ts';
import { newestFailure } from '../report/failure-evidence.ts';
import { sanitize } from '../text/sanitize.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface LogsFlags extends GlobalFlags {
  readonly failed?: boolean | undefined;
  readonly hook?: boolean | undefined;
  readonly tail: number;
  readonly follow?: boolean | undefined;
  readonly previous?: boolean | undefined;
  readonly revision?: number | undefined;
}

export interface LogsArguments {
  readonly name: string;
  readonly component?: string | undefined;
}

export function runLogs(host: CliHost, { name, component }: LogsArguments, flags: LogsFlags): Promise<ExitCode> {
  refuseContradictions(flags);
  return withScope(host, { name, flags }, async ({ cluster, scope }) => {
    const revision = subjectOf(scope, flags);
    const members = chooseLogMembers(revision, component, flags);
    const sight = openSight(host, cluster);
    const asked = { scope, revision, members, flags };
    const code = flags.follow === true ? await follow(host, sight, asked) : await show(host, sight, asked);
    sight.troubles.report(host, paintFor(host, flags, 'stderr'));
    return code;
  });
}

function refuseContradictions({ follow, previous }: LogsFlags): void {
  if (follow !== true || previous !== true) return;
  throw new KubepkgError('InvalidInput', '--follow does not go with --previous', {
    hint: 'what a container wrote before it was restarted does not grow: leave --follow out',
  });
}

/** With --failed the newest failure, as long as all that came after it only restored what ran before. */
function subjectOf(scope: PackageScope, { revision, failed }: LogsFlags): PackageRevision {
  const newest = requireRevision(scope, revision);
  if (revision !== undefined || failed !== true || newest.status?.evidence !== undefined) return newest;
  const failure = newestFailure(scope.revisions);
  return failure?.status?.evidence === undefined ? newest : failure;
}

function chooseLogMembers(
  revision: PackageRevision,
  component: string | undefined,
  { hook }: LogsFlags,
): readonly Member[] {
  const members = chooseMembers(revision, component).filter(({ part }) => hook !== true || part === 'hooks');
  if (members.length > 0 || hook !== true) return members;
  throw new KubepkgError('NotFound', `revision ${String(revision.spec.revision)} ran no hook`, {
    hint: 'leave --hook out, or name a revision that ran one with --revision',
  });
}

interface Asked {
  readonly scope: PackageScope;
  readonly revision: PackageRevision;
  readonly members: readonly Member[];
  readonly flags: LogsFlags;
}

async function show(host: CliHost, sight: Sight, asked: Asked): Promise<ExitCode> {
  const { revision, flags } = asked;
  const live = await liveReadings(sight, asked);
  // Pods tell more than what was kept of them.
  const isWanted = flags.failed === true || flags.revision !== undefined || live.length === 0;
  const kept = isWanted ? (await keptReadings(sight, asked)).filter((reading) => !isSaidBy(live, reading)) : [];
  const readings = [...kept, ...live];
  if (readings.length === 0) writeLines(host.stderr, [nothingText(asked)]);
  if (kept.length > 0) {
    writeLines(host.stderr, [`lines that were kept when revision ${String(revision.spec.revision)} failed come first`]);
  }
  for (const reading of readings) print(host, reading, readings.length > 1);
  return EXIT.ok;
}

/** While its pod is there, what was kept of a log is a part of what that one says. */
function isSaidBy(live: readonly LogReading[], { source, lines }: LogReading): boolean {
  const own = live.filter(({ source: { pod, container } }) => `.${source.pod}.`.includes(`.${pod}.${container}.`));
  const said = new Set(own.flatMap((reading) => reading.lines));
  return lines.length > 0 && lines.every((line) => said.has(line));
}

function nothingText({ revision, members, flags }: Asked): string {
  const isOver = members.every((member) => member.part === 'hooks' && progressIn(revision, member).state === 'Ready');
  if (isOver && members.length > 0) {
    return `the release of a hook is removed after it has succeeded, and its pods with it: nothing is left of those of revision ${String(revision.spec.revision)}`;
  }
  const what = flags.failed === true ? 'no log lines of failing pods' : 'no log lines';
  return `there are ${what} of revision ${String(revision.spec.revision)}`;
}

async function liveReadings(sight: Sight, { scope, revision, members, flags }: Asked): Promise<readonly LogReading[]> {
  // The pods of an earlier revision are gone; those that run are not its own.
  if (revision !== scope.revisions.at(-1)) return [];
  const sources = await logSources(sight, await podSelections(sight, revision, members), choiceOf(flags));
  const read = await Promise.all(sources.map((source) => readOne(sight, source, flags.tail)));
  return read.flatMap((reading) => reading ?? []);
}

function choiceOf({ failed = false, previous = false }: LogsFlags): { failed: boolean; previous: boolean } {
  return { failed, previous };
}

async function readOne({ cluster, troubles }: Sight, source: LogSource, tail: number): Promise<LogReading | undefined> {
  const what = `the log of pod ${source.namespace}/${source.pod}`;
  // The API server asks the node of a pod, and that one may be away.
  const lines = await troubles.attempt(what, () => readLog(cluster, source, tail), { transient: true });
  return lines === undefined ? undefined : { source, lines };
}

async function keptReadings(sight: Sight, { revision, members, flags }: Asked): Promise<readonly LogReading[]> {
  const kept = await keptLogs(sight, revision, members);
  return kept
    .filter(({ key }) => flags.previous !== true || key.endsWith('.previous'))
    .map(({ component, key, lines }) => ({
      source: { component, namespace: '', pod: key, container: '', previous: false },
      lines: lines.slice(-flags.tail),
    }));
}

async function follow(host: CliHost, sight: Sight, { scope, revision, members, flags }: Asked): Promise<ExitCode> {
  if (revision !== scope.revisions.at(-1)) {
    throw new KubepkgError(
      'InvalidInput',
      `revision ${String(revision.spec.revision)} is not the newest: its logs do not grow`,
      {
        hint: 'leave --follow out',
      },
    );
  }
  const selections = await podSelections(sight, revision, members);
  const paint = paintFor(host, flags, 'stderr');
  const what = `the pods of package ${revision.spec.package}`;
  await followLogs(host, {
    tail: flags.tail,
    read: (source, tailLines) => readOne(sight, source, tailLines),
    sources: async () => {
      const look = (): Promise<readonly LogSource[]> => logSources(sight, selections, choiceOf(flags));
      return (await sight.troubles.attempt(what, look, { transient: true })) ?? [];
    },
    print: (reading, several) => {
      print(host, reading, several);
    },
    looked: () => {
      sight.troubles.report(host, paint);
    },
  });
  return EXIT.interrupted;
}

function print(host: CliHost, { source, lines }: LogReading, several: boolean): void {
  const { component, pod, container, previous } = source;
  const parts = [component, pod, ...(container === '' ? [] : [container]), ...(previous ? ['previous'] : [])];
  const prefix = several ? `[${parts.join('/')}] ` : '';
  writeLines(
    host.stdout,
    lines.map((line) => sanitize(prefix + line)),
  );
}
