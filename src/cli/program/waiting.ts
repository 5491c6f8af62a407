import { Option } from '../commander.ts';
import type { CliHost } from '../host.ts';
import { examples, outputOption, type Program, type Run } from './options.ts';

/** Commands that follow what runs and change nothing. */
export function addWaiting(program: Program, host: CliHost, run: Run): void {
  addWait(program, host, run);
  addWatch(program, host, run);
}

function addWait(program: Program, host: CliHost, run: Run): void {
  program
    .command('wait')
    .description('wait until packages are ready, or have failed for good')
    .argument('<packages...>', 'names of packages')
    .option('--for <goal>', 'Ready, Available, Removed or condition=TYPE=STATUS', 'Ready')
    .option('--timeout <duration>', 'how long (default: 30m); 0 looks once')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(
        'wait shop',
        'wait shop db --for=Available --timeout 5m',
        'wait shop --for=condition=Stalled=False --timeout 0',
      ),
    )
    .action((names, _flags, command) =>
      run(async () => {
        const { runWait } = await import('../commands/wait.ts');
        return runWait(host, names, command.optsWithGlobals());
      }),
    );
}

function addWatch(program: Program, host: CliHost, run: Run): void {
  program
    .command('watch')
    .description('show packages as they change, until Ctrl-C')
    .argument('[packages...]', 'names of packages (default: all)')
    .addOption(
      new Option('-o, --output <format>', 'how to print them; json: one object a line for each change')
        .choices(['table', 'json'] as const)
        .default('table' as const),
    )
    .addHelpText('after', examples('watch', 'watch shop db', 'watch -o json | jq .state'))
    .action((names, _flags, command) =>
      run(async () => {
        const { runWatch } = await import('../commands/watch.ts');
        return runWatch(host, names, command.optsWithGlobals());
      }),
    );
}
