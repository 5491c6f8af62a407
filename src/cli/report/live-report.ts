import type { Paint, Style } from '../text/paint.ts';
import { formatTable } from '../text/table.ts';
import { componentDetail, componentTitle, elapsed, paintState, timeLeft } from './component-lines.ts';
import type { PackageState } from './package-state.ts';
import type { PackageReport, RevisionReport } from './package-report.ts';

export const STATE_STYLES: Readonly<Record<PackageState, Style>> = {
  Ready: 'green',
  Progressing: 'cyan',
  Waiting: 'yellow',
  Failed: 'red',
  Unknown: 'dim',
};

export interface Moment {
  readonly now: number;
  readonly paint: Paint;
}

/** The table that is redrawn while packages are awaited. */
export function liveReport(reports: readonly PackageReport[], moment: Moment): readonly string[] {
  return reports.flatMap((report) => [headline(report, moment.paint), ...componentTable(report, moment)]);
}

export function headline(report: PackageReport, paint: Paint): string {
  const state = paint(STATE_STYLES[report.state], report.state);
  const parts = [paint('bold', report.name), versions(report), state].filter((part) => part !== '');
  const message = report.message === '' ? 'not seen by the operator yet' : report.message;
  return `${parts.join('  ')}  ${report.state === 'Unknown' ? 'not seen by the operator yet' : message}`;
}

/** What runs, and what it is moving to. */
export function versions(report: PackageReport): string {
  const { revision, version } = report;
  if (revision === undefined) return version;
  const label = `${revision.version || 'unversioned'} (revision ${String(revision.number)})`;
  const moves = revision.phase === 'Pending' || revision.phase === 'Applying';
  return moves && version !== '' && version !== revision.version ? `${version} -> ${label}` : label;
}

function componentTable(report: PackageReport, moment: Moment): readonly string[] {
  const { revision } = report;
  if (revision === undefined || revision.components.length === 0) return [];
  const header = ['COMPONENT', 'STATE', 'TIME', 'LEFT', 'DETAIL'].map((title) => moment.paint('dim', title));
  const rows = revision.components.map((_, index) => componentRow(revision, index, moment));
  return formatTable(header, rows).map((line) => `  ${line}`);
}

function componentRow(revision: RevisionReport, index: number, { now, paint }: Moment): readonly string[] {
  const component = revision.components[index];
  if (component === undefined) return [];
  return [
    componentTitle(component),
    paintState(component.state, paint),
    elapsed(component, now),
    timeLeft(component, now),
    componentDetail(revision, index),
  ];
}
