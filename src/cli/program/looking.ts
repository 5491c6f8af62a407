import type { CliHost } from '../host.ts';
import { outputOption, type Program, type Run } from './options.ts';
import { Option } from '../commander.ts';

/** Commands that only look. */
export function addLooking(program: Program, host: CliHost, run: Run): void {
  addStatus(program, host, run);
  addList(program, host, run);
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
        const { runStatus } = await import('../commands/status.ts');
        return runStatus(host, name, command.optsWithGlobals());
      }),
    );
}

function addList(program: Program, host: CliHost, run: Run): void {
  program
    .command('list')
    .description('list the packages in the cluster')
    .addOption(outputOption())
    .action((_flags, command) =>
      run(async () => {
        const { runList } = await import('../commands/list.ts');
        return runList(host, command.optsWithGlobals());
      }),
    );
}
