import { Option } from '../commander.ts';
import type { CliHost } from '../host.ts';
import { collect, type Program, type Run } from './options.ts';

const EXAMPLES = `
Examples:
  kubepkg plan shop -f shop-1.3.yaml
  kubepkg plan 'shop@>=1.3' --fail-on warning -o json
  kubepkg plan shop -f shop-1.3.yaml --save shop.plan`;

/** Commands that say what would be done. */
export function addPlanning(program: Program, host: CliHost, run: Run): void {
  const plan = program
    .command('plan')
    .description('show what an install or upgrade of the same words would do, and what speaks against it')
    .argument('[packages...]', 'NAME or NAME@CONSTRAINT')
    .option('-f, --file <file>', 'PackageSources and Packages, YAML or JSON; - for stdin; repeatable', collect)
    .option('--variant <name>', 'variant of the source')
    .option('--values <component=file>', 'complete values of a component; repeatable', collect)
    .option('--timeout <duration>', 'what each component has to become ready, such as 15m (spec.upgrade.timeout)')
    .addOption(
      new Option('-o, --output <format>', 'how to print it; wide: with objects that are created or deleted in full')
        .choices(['table', 'wide', 'json', 'yaml'] as const)
        .default('table' as const),
    )
    .addOption(
      new Option('--fail-on <severity>', 'end with exit code 1 when there are findings of that severity, or worse')
        .choices(['error', 'warning', 'never'] as const)
        .default('error' as const),
    )
    .option('--save <file>', 'keep the plan, for install --plan')
    .option('--no-objects', 'do not render charts and compare objects')
    .option('--backend <name>', 'backend of packages that name none (default: the one of what is installed)')
    .option('--operator-namespace <name>', "the operator's own namespace")
    .option('--values-secret <namespace/name>', 'as the operator was told')
    .option('--helm <file>', 'helm binary (default: the one on PATH)')
    .option('--cache-dir <dir>', 'where charts are kept')
    .option('--plain-http', 'registries speak HTTP without TLS', false)
    .option('--registry-config <file>', "registry credentials (default: Docker's and Helm's)")
    .option('--registry-ca-file <file>', "certificates that the registries' are checked against, PEM")
    .addHelpText('after', EXAMPLES);
  plan.action((packages) =>
    run(async () => {
      const { runPlan } = await import('../commands/plan.ts');
      return runPlan(host, packages, plan.optsWithGlobals());
    }),
  );
}
