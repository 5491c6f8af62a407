import type { Package } from '../../api/package.ts';
import type { Paint } from '../text/paint.ts';
import { formatTable, formatWrappedTable } from '../text/table.ts';
import { STATE_STYLES } from './live-report.ts';
import { reportOn } from './package-report.ts';
import { conditionOf } from './package-state.ts';

export interface ListStyle {
  readonly paint: Paint;
  readonly wide: boolean;
  /** The message is wrapped to them; absent: it is not. */
  readonly columns?: number;
}

/** F06: what waits is told apart from what has failed. */
export function listReport(
  packages: readonly Package[],
  { paint, wide, columns = Infinity }: ListStyle,
): readonly string[] {
  const header = ['NAME', 'VERSION', 'REVISION', 'READY', 'STATE', 'REASON', ...(wide ? ['MESSAGE'] : [])];
  const sorted = [...packages].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rows = sorted.map((pkg) => row(pkg, { paint, wide }));
  return wide ? formatWrappedTable(header, rows, columns) : formatTable(header, rows);
}

function row(pkg: Package, { paint, wide }: ListStyle): readonly string[] {
  const { name, version, state, reason, message } = reportOn(pkg.metadata.name, { package: pkg, revisions: [] });
  const revision = pkg.status?.currentRevision;
  return [
    name,
    version || '-',
    revision === undefined ? '-' : String(revision),
    conditionOf(pkg, 'Ready')?.status ?? 'Unknown',
    paint(STATE_STYLES[state], state),
    reason || '-',
    ...(wide ? [message] : []),
  ];
}
