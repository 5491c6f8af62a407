import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { requireKinds } from '../cluster-kinds.ts';
import { asPackage, PACKAGES } from '../objects.ts';
import { type DataFormat, formatList } from '../output-format.ts';
import { listReport } from '../report/list-report.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor, withCluster } from './context.ts';

export interface ListFlags extends GlobalFlags {
  readonly output: 'table' | 'wide' | DataFormat;
}

export async function runList(host: CliHost, flags: ListFlags): Promise<ExitCode> {
  return withCluster(host, flags, async ({ cluster }) => {
    await requireKinds(cluster);
    const { items } = await cluster.list(PACKAGES);
    const { output } = flags;
    if (output === 'json' || output === 'yaml') host.stdout.write(formatList(items, output));
    else if (items.length === 0) writeLines(host.stderr, ['no packages are installed']);
    else
      writeLines(
        host.stdout,
        listReport(items.map(asPackage), { paint: paintFor(host, flags, 'stdout'), wide: output === 'wide' }),
      );
    return EXIT.ok;
  });
}
