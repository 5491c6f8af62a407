import type { CliHost } from '../host.ts';
import { addAuthoring } from './authoring.ts';
import { addChanging } from './changing.ts';
import { addLooking } from './looking.ts';
import { addOperating } from './operating.ts';
import { addLocal, runLocally } from './local.ts';
import { addPlanning } from './planning.ts';
import { addRehearsing } from './rehearsing.ts';
import { createProgram, leaveVersion, type Program, type Run } from './options.ts';

/**
 * The whole command line. Every action loads its command when it runs, so that starting costs the same however many
 * commands there are.
 */
export function buildProgram(host: CliHost, run: Run): Program {
  const program = createProgram(host.version);
  const here = runLocally(program, host, run);
  for (const add of [addChanging, addPlanning, addLooking, addAuthoring, addRehearsing, addOperating])
    add(program, host, here);
  addLocal(program);
  leaveVersion(program);
  return program;
}
