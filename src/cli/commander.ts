import * as plain from 'commander';
import type * as typed from '@commander-js/extra-typings';

/** Commander as its types-only companion describes it: that one is no dependency at run time. */
const commander = plain as unknown as typeof typed;

export const { Argument, Command, CommanderError, InvalidArgumentError, Option } = commander;
export type CommandTree = typed.CommandUnknownOpts;
export type { Command as TypedCommand, OptionValues } from '@commander-js/extra-typings';
