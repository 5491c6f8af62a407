import type { CommandTree } from '../commander.ts';

/** What a completion may offer from the cluster. */
export type DynamicKind = 'Package' | 'PackageSource' | 'Component' | 'Revision' | 'Version';

/** What stands before the cursor, understood by the command line's own description. */
export interface Cursor {
  readonly command: CommandTree;
  /** Number of arguments of the command before the current word. */
  readonly argument: number;
  /** These arguments. */
  readonly given: readonly string[];
  /** Long name of the option whose value is being written. */
  readonly option?: string | undefined;
  /** What has been written of the current word, or of the value in `--option=value`. */
  readonly prefix: string;
  /** What precedes the value in the current word: `--option=`. */
  readonly before: string;
}

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The shell may complete file names. */
  readonly files: boolean;
  readonly dynamic?: DynamicKind | undefined;
  /** The package that a component or a revision is one of. */
  readonly package?: string | undefined;
}

/** Arguments that name objects of the cluster. */
const DYNAMIC_ARGUMENTS: Readonly<Record<string, readonly (DynamicKind | undefined)[]>> = {
  install: ['PackageSource'],
  plan: ['PackageSource'],
  adopt: ['PackageSource'],
  ...Object.fromEntries(
    ['upgrade', 'rollback', 'retry', 'suspend', 'resume', 'remove', 'wait', 'watch'].map((name) => [name, ['Package']]),
  ),
  status: ['Package'],
  history: ['Package'],
  events: ['Package'],
  get: [undefined, 'Package', 'Component'],
  ...Object.fromEntries(['values', 'diff', 'logs'].map((name) => [name, ['Package', 'Component']])),
};

/** Commands whose arguments may be NAME@CONSTRAINT. */
const VERSIONED: readonly string[] = ['install', 'upgrade', 'adopt', 'plan'];

/** Values of options that do. */
const DYNAMIC_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  rollback: ['--to'],
  diff: ['--from', '--to'],
  get: ['--revision'],
  logs: ['--revision'],
};

export function readCursor(program: CommandTree, words: readonly string[]): Cursor {
  const current = words.at(-1) ?? '';
  let command = program;
  const given: string[] = [];
  let option: string | undefined;
  for (const word of words.slice(0, -1)) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith('-') && word !== '-') option = valueOption(command, word);
    else {
      const subcommand = command.commands.find((one) => one.name() === word);
      if (subcommand === undefined) given.push(word);
      else command = subcommand;
    }
  }
  const equals = /^(--[a-z-]+)=/.exec(current);
  const place = { command, argument: given.length, given };
  if (option !== undefined || equals === null) return { ...place, option, prefix: current, before: '' };
  const before = equals[0];
  return { ...place, option: equals[1], prefix: current.slice(before.length), before };
}

/** The option a word names, when its value is still to come. */
function valueOption(command: CommandTree, word: string): string | undefined {
  const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
  return option?.required === true ? option.long : undefined;
}

function optionsOf(command: CommandTree): CommandTree['options'] {
  return command.parent === null ? command.options : [...command.options, ...optionsOf(command.parent)];
}

export function completeStatically(cursor: Cursor): Completion {
  const { option, prefix, before } = cursor;
  const all = option === undefined ? completeWord(cursor) : completeValue(cursor, option);
  const candidates = all.candidates.filter(({ value }) => value.startsWith(prefix));
  return { ...all, candidates: candidates.map((one) => ({ ...one, value: before + one.value })) };
}

function completeValue({ command, given }: Cursor, name: string): Completion {
  const option = optionsOf(command).find(({ long }) => long === name);
  const candidates = (option?.argChoices ?? []).map((value) => ({ value }));
  const files = /<(file|dir|ref\|dir|component=file)>/.test(option?.flags ?? '');
  if (DYNAMIC_OPTIONS[command.name()]?.includes(name) !== true) return { candidates, files };
  return { candidates, files, dynamic: 'Revision', package: packageAmong(command, given) };
}

function dynamicAt({ command, prefix }: Cursor, argument: number): DynamicKind | undefined {
  return versionAt(command, prefix) ?? DYNAMIC_ARGUMENTS[command.name()]?.[argument];
}

function packageAmong(command: CommandTree, given: readonly string[]): string | undefined {
  return given[DYNAMIC_ARGUMENTS[command.name()]?.indexOf('Package') ?? -1];
}

/** What follows the `@` of NAME@CONSTRAINT. */
function versionAt(command: CommandTree, prefix: string): DynamicKind | undefined {
  return prefix.includes('@') && VERSIONED.includes(command.name()) ? 'Version' : undefined;
}

function completeWord(cursor: Cursor): Completion {
  const { command, argument, given, prefix } = cursor;
  if (prefix.startsWith('-')) return { candidates: optionCandidates(command), files: false };
  if (command.commands.length > 0)
    return { candidates: argument === 0 ? commandCandidates(command) : [], files: false };
  const declared = command.registeredArguments;
  const last = declared.at(-1);
  const target = declared[argument] ?? (last?.variadic === true ? last : undefined);
  if (target === undefined) return { candidates: [], files: false };
  const candidates = (target.argChoices ?? []).map((value) => ({ value }));
  const dynamic = dynamicAt(cursor, target.variadic ? declared.length - 1 : argument);
  return { candidates, files: target.name() === 'dir', dynamic, package: packageAmong(command, given) };
}

function optionCandidates(command: CommandTree): readonly Candidate[] {
  const options = optionsOf(command).filter(({ hidden }) => !hidden);
  const named = options.flatMap(({ long, description }) => (long === undefined ? [] : [{ value: long, description }]));
  return [...named, { value: '--help', description: 'print help' }];
}

function commandCandidates(command: CommandTree): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), description: one.description() }));
}
