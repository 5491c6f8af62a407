import { Command, InvalidArgumentError, Option } from '../commander.ts';

/** Takes what a command gives when it has run: the exit code. */
export type Run = (command: () => Promise<number>) => Promise<void>;

export type Program = ReturnType<typeof createProgram>;

export function createProgram(version: string) {
  return new Command('kubepkg')
    .description('A package manager for Kubernetes: Helm releases installed and upgraded as one unit.')
    .version(version, '--version', 'print the version of this program')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help on a command')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .option('--kubeconfig <file>', 'kubeconfig to use (default: KUBECONFIG, then ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: the current one)')
    .option('--no-color', 'no colours; NO_COLOR does the same')
    .option('-v, --verbose', 'more detail when something goes wrong');
}

/** What the same options mean on every command that has them. */
export const MEANING = {
  helm: 'helm binary (default: the one on PATH)',
  cacheDir: 'where charts are kept',
  plainHttp: 'registries speak HTTP without TLS',
  registryConfig: "registry credentials (default: Docker's and Helm's)",
  registryCaFile: "more certificates that the registries' are checked against, PEM; SSL_CERT_FILE is not read",
} as const;

/** For results that a person reads on stderr while they come about, and that are data only when asked for. */
export function dataOption(description: string) {
  return new Option('-o, --output <format>', description).choices(['json', 'yaml'] as const);
}

/** How objects are printed; `name` is one `KIND/NAME` a line, as kubectl prints it. */
export function outputOption() {
  return new Option('-o, --output <format>', 'how to print them')
    .choices(['table', 'wide', 'json', 'yaml', 'name'] as const)
    .default('table' as const);
}

export function collect(word: string, words: readonly string[] | undefined): readonly string[] {
  return [...(words ?? []), word];
}

export function parseBoolean(word: string): boolean {
  if (word === 'true' || word === 'false') return word === 'true';
  throw new InvalidArgumentError('Write true or false.');
}

/**
 * Behind a command, `--version` is that command's own option, or none: commander takes the program's from wherever it
 * stands, and would print a version where somebody meant to choose one.
 */
export function leaveVersion(program: Program): void {
  const parse = program.parseOptions.bind(program);
  program.parseOptions = (words) => {
    const start = words.findIndex((word) => program.commands.some((command) => command.name() === word));
    const index = words.findIndex((word, place) => place > start && /^--version(=|$)/.test(word));
    if (start < 0 || index < 0) return parse(words);
    const own = words.slice(index, words[index] === '--version' ? index + 2 : index + 1);
    const { operands, unknown } = parse(words.toSpliced(index, own.length));
    return { operands, unknown: [...unknown, ...own] };
  };
}

/** Shown below the flags of a command. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  kubepkg ${line}`)].join('\n');
}
