import { GROUP, OPERATOR_NAMESPACE } from '../api/names.ts';
import { ARGO_NAMESPACE, ARGO_PROJECT, BACKENDS, backendNamed, DEFAULT_BACKEND } from '../compose/backend-names.ts';
import { Argument, Command, InvalidArgumentError, Option } from './commander.ts';
import type { CliHost } from './host.ts';
import { SHELLS } from './completion/shells.ts';

/** Takes what a command gives when it has run: the exit code. */
export type Run = (command: () => Promise<number>) => Promise<void>;

type Program = ReturnType<typeof createProgram>;

/**
 * The whole command line. Every action loads its command when it runs, so that starting costs the same however many
 * commands there are.
 */
export function buildProgram(host: CliHost, run: Run): Program {
  const program = createProgram(host.version);
  addInstall(program, host, run);
  addStatus(program, host, run);
  addList(program, host, run);
  addPush(program, host, run);
  addCrds(program, host, run);
  addOperator(program, host, run);
  addVersion(program, host, run);
  addCompletion(program, host, run);
  return program;
}

function createProgram(version: string) {
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

function dataOption(description: string) {
  return new Option('-o, --output <format>', description).choices(['json', 'yaml'] as const);
}

function collect(word: string, words: readonly string[] | undefined): readonly string[] {
  return [...(words ?? []), word];
}

function parseBoolean(word: string): boolean {
  if (word === 'true' || word === 'false') return word === 'true';
  throw new InvalidArgumentError('Write true or false.');
}

function backendOption() {
  return new Option('--backend <name>', 'what delivers the releases of packages that name nothing else')
    .choices(BACKENDS)
    .argParser(parseBackend)
    .default(DEFAULT_BACKEND);
}

function parseBackend(word: string): (typeof BACKENDS)[number] {
  const backend = backendNamed(word);
  if (backend !== undefined) return backend;
  throw new InvalidArgumentError(`Write one of ${BACKENDS.join(', ')}.`);
}

function addInstall(program: Program, host: CliHost, run: Run): void {
  program
    .command('install')
    .description('install packages, or upgrade them, and wait until they are ready')
    .argument('[packages...]', 'NAME or NAME@CONSTRAINT')
    .option('-f, --file <file>', 'PackageSources and Packages to apply, YAML or JSON; - for stdin; repeatable', collect)
    .option('--variant <name>', 'variant of the source')
    .option('--values <component=file>', 'complete values of a component; repeatable', collect)
    .option('--timeout <duration>', 'what each component has to become ready, such as 15m (spec.upgrade.timeout)')
    .option('--no-wait', 'return when the Packages are written')
    .option('--wait-timeout <duration>', 'how long to wait for all of it (default: 30m, or twice --timeout)')
    .option('-y, --yes', 'do not ask')
    .addOption(dataOption('print the Packages'))
    .action((packages, _flags, command) =>
      run(async () => {
        const { runInstall } = await import('./commands/install.ts');
        return runInstall(host, packages, command.optsWithGlobals());
      }),
    );
}

function addStatus(program: Program, host: CliHost, run: Run): void {
  program
    .command('status')
    .description('show one package: why it is as it is, its components, conditions and history')
    .argument('<package>', 'name of the package')
    .option('-w, --watch', 'go on showing it as it changes')
    .addOption(
      new Option('-o, --output <format>', 'how to print it')
        .choices(['table', 'json', 'yaml'] as const)
        .default('table' as const),
    )
    .action((name, _flags, command) =>
      run(async () => {
        const { runStatus } = await import('./commands/status.ts');
        return runStatus(host, name, command.optsWithGlobals());
      }),
    );
}

function addList(program: Program, host: CliHost, run: Run): void {
  program
    .command('list')
    .description('list the packages in the cluster')
    .addOption(
      new Option('-o, --output <format>', 'how to print them')
        .choices(['table', 'wide', 'json', 'yaml'] as const)
        .default('table' as const),
    )
    .action((_flags, command) =>
      run(async () => {
        const { runList } = await import('./commands/list.ts');
        return runList(host, command.optsWithGlobals());
      }),
    );
}

function addPush(program: Program, host: CliHost, run: Run): void {
  const push = program
    .command('push')
    .description('push a package tree to an OCI registry and print the reference that pins it')
    .argument('<dir>', 'folder of the package tree')
    .argument('<ref>', 'oci://HOST/REPOSITORY:TAG')
    .option('--plain-http', 'the registry speaks HTTP without TLS')
    .option('--registry-config <file>', "registry credentials (default: Docker's and Helm's)")
    .option('--ca-file <file>', "certificates that the registry's is checked against, PEM")
    .option('--source <url>', 'where the tree comes from, for org.opencontainers.image.source')
    .option('--revision <text>', 'commit of the tree, for org.opencontainers.image.revision')
    .addOption(dataOption('print reference and digest as data'));
  push.action((directory, reference) =>
    run(async () => {
      const { runPush } = await import('./commands/push.ts');
      return runPush(host, { directory, reference }, push.optsWithGlobals());
    }),
  );
}

function addCrds(program: Program, host: CliHost, run: Run): void {
  program
    .command('crds')
    .description('print the CustomResourceDefinitions: kubepkg crds | kubectl apply --server-side -f -')
    .option('--api-group <group>', 'API group of the kinds', GROUP)
    .addOption(dataOption('format').default('yaml' as const))
    .action((_flags, command) =>
      run(async () => {
        const { runCrds } = await import('./commands/crds.ts');
        return runCrds(host, command.optsWithGlobals());
      }),
    );
}

function addOperator(program: Program, host: CliHost, run: Run): void {
  program
    .command('operator')
    .description('run the operator in this process')
    .addOption(backendOption())
    .option('--package-workers <number>', 'packages that are worked on at once')
    .option('--namespace <name>', "the operator's own namespace", OPERATOR_NAMESPACE)
    .option('--cache-dir <dir>', 'where charts are kept')
    .option('--values-secret <namespace/name>', 'Secret with values that go under those of every component')
    .option('--namespace-label <key=value>', 'label for the namespaces of components; repeatable', collect)
    .option('--helm <file>', 'helm binary (default: the one on PATH)')
    .option('--plain-http', 'registries speak HTTP without TLS', false)
    .option('--registry-config <file>', 'registry credentials')
    .option('--registry-ca-file <file>', "certificates that the registries' are checked against, PEM")
    .option('--flux-pull-secret <name>', 'Secret beside every release for private OCI registries of charts')
    .option('--argo-namespace <name>', 'where Applications are made', ARGO_NAMESPACE)
    .option('--argo-project <name>', 'AppProject of every Application', ARGO_PROJECT)
    .option('--argo-inline-secret-values', 'let values that come from Secrets be written into Applications', false)
    .option('--charts-bind-address <address>', 'where charts are served to controllers; 0 or empty for nowhere', '')
    .option('--charts-url <url>', 'how controllers reach them, such as http://SERVICE.NAMESPACE.svc:8082/charts')
    .option('--metrics-bind-address <address>', 'where metrics are served; 0 for nowhere', ':8080')
    .option('--health-probe-bind-address <address>', 'where health is served; 0 for nowhere', ':8081')
    .option(
      '--leader-elect [boolean]',
      'work only while holding the Lease; false is for one operator alone',
      parseBoolean,
      true,
    )
    .addOption(
      new Option('--log-format <format>', 'how logs are written (default: text on a terminal, else json)').choices([
        'json',
        'text',
      ] as const),
    )
    .addOption(
      new Option('--log-level <level>', 'least severe that is logged')
        .choices(['error', 'warn', 'info', 'debug'] as const)
        .default('info' as const),
    )
    .action((_flags, command) =>
      run(async () => {
        const { runOperatorCommand } = await import('./commands/operator.ts');
        return runOperatorCommand(host, command.optsWithGlobals());
      }),
    );
}

function addVersion(program: Program, host: CliHost, run: Run): void {
  program
    .command('version')
    .description('print the versions of this program and of the cluster')
    .option('--client', 'of this program alone')
    .addOption(dataOption('print them as data'))
    .action((_flags, command) =>
      run(async () => {
        const { runVersion } = await import('./commands/version.ts');
        return runVersion(host, command.optsWithGlobals());
      }),
    );
}

function addCompletion(program: Program, host: CliHost, run: Run): void {
  program
    .command('completion')
    .description('print a completion script: source <(kubepkg completion bash)')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(SHELLS))
    .action((shell) =>
      run(async () => {
        const { runCompletion } = await import('./commands/completion.ts');
        return runCompletion(host, shell);
      }),
    );
}
