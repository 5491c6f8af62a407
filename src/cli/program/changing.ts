import { collect, dataOption } from './options.ts';
import type { CliHost } from '../host.ts';
import type { Program, Run } from './options.ts';

/** Commands that change what runs. */
export function addChanging(program: Program, host: CliHost, run: Run): void {
  addInstall(program, host, run);
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
        const { runInstall } = await import('../commands/install.ts');
        return runInstall(host, packages, command.optsWithGlobals());
      }),
    );
}
