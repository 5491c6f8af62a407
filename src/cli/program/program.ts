import type { CliHost } from '../host.ts';
import { addAuthoring } from './authoring.ts';
import { addChanging } from './changing.ts';
import { addLooking } from './looking.ts';
import { addOperating } from './operating.ts';
import { addLocal, runLocally } from './local.ts';
import { addPlanning } from './planning.ts';
import { addRehearsing } from './rehearsing.ts';
import { createProgram, leaveVersion, type Program, type Run } from './options.ts';

interface Part {
  readonly commands: string;
  readonly add: (program: Program, host: CliHost, run: Run) => void;
  /** Some of its commands take the options of `kubepkg operator`. */
  readonly local?: boolean;
}

const OPERATING: Part = { commands: 'crds operator version completion', add: addOperating };

/** In the order of the help. */
const PARTS: readonly Part[] = [
  {
    commands: 'install upgrade rollback retry suspend resume remove adopt wait watch',
    add: addChanging,
    local: true,
  },
  { commands: 'plan', add: addPlanning },
  { commands: 'status list history get values diff events logs', add: addLooking },
  { commands: 'init validate build render push', add: addAuthoring },
  { commands: 'rehearse', add: addRehearsing },
  OPERATING,
];

/**
 * The command line: the whole of it, or, where the first word is that of a command, as much as this one needs. Every
 * action loads its command when it runs. So starting costs the same however many commands there are.
 */
export function buildProgram(host: CliHost, run: Run, word?: string): Program {
  const program = createProgram(host.version);
  const here = runLocally(program, host, run);
  for (const { add } of partsFor(word)) add(program, here.host, here.run);
  addLocal(program);
  leaveVersion(program);
  return program;
}

function partsFor(word: string | undefined): readonly Part[] {
  const part = PARTS.find(({ commands }) => word !== undefined && commands.split(' ').includes(word));
  if (part === undefined) return PARTS;
  return part.local === true ? [part, OPERATING] : [part];
}
