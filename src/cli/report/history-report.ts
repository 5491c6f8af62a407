import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { formatAge, parseTime } from '../text/age.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatCutTable, formatWrappedTable } from '../text/table.ts';
import type { Moment } from './live-report.ts';

export interface HistoryStyle extends Moment {
  readonly wide: boolean;
  readonly columns?: number;
}

/** On a narrower terminal a column is left out. */
const LEAST_WIDTH = 60;

/** Oldest first, as they came about; the one that is wanted now has a star. */
export function historyReport(
  pkg: Package,
  revisions: readonly PackageRevision[],
  { now, paint, wide, columns = Infinity }: HistoryStyle,
): readonly string[] {
  const current = pkg.status?.currentRevision ?? revisions.at(-1)?.spec.revision;
  const isNarrow = columns < LEAST_WIDTH && !wide;
  const since = (time: string | undefined): string => {
    if (wide) return time?.replace(/\.\d+Z$/, 'Z') ?? '-';
    const start = parseTime(time);
    if (start === undefined) return '-';
    return isNarrow ? formatAge(now - start) : `${formatAge(now - start)} ago`;
  };
  const rows = revisions.map((revision) => {
    const { spec, status, metadata } = revision;
    const isCurrent = spec.revision === current;
    return [
      isCurrent ? paint('bold', `${String(spec.revision)} *`) : String(spec.revision),
      oneLine(spec.version) || '-',
      status?.phase ?? 'Pending',
      ...(isNarrow ? [] : [since(metadata.creationTimestamp)]),
      since(status?.appliedAt),
      ...(wide ? [oneLine(spec.variant), oneLine(spec.backend ?? '') || '-'] : []),
      revisionNote(revision),
    ];
  });
  const created = isNarrow ? [] : ['CREATED'];
  const more = wide ? ['VARIANT', 'BACKEND'] : [];
  // One line for each revision, so that they can be compared; -o wide has the whole of a note.
  const format = wide ? formatWrappedTable : formatCutTable;
  return format(
    [isNarrow ? 'REV' : 'REVISION', 'VERSION', 'PHASE', ...created, 'APPLIED', ...more, 'NOTE'],
    rows,
    columns,
  );
}

/** `say`: what is said of a message, where a report has said more. */
export function revisionNote({ spec, status }: PackageRevision, say = (text: string): string => text): string {
  const restored = spec.restoredFrom ?? 0;
  const rollback = status?.rollback;
  const parts = [
    restored === 0 ? '' : `restores revision ${String(restored)}`,
    rollback === undefined ? '' : `rollback to revision ${String(rollback.to)}: ${rollback.state}`,
    say(oneLine(status?.message ?? '')),
  ];
  return parts.filter((part) => part !== '').join('; ');
}
