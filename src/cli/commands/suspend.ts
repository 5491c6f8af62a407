import type { ChangeFlags } from '../change/flags.ts';
import { suspendJudge } from '../change/judges.ts';
import { setSuspend } from '../change/set-suspend.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';

/** The operator takes no further step; what a backend is at work on is not cut off. */
export function runSuspend(host: CliHost, packages: readonly string[], flags: ChangeFlags): Promise<ExitCode> {
  const goal = { state: 'suspended', reached: ({ name }: { readonly name: string }) => `${name} is suspended` };
  return setSuspend(host, { ...flags, packages }, { suspend: true, done: 'is suspended', judge: suspendJudge, goal });
}
