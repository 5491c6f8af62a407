import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { Worker } from '../install/operator-alive.ts';
import { formatAge, parseTime } from '../text/age.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatWrappedTable } from '../text/table.ts';
import { wrap } from '../text/wrap.ts';
import { componentDetail, componentTitle, elapsed, paintState, timeLeft } from './component-lines.ts';
import { componentTree, type TreeScene } from './component-tree.ts';
import { revisionNote } from './history-report.ts';
import { type Moment, STATE_STYLES } from './live-report.ts';
import { nextStep } from './next-step.ts';
import { type PackageReport, reportOn, type RevisionReport, whyText } from './package-report.ts';
import { sayOnce } from './say-once.ts';

export interface StatusMoment extends Moment {
  /** Cells that a line may have; absent: lines are not wrapped, so that they can be copied and searched. */
  readonly columns?: number;
  /** What was read of the components' objects: they are shown as a tree instead of a table. */
  readonly tree?: TreeScene;
  /** Absent: an operator. */
  readonly worker?: Worker;
}

/** All that is known about one package, the reason why it is as it is first. Revisions are oldest first. */
export function statusReport(
  pkg: Package,
  revisions: readonly PackageRevision[],
  moment: StatusMoment,
): readonly string[] {
  const report = reportOn(pkg.metadata.name, { package: pkg, revisions });
  const telling = { ...moment, say: sayOnce() };
  const sections = [
    whyLines(pkg, report, telling),
    factLines(pkg, report),
    ...componentSections(report, revisions, telling),
    conditionTable(pkg, telling),
    historyTable(revisions, telling),
  ];
  return sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : ['', ...section]));
}

/** In the order in which the report is read, so that what is said again is found above. */
interface Telling extends StatusMoment {
  readonly say: (text: string) => string;
}

function whyLines(
  { spec }: Package,
  report: PackageReport,
  { paint, columns = Infinity, worker = 'operator', say }: Telling,
): readonly string[] {
  const state = paint(STATE_STYLES[report.state], report.state);
  const why = report.reason === '' ? 'the operator has not looked at it yet' : say(whyText(report));
  const step = nextStep(report, { worker, suspended: spec.suspend === true, shown: true });
  const lines = [`${paint('bold', report.name)}  ${state}  ${why}`];
  if (step !== undefined) lines.push(`${paint('cyan', 'hint:')} ${step}`);
  return lines.flatMap((line) => wrap(line, columns));
}

function factLines(pkg: Package, { version, revision }: PackageReport): readonly string[] {
  const isSettled = revision === undefined || (revision.phase === 'Applied' && revision.version === version);
  const facts: [string, string][] = [
    // What follows is of another revision than what runs.
    [isSettled ? 'Version' : 'Last applied', version === '' ? 'none applied yet' : version],
    ['Revision', revision === undefined ? 'none' : revisionFact(revision)],
    ['Variant', pkg.spec.variant],
    ['Constraint', pkg.spec.version ?? 'any version'],
    ...(pkg.spec.suspend === true ? [['Suspended', 'yes'] as [string, string]] : []),
    ...Object.entries(pkg.status?.dependencies ?? {}).map(([name, { ready }]): [string, string] => [
      'Requires',
      `${name} (${ready ? 'met' : 'not met'})`,
    ]),
  ];
  const width = Math.max(...facts.map(([title]) => title.length)) + 3;
  return facts.map(([title, value]) => `${`${title}:`.padEnd(width)}${value}`);
}

function revisionFact({ number, version, phase, restoredFrom }: RevisionReport): string {
  const restores = restoredFrom === undefined ? '' : `, restores revision ${String(restoredFrom)}`;
  return `${String(number)} (${version === '' ? 'unversioned' : version}, ${phase}${restores})`;
}

function componentSections(
  { name, revision }: PackageReport,
  revisions: readonly PackageRevision[],
  moment: Telling,
): readonly (readonly string[])[] {
  const { tree } = moment;
  if (tree === undefined) return [componentTable(revision, moment)];
  if (revision === undefined) return [];
  const lines = componentTree(name, revisions, { report: revision, scene: tree, moment });
  return tree.wide === true ? [lines, componentTable(revision, moment)] : [lines];
}

function componentTable(
  revision: RevisionReport | undefined,
  { now, paint, columns = Infinity, say }: Telling,
): readonly string[] {
  if (revision === undefined || revision.components.length === 0) return [];
  const rows = revision.components.map((component, index) => [
    componentTitle(component),
    paintState(component.state, paint),
    String(component.attempt),
    withoutFraction(component.startedAt) ?? '-',
    component.state === 'Ready' ? elapsed(component, now) || '-' : '-',
    timeLeft(component, now) || '-',
    say(componentDetail(revision, index)),
  ]);
  return formatWrappedTable(
    ['COMPONENT', 'STATE', 'ATTEMPT', 'STARTED', 'READY AFTER', 'LEFT', 'MESSAGE'],
    rows,
    columns,
  );
}

function conditionTable(pkg: Package, { now, columns = Infinity, say }: Telling): readonly string[] {
  const conditions = pkg.status?.conditions ?? [];
  if (conditions.length === 0) return [];
  const rows = conditions.map(({ type, status, lastTransitionTime, reason, message }) => [
    type,
    status,
    since(lastTransitionTime, now),
    reason,
    say(oneLine(message)),
  ]);
  return formatWrappedTable(['CONDITION', 'STATUS', 'SINCE', 'REASON', 'MESSAGE'], rows, columns);
}

function historyTable(
  revisions: readonly PackageRevision[],
  { now, columns = Infinity, say }: Telling,
): readonly string[] {
  if (revisions.length === 0) return [];
  const rows = [...revisions].reverse().map((revision) => {
    const { spec, status, metadata } = revision;
    return [
      String(spec.revision),
      spec.version === '' ? '-' : spec.version,
      status?.phase ?? 'Pending',
      since(metadata.creationTimestamp, now),
      revisionNote(revision, say),
    ];
  });
  return formatWrappedTable(['REVISION', 'VERSION', 'PHASE', 'AGE', 'NOTE'], rows, columns);
}

function since(time: string | undefined, now: number): string {
  const start = parseTime(time);
  return start === undefined ? '-' : formatAge(now - start);
}

function withoutFraction(time: string | undefined): string | undefined {
  return time?.replace(/\.\d+Z$/, 'Z');
}
