import { KubepkgError } from '../api/errors.ts';
import { didYouMeanHint } from '../lib/did-you-mean.ts';
import type { CommanderError, CommandTree } from './commander.ts';

interface Mistake {
  readonly message: string;
  readonly hint?: string;
}

interface Place {
  /** That the words belong to: the whole program, where no command is among them. */
  readonly command: CommandTree;
  readonly program: CommandTree;
  /** `kubepkg list`. */
  readonly title: string;
  readonly argv: readonly string[];
}

type Words = readonly [string, string, string];
type Reading = readonly [code: string, text: RegExp, mistake: (words: Words, place: Place) => Mistake];

/** What commander says, and the same in our words. */
const READINGS: readonly Reading[] = [
  // `kubepkg help WORD` of a word that is no command.
  [
    'help',
    /outputHelp/,
    (_words, place) => unknownCommand([place.argv[place.argv.indexOf('help') + 1] ?? '', '', ''], place),
  ],
  ['unknownCommand', /unknown command '(.*)'/, unknownCommand],
  ['unknownOption', /unknown option '(.*)'/, unknownFlag],
  [
    'missingArgument',
    /missing required argument '(.*)'/,
    ([name], place) => ({ message: `${place.title} needs ${argumentText(name, place)}` }),
  ],
  ['excessArguments', /./, (_words, place) => tooMany(place)],
  ['optionMissingArgument', /option '(.*)' argument missing/, ([flag]) => ({ message: `${flag} lacks its value` })],
  [
    'missingMandatoryOptionValue',
    /required option '(.*)' not specified/,
    ([flag], { title }) => ({ message: `${title} needs ${flag}` }),
  ],
  ['invalidArgument', /option '(.*)' argument '(.*)' is invalid\. (.*)/s, wrongValue],
  [
    'invalidArgument',
    /command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)/s,
    ([value, name, why], place) => wrongValue([name, value, why], place),
  ],
];

/** A command line that cannot be understood, in our words: what is wrong with which word, and the one that was meant. */
export function usageError(
  error: InstanceType<typeof CommanderError>,
  program: CommandTree,
  argv: readonly string[],
): KubepkgError {
  const word = argv.find((one) => program.commands.some((command) => command.name() === one));
  const command = program.commands.find((one) => one.name() === word) ?? program;
  const title = command === program ? 'kubepkg' : `kubepkg ${command.name()}`;
  const { message, hint = `see ${title} --help` } = read(error, { command, program, title, argv });
  return new KubepkgError('InvalidInput', message, { hint });
}

function read({ code, message }: InstanceType<typeof CommanderError>, place: Place): Mistake {
  for (const [kind, text, mistake] of READINGS) {
    const found = code === `commander.${kind}` ? text.exec(message) : null;
    if (found === null) continue;
    const [, first = '', second = '', third = ''] = found;
    return mistake([first, second, third], place);
  }
  return { message: message.replace(/^error: /, '').trim() };
}

function unknownCommand([word]: Words, { program }: Place): Mistake {
  const names = program.commands.map((command) => command.name());
  return { message: `there is no command ${word}`, hint: didYouMeanHint(word, names, 'see kubepkg --help') };
}

function unknownFlag([flag]: Words, { command, program, title }: Place): Mistake {
  const message = `${title} has no flag ${flag}`;
  if (/^--version(=|$)/.test(flag)) return { message, hint: 'write the version behind the name: NAME@VERSION' };
  const options = [...new Set([...command.options, ...program.options])].filter(({ hidden }) => !hidden);
  const [name = flag] = flag.split('=');
  // A letter resembles every other one.
  const flags = options.flatMap(({ long }) => long ?? []);
  return { message, ...(name.startsWith('--') ? { hint: didYouMeanHint(name, flags, `see ${title} --help`) } : {}) };
}

function argumentText(name: string, { command }: Place): string {
  const argument = command.registeredArguments.find((one) => one.name() === name);
  const choices = argument?.argChoices ?? [];
  if (choices.length > 0) return `one of ${choices.join(', ')}`;
  return argument?.description === undefined || argument.description === ''
    ? name
    : `<${name}>: ${argument.description}`;
}

function tooMany({ command, title }: Place): Mistake {
  const taken = command.registeredArguments.map((one) => `<${one.name()}>`);
  const extra = command.args.slice(taken.length).map((word) => JSON.stringify(word));
  const takes = taken.length === 0 ? 'no arguments' : `only ${taken.join(' ')}`;
  return { message: `${title} takes ${takes}, and nothing is to be done with ${extra.join(' ')}` };
}

/** `what`: `-o, --output <format>` or the name of an argument. */
function wrongValue([what, value, why]: Words, { title }: Place): Mistake {
  const name = /--[\w-]+/.exec(what)?.[0] ?? `<${what}>`;
  const message = `${name} cannot be ${JSON.stringify(value)}`;
  const choices = /^(?:Allowed choices are|Write one of) (.*)\.$/s.exec(why)?.[1];
  if (choices === undefined)
    return { message, hint: `${why.charAt(0).toLowerCase()}${why.slice(1).replace(/\.$/, '')}` };
  const hint = didYouMeanHint(value, choices.split(', '), `see ${title} --help`);
  return { message: `${message}: it is one of ${choices}`, hint };
}
