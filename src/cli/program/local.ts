import { KubepkgError } from '../../api/errors.ts';
import { type CommandTree, Option } from '../commander.ts';
import type { CliHost } from '../host.ts';
import type { LocalWords } from '../local/local-operator.ts';
import type { Program, Run } from './options.ts';

/** Commands that something has to act on. */
const COMMANDS: readonly string[] = [
  'install',
  'upgrade',
  'rollback',
  'retry',
  'suspend',
  'resume',
  'remove',
  'adopt',
  'wait',
  'watch',
];
/** Of the operator, and of no use inside of another command. */
const NOT_LOCAL: readonly string[] = ['--metrics-bind-address', '--health-probe-bind-address', '--log-level'];

/** `--local` on every command that needs an operator, with the operator's own options, which the help leaves out. */
export function addLocal(program: Program): void {
  const operator = program.commands.find((command) => command.name() === 'operator');
  for (const command of program.commands.filter((one) => COMMANDS.includes(one.name()))) {
    command.option('--local', "do the operator's work in this process; takes the options of kubepkg operator too");
    command.addOption(
      new Option('--log-level <level>', 'least severe that is logged with --local')
        .choices(['error', 'warn', 'info', 'debug'])
        .default('error')
        .hideHelp(),
    );
    for (const option of operator?.options ?? []) {
      const isKnown = command.options.some(({ long }) => long === option.long);
      if (isKnown || NOT_LOCAL.includes(option.long ?? '')) continue;
      command.addOption(Object.assign(new Option(option.flags, option.description), option, { hidden: true }));
    }
  }
}

/** Runs what a command does beside an operator of its own, where that was asked for. */
export function runLocally(program: Program, host: CliHost, run: Run): { readonly host: CliHost; readonly run: Run } {
  const subjects = new Set<string>();
  const onSubjects = (names: readonly string[]): void => {
    for (const name of names) subjects.add(name);
  };
  let acting: CommandTree | undefined;
  program.hook('preAction', (_program, command) => {
    acting = command;
  });
  const here: Run = (command) =>
    run(async () => {
      if (acting === undefined || !isLocal(acting)) return command();
      const { withLocalOperator } = await import('../local/local-operator.ts');
      // The options are those of the operator's own command.
      const isNamespaceGiven = acting.getOptionValueSource('namespace') === 'cli';
      const words = acting.optsWithGlobals() as unknown as LocalWords;
      return withLocalOperator(host, words, { run: command, subjects, isNamespaceGiven });
    });
  return { host: { ...host, onSubjects }, run: here };
}

/** The operator's options mean nothing to an operator in the cluster. */
function isLocal(command: CommandTree): boolean {
  if (command.getOptionValue('local') === true) return true;
  const isStray = (option: (typeof command.options)[number]): boolean =>
    option.hidden && command.getOptionValueSource(option.attributeName()) === 'cli';
  const stray = COMMANDS.includes(command.name()) ? command.options.find(isStray) : undefined;
  // A saved plan may have been made where these are elsewhere.
  if (stray === undefined || command.getOptionValue('plan') !== undefined) return false;
  throw new KubepkgError('InvalidInput', `${stray.long ?? stray.flags} is for an operator in this process alone`, {
    hint: 'add --local, or leave it out: an operator in the cluster has options of its own',
  });
}
