import type { Paint, Style } from '../text/paint.ts';
import { formatWrappedTable } from '../text/table.ts';
import { wrap } from '../text/wrap.ts';
import { componentDetail, componentTitle, elapsed, paintState, timeLeft } from './component-lines.ts';
import type { PackageState } from './package-state.ts';
import type { ComponentReport, PackageReport } from './package-report.ts';

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

export interface LiveMoment extends Moment {
  /** Cells that a line may have. */
  readonly columns: number;
  /** Lines that there is room for; when they do not suffice, components that are ready or pending are only counted. */
  readonly rows: number;
}

/** The table that is redrawn while packages are awaited. */
export function liveReport(reports: readonly PackageReport[], moment: LiveMoment): readonly string[] {
  const full = reports.flatMap((report) => [...headlines(report, moment), ...componentTable(report, moment)]);
  if (full.length <= moment.rows) return full;
  const folded = (report: PackageReport): readonly string[] => [
    ...headlines(report, moment),
    ...activeTable(report, moment),
  ];
  const lines = reports.flatMap(folded);
  if (lines.length <= moment.rows) return lines;
  // What does not fit is cut off at the end.
  return [...reports].sort((a, b) => URGENCY.indexOf(a.state) - URGENCY.indexOf(b.state)).flatMap(folded);
}

const URGENCY: readonly PackageState[] = ['Failed', 'Progressing', 'Waiting', 'Unknown', 'Ready'];

function headlines(report: PackageReport, { paint, columns }: LiveMoment): readonly string[] {
  const state = paint(STATE_STYLES[report.state], report.state);
  const parts = [paint('bold', report.name), versions(report), state, messageOf(report)].filter((part) => part !== '');
  return wrap(parts.join('  '), columns - 2).map((line, index) => (index === 0 ? line : `  ${line}`).trimEnd());
}

/** What a component waits for is said in its own row. */
function messageOf({ state, reason, message, revision }: PackageReport): string {
  if (reason === '') return 'not seen by the operator yet';
  const isInRow = revision?.components.some((one) => one.state === 'Submitted' && one.message !== '') ?? false;
  return state === 'Progressing' && isInRow ? '' : message;
}

/** What runs, and what it is moving to. */
function versions(report: PackageReport): string {
  const { revision, version } = report;
  if (revision === undefined) return version;
  const label = `${revision.version || 'unversioned'} (revision ${String(revision.number)})`;
  const moves = revision.phase === 'Pending' || revision.phase === 'Applying';
  return moves && version !== '' && version !== revision.version ? `${version} -> ${label}` : label;
}

function componentTable(report: PackageReport, moment: LiveMoment): readonly string[] {
  const { revision } = report;
  if (revision === undefined) return [];
  return tableOf(
    revision.components.map((component, index) => componentRow(component, componentDetail(revision, index), moment)),
    moment,
  );
}

function activeTable(report: PackageReport, moment: LiveMoment): readonly string[] {
  const { revision } = report;
  if (revision === undefined) return [];
  const rows = revision.components.flatMap((component, index) => {
    const isActive = component.state === 'Submitted' || component.state === 'Failed';
    return isActive ? [componentRow(component, componentDetail(revision, index), moment)] : [];
  });
  if (rows.length === 0 && report.state === 'Ready') return [];
  const count = (state: string): string => String(revision.components.filter((one) => one.state === state).length);
  return [...tableOf(rows, moment), `  ${count('Ready')} ready, ${count('Pending')} pending`];
}

/** Columns side by side need more. */
const NARROW = 60;

function tableOf(rows: readonly (readonly string[])[], { paint, columns }: LiveMoment): readonly string[] {
  if (rows.length === 0) return [];
  const width = columns - 2;
  if (columns < NARROW) return rows.flatMap((row) => narrowRow(row, width)).map((line) => `  ${line}`);
  const header = ['COMPONENT', 'STATE', 'TIME', 'LEFT', 'DETAIL'].map((title) => paint('dim', title));
  return formatWrappedTable(header, rows, width).map((line) => `  ${line}`);
}

/** One below the other, so that nothing is cut off. */
function narrowRow(row: readonly string[], width: number): readonly string[] {
  const detail = row.at(-1) ?? '';
  const head = row.slice(0, -1).filter((cell) => cell !== '');
  return [...wrap(head.join(' '), width), ...(detail === '' ? [] : wrap(detail, width - 2).map((line) => `  ${line}`))];
}

function componentRow(component: ComponentReport, detail: string, { now, paint }: Moment): readonly string[] {
  const state = paintState(component.state, paint);
  return [componentTitle(component), state, elapsed(component, now), timeLeft(component, now), detail];
}
