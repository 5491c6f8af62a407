import { ERROR_CODES, type ErrorCode } from '../src/api/errors.ts';
import type { CommandTree, Option } from '../src/cli/commander.ts';
import { EXIT, exitCodeOf } from '../src/cli/exit-codes.ts';
import { buildProgram } from '../src/cli/program/program.ts';
import { CliWorld } from '../test/fakes/cli-world.ts';
import { code, page, prose, table } from './generate-reference.ts';

type ProgramOption = InstanceType<typeof Option>;

/** The whole command line, as one that is never run. */
export function describedProgram(): ReturnType<typeof buildProgram> {
  return buildProgram(new CliWorld().host(), () => Promise.resolve());
}

/** A code that is missing here does not compile. */
const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'it failed: the upgrade, the push, writing the output, or a fault of the program itself',
  usage: 'the command line or a file is wrong, or names something that does not exist',
  notReady: 'not ready in time, and the operator goes on; or an `install` of what a rollback by request holds back',
  cluster:
    'the cluster cannot be reached, refuses, lacks the CustomResourceDefinitions, has no operator for `wait`, or hides from `diff --exit-code` what it compares',
  configuration:
    'the Package or its PackageSource cannot be carried out as written, the rollback is refused, or `validate` found something',
  interrupted: 'interrupted, or the question was answered with no',
};

export function commandsPage(): string {
  const program = describedProgram();
  return page(
    'Commands',
    'Every command with its arguments and options, as `kubepkg COMMAND --help` prints them. [What they are for](../guides/cli.md).',
    '## Options of every command',
    optionTable(program.options),
    ...program.commands.flatMap(commandBlocks),
    '## Exit codes',
    'They are stable; scripts may rely on them. Where an [error](errors.md) ends a command, its code says which one it is.',
    exitTable(),
  );
}

function commandBlocks(command: CommandTree): readonly string[] {
  const shown = command.options.filter(({ hidden }) => !hidden);
  const examples = examplesOf(command);
  return [
    `## kubepkg ${command.name()}`,
    `${code(`kubepkg ${command.name()} ${command.usage()}`)}: ${prose(command.description())}.`,
    ...argumentBlocks(command),
    ...(shown.length === 0 ? [] : [optionTable(shown)]),
    ...(examples.length === 0 ? [] : [['```', ...examples, '```'].join('\n')]),
  ];
}

function argumentBlocks({ registeredArguments }: CommandTree): readonly string[] {
  if (registeredArguments.length === 0) return [];
  const rows = registeredArguments.map((argument) => [
    code(argument.name() + (argument.variadic ? '...' : '')),
    prose(argument.description) + choicesOf(argument.argChoices) + (argument.required ? '' : ' (may be left out)'),
  ]);
  return [table(['Argument', 'Meaning'], rows)];
}

function optionTable(options: readonly ProgramOption[]): string {
  const rows = options.map((option) => [
    code(option.flags),
    defaultOf(option),
    prose(option.description) + choicesOf(option.argChoices) + (option.mandatory ? ' (_required_)' : ''),
  ]);
  return table(['Option', 'Default', 'Meaning'], rows);
}

/** What a flag is when it is not given; that one is off then goes without saying. */
function defaultOf({ defaultValue, negate }: ProgramOption): string {
  const value: unknown = defaultValue;
  if (negate || value === undefined || value === false || value === '') return '';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? '' : `: ${choices.map(code).join(', ')}`;
}

/** As they stand below the help of a command. */
export function examplesOf(command: CommandTree): readonly string[] {
  const help: string[] = [];
  command.configureOutput({ writeOut: (text) => help.push(text) });
  command.outputHelp();
  const [, examples = ''] = help.join('').split('\nExamples:\n');
  return examples
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function exitTable(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  const rows = names.map((name) => {
    const errors = (Object.keys(ERROR_CODES) as ErrorCode[]).filter((each) => exitCodeOf(each) === EXIT[name]);
    return [code(String(EXIT[name])), prose(EXIT_MEANINGS[name]), errors.toSorted().map(code).join(', ')];
  });
  return table(['Code', 'Meaning', 'Errors'], rows);
}
