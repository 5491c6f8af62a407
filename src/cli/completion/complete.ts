import type { CommandTree } from '../commander.ts';

/** What a completion may offer from the cluster. */
export type DynamicKind = 'Package' | 'PackageSource';

/** What stands before the cursor, understood by the command line's own description. */
export interface Cursor {
  readonly command: CommandTree;
  /** Number of arguments of the command before the current word. */
  readonly argument: number;
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
}

/** Arguments that name objects of the cluster. */
const DYNAMIC_ARGUMENTS: Readonly<Record<string, DynamicKind>> = { install: 'PackageSource', status: 'Package' };

export function readCursor(program: CommandTree, words: readonly string[]): Cursor {
  const current = words.at(-1) ?? '';
  let command = program;
  let argument = 0;
  let option: string | undefined;
  for (const word of words.slice(0, -1)) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith('-') && word !== '-') option = valueOption(command, word);
    else {
      const subcommand = command.commands.find((one) => one.name() === word);
      if (subcommand === undefined) argument += 1;
      else command = subcommand;
    }
  }
  const equals = /^(--[a-z-]+)=/.exec(current);
  if (option !== undefined || equals === null) return { command, argument, option, prefix: current, before: '' };
  const before = equals[0];
  return { command, argument, option: equals[1], prefix: current.slice(before.length), before };
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
  const { command, option, prefix, before } = cursor;
  const all = option === undefined ? completeWord(cursor) : completeValue(command, option);
  const candidates = all.candidates.filter(({ value }) => value.startsWith(prefix));
  return { ...all, candidates: candidates.map((one) => ({ ...one, value: before + one.value })) };
}

function completeValue(command: CommandTree, name: string): Completion {
  const option = optionsOf(command).find(({ long }) => long === name);
  const candidates = (option?.argChoices ?? []).map((value) => ({ value }));
  return { candidates, files: /<(file|dir|component=file)>/.test(option?.flags ?? '') };
}

function completeWord({ command, argument, prefix }: Cursor): Completion {
  if (prefix.startsWith('-')) return { candidates: optionCandidates(command), files: false };
  if (command.commands.length > 0)
    return { candidates: argument === 0 ? commandCandidates(command) : [], files: false };
  const declared = command.registeredArguments;
  const last = declared.at(-1);
  const target = declared[argument] ?? (last?.variadic === true ? last : undefined);
  if (target === undefined) return { candidates: [], files: false };
  const candidates = (target.argChoices ?? []).map((value) => ({ value }));
  return { candidates, files: target.name() === 'dir', dynamic: DYNAMIC_ARGUMENTS[command.name()] };
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
