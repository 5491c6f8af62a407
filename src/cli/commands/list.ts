import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { operatorFact, seeWorker, warnOfDoubt } from '../install/operator-alive.ts';
import { requireKinds } from '../cluster-kinds.ts';
import { columnsOf } from '../look/columns.ts';
import { asPackage, PACKAGES } from '../objects.ts';
import { type OutputFormat, printObjects } from '../output-format.ts';
import { listReport } from '../report/list-report.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor, withCluster } from './context.ts';

export interface ListFlags extends GlobalFlags {
  readonly output: OutputFormat;
}

export async function runList(host: CliHost, flags: ListFlags): Promise<ExitCode> {
  return withCluster(host, flags, async ({ cluster }) => {
    await requireKinds(cluster);
    const [{ items }, sight] = await Promise.all([cluster.list(PACKAGES), seeWorker(host, flags, cluster)]);
    const { output } = flags;
    const isForPeople = output === 'table' || output === 'wide';
    if (isForPeople) warnOfDoubt(host, flags, sight);
    if (items.length === 0 && isForPeople) writeLines(host.stderr, ['no packages are installed']);
    else {
      const table = (wide: boolean): readonly string[] =>
        listReport(items.map(asPackage), { paint: paintFor(host, flags, 'stdout'), wide, ...columnsOf(host.stdout) });
      printObjects(host.stdout, items, { output, table, facts: { operator: operatorFact(sight) } });
    }
    return EXIT.ok;
  });
}
