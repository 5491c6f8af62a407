import { InvalidArgumentError, Option } from '../commander.ts';
import type { CliHost } from '../host.ts';
import { collect, examples, MEANING, type Program, type Run } from './options.ts';

/** The command that tries an upgrade on a cluster of its own. */
export function addRehearsing(program: Program, host: CliHost, run: Run): void {
  const rehearse = program
    .command('rehearse')
    .description(
      'try an upgrade on a simulated cluster of its own, with what is to go wrong in it; no cluster is needed',
    )
    .argument('<package>', 'folder of a recipe, file of a PackageSource, or package of your cluster')
    .option('--from <package>', 'the version before, as the argument (default: the same charts, a version lower)')
    .option('--variant <name>', 'variant of the source')
    .option('--values <component=file>', 'complete values of a component; repeatable', collect)
    .option('--timeout <duration>', 'what each component has to become ready')
    .option('--scenario <file>', 'how pods and custom resources behave')
    .option('--fail <component=kind>', 'what fails: never-ready, crash, render or hook; repeatable', collect)
    .option('--kill <step>', 'kill the operator after that step, by number or words')
    .option('--steps', 'list the steps instead of what users see')
    .option('--matrix', 'each component failing in turn, and the operator killed after every step')
    .option('--seed <number>', 'chance of the simulation', parseSeed, 1)
    .addOption(
      new Option('-o, --output <format>', 'how to print what was seen')
        .choices(['table', 'json', 'yaml', 'junit'] as const)
        .default('table' as const),
    )
    .option('--helm <file>', MEANING.helm)
    .option('--cache-dir <dir>', MEANING.cacheDir)
    .option('--plain-http', MEANING.plainHttp, false)
    .option('--registry-config <file>', MEANING.registryConfig)
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
    .addHelpText(
      'after',
      examples(
        'rehearse recipes/shop --from recipes/shop-1.1.0',
        'rehearse recipes/shop --fail app --timeout 2m',
        'rehearse recipes/shop --matrix -o junit',
      ),
    );
  rehearse.action((word) =>
    run(async () => {
      const { runRehearse } = await import('../commands/rehearse.ts');
      return runRehearse(host, word, rehearse.optsWithGlobals());
    }),
  );
}

function parseSeed(word: string): number {
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw new InvalidArgumentError('Write a whole number.');
}
