import type { GlobalFlags } from '../commands/context.ts';
import { paintFor } from '../commands/context.ts';
import type { CliHost, Cluster } from '../host.ts';
import { operatorDoubt } from '../install/operator-alive.ts';
import { writeLines } from '../write-lines.ts';

export async function warnWithoutOperator(host: CliHost, flags: GlobalFlags, cluster: Cluster): Promise<void> {
  const doubt = flags.local === true ? undefined : await operatorDoubt(cluster, host.clock.now());
  if (doubt === undefined) return;
  const warning = paintFor(host, flags, 'stderr')('yellow', 'warning:');
  writeLines(host.stderr, [`${warning} no operator seems to be running: ${doubt}; nothing happens until one does`]);
}
