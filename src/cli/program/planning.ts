import { Option } from '../commander.ts';
import type { CliHost } from '../host.ts';
import { collect, examples, MEANING, type Program, type Run } from './options.ts';

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
    .option('--helm <file>', MEANING.helm)
    .option('--cache-dir <dir>', MEANING.cacheDir)
    .option('--plain-http', MEANING.plainHttp, false)
    .option('--registry-config <file>', MEANING.registryConfig)
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
    .addHelpText(
      'after',
      examples(
        'plan shop -f shop-1.3.yaml',
        "plan 'shop@>=1.3' --fail-on warning -o json",
        'plan shop -f shop-1.3.yaml --save shop.plan',
      ),
    );
  plan.action((packages) =>
    run(async () => {
      const { runPlan } = await import('../commands/plan.ts');
      return runPlan(host, packages, plan.optsWithGlobals());
    }),
  );
}
