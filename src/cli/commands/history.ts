import type { KubeObject } from '../../api/kube.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { withScope } from '../look/package-scope.ts';
import { columnsOf } from '../look/columns.ts';
import { type OutputFormat, printObjects } from '../output-format.ts';
import { historyReport } from '../report/history-report.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface HistoryFlags extends GlobalFlags {
  readonly output: OutputFormat;
}

export function runHistory(host: CliHost, name: string, flags: HistoryFlags): Promise<ExitCode> {
  const { output } = flags;
  return withScope(host, { name, flags }, ({ scope }) => {
    const { package: pkg, revisions } = scope;
    const moment = { now: host.clock.now(), paint: paintFor(host, flags, 'stdout'), ...columnsOf(host.stdout) };
    const table = (wide: boolean): readonly string[] => historyReport(pkg, revisions, { ...moment, wide });
    const isForPeople = output === 'table' || output === 'wide';
    if (revisions.length === 0 && isForPeople) writeLines(host.stderr, [`package ${name} has no revision yet`]);
    else printObjects(host.stdout, revisions as unknown as readonly KubeObject[], { output, table });
    return Promise.resolve(EXIT.ok);
  });
}
