import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { operatorFact, seeWorker, warnOfDoubt, type Worker } from '../install/operator-alive.ts';
import { columnsOf } from '../look/columns.ts';
import { readScenes } from '../look/component-scenes.ts';
import { type PackageScope, type ScopedCluster, withScope } from '../look/package-scope.ts';
import { openSight } from '../look/sight.ts';
import { type OutputFormat, printObjects } from '../output-format.ts';
import { statusReport } from '../report/status-report.ts';
import { watchStatus } from '../watch/watch-status.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface StatusFlags extends GlobalFlags {
  readonly output: OutputFormat;
  readonly watch?: boolean | undefined;
  /** Components and objects that are ready too. */
  readonly all?: boolean | undefined;
}

export async function runStatus(host: CliHost, name: string, flags: StatusFlags): Promise<ExitCode> {
  const { output } = flags;
  if (flags.watch === true && output !== 'table') {
    throw new KubepkgError('InvalidInput', `--watch does not go with --output ${output}`, {
      hint: `for data as it changes: kubectl get package ${name} --watch -o ${output}`,
    });
  }
  return withScope(host, { name, flags }, async ({ cluster, scope }) => {
    const sight = await seeWorker(host, flags, cluster);
    const isForPeople = output === 'table' || output === 'wide';
    if (isForPeople) warnOfDoubt(host, flags, sight);
    if (flags.watch === true) return watchStatus(host, { cluster, name, paint: paintFor(host, flags, 'stdout') });
    if (isForPeople) await showTree(host, flags, { cluster, scope, worker: sight.worker });
    else
      printObjects(host.stdout, objectsOf(scope), {
        output,
        table: () => [],
        facts: { operator: operatorFact(sight) },
      });
    return EXIT.ok;
  });
}

function objectsOf({ package: pkg, revisions }: PackageScope): readonly KubeObject[] {
  // Both kinds are objects as any other.
  return [pkg, ...revisions] as unknown as readonly KubeObject[];
}

interface Shown extends ScopedCluster {
  readonly worker: Worker;
}

async function showTree(host: CliHost, flags: StatusFlags, { cluster, scope, worker }: Shown): Promise<void> {
  const all = flags.all === true;
  const wide = flags.output === 'wide';
  const look = openSight(host, cluster);
  const scenes = await readScenes(look, scope, { all });
  const lines = statusReport(scope.package, scope.revisions, {
    now: host.clock.now(),
    paint: paintFor(host, flags, 'stdout'),
    tree: { scenes, all, wide },
    worker,
    ...columnsOf(host.stdout),
  });
  writeLines(host.stdout, lines);
  look.troubles.report(host, paintFor(host, flags, 'stderr'));
}
