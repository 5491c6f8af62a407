import { GROUP, OPERATOR_NAMESPACE } from '../../api/names.ts';
import { ARGO_NAMESPACE, ARGO_PROJECT, BACKENDS, backendNamed, DEFAULT_BACKEND } from '../../compose/backend-names.ts';
import { Argument, InvalidArgumentError, Option } from '../commander.ts';
import { SHELLS } from '../completion/shells.ts';
import { collect, dataOption, examples, MEANING, parseBoolean } from './options.ts';
import type { CliHost } from '../host.ts';
import type { Program, Run } from './options.ts';

/** Commands about the program, the operator and the cluster. */
export function addOperating(program: Program, host: CliHost, run: Run): void {
  addCrds(program, host, run);
  addOperator(program, host, run);
  addVersion(program, host, run);
  addCompletion(program, host, run);
}

function addCrds(program: Program, host: CliHost, run: Run): void {
  program
    .command('crds')
    .description('print the CustomResourceDefinitions: kubepkg crds | kubectl apply --server-side -f -')
    .option('--api-group <group>', 'API group of the kinds', GROUP)
    .addOption(dataOption('format').default('yaml' as const))
    .addHelpText('after', examples('crds | kubectl apply --server-side -f -', 'crds -o json'))
    .action((_flags, command) =>
      run(async () => {
        const { runCrds } = await import('../commands/crds.ts');
        return runCrds(host, command.optsWithGlobals());
      }),
    );
}

function addOperator(program: Program, host: CliHost, run: Run): void {
  program
    .command('operator')
    .description('run the operator in this process')
    .addOption(backendOption())
    .option('--package-workers <number>', 'releases that are delivered at once (default: 4)')
    .option('--namespace <name>', "the operator's own namespace", OPERATOR_NAMESPACE)
    .option('--cache-dir <dir>', 'where charts are kept')
    .option('--values-secret <namespace/name>', 'Secret with values that go under those of every component')
    .option('--namespace-label <key=value>', 'label for the namespaces of components; repeatable', collect)
    .option('--helm <file>', 'helm binary (default: the one on PATH)')
    .option('--plain-http', 'registries speak HTTP without TLS', false)
    .option('--registry-config <file>', 'registry credentials')
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
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
    .addHelpText(
      'after',
      examples('operator', 'operator --backend flux --package-workers 8', 'operator --values-secret platform/values'),
    )
    .action((_flags, command) =>
      run(async () => {
        const { runOperatorCommand } = await import('../commands/operator.ts');
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
    .addHelpText('after', examples('version', 'version --client -o json'))
    .action((_flags, command) =>
      run(async () => {
        const { runVersion } = await import('../commands/version.ts');
        return runVersion(host, command.optsWithGlobals());
      }),
    );
}

function addCompletion(program: Program, host: CliHost, run: Run): void {
  program
    .command('completion')
    .description('print a completion script: source <(kubepkg completion bash)')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(SHELLS))
    .addHelpText('after', examples('completion bash > /etc/bash_completion.d/kubepkg', 'completion fish | source'))
    .action((shell) =>
      run(async () => {
        const { runCompletion } = await import('../commands/completion.ts');
        return runCompletion(host, shell);
      }),
    );
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
