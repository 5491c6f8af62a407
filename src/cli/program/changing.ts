import type { OptionValues, TypedCommand } from '../commander.ts';
import type { CliHost } from '../host.ts';
import { collect, examples, outputOption, type Program, type Run } from './options.ts';
import { addWaiting } from './waiting.ts';

/** Commands that change what runs. */
export function addChanging(program: Program, host: CliHost, run: Run): void {
  addInstall(program, host, run);
  addUpgrade(program, host, run);
  addRollback(program, host, run);
  addRetry(program, host, run);
  addSuspend(program, host, run);
  addResume(program, host, run);
  addRemove(program, host, run);
  addAdopt(program, host, run);
  addWaiting(program, host, run);
}

const FILES = 'PackageSources and Packages to apply, YAML or JSON; - for stdin; repeatable';
const TIMEOUT = 'how long to wait for all of it (default: 30m)';
const DRY_RUN = 'have the API server check the change, write nothing, and say what would be written';

function addInstall(program: Program, host: CliHost, run: Run): void {
  const install = applying(program, 'install')
    .description('install packages, or upgrade them, and wait until they are ready')
    .option('--plan <file>', 'carry out a saved plan as it is (kubepkg plan --save), or refuse if anything has changed')
    .addHelpText(
      'after',
      examples(
        'install shop -f shop.yaml',
        "install 'shop@>=1.2 <2' --values web=web.yaml",
        'install --plan shop.plan --yes',
      ),
    );
  install.action((packages) =>
    run(async () => {
      const { runInstall } = await import('../commands/install.ts');
      return runInstall(host, packages, install.optsWithGlobals());
    }),
  );
}

function addUpgrade(program: Program, host: CliHost, run: Run): void {
  const upgrade = applying(program, 'upgrade')
    .description('the same for packages that are installed; others are refused')
    .addHelpText('after', examples('upgrade shop@1.3.0', 'upgrade shop -f shop-1.3.yaml'));
  upgrade.action((packages) =>
    run(async () => {
      const { runUpgrade } = await import('../commands/upgrade.ts');
      return runUpgrade(host, packages, upgrade.optsWithGlobals());
    }),
  );
}

/** What every command has that writes to a Package and waits for what comes of it. */
function changeOptions<Args extends unknown[], Options extends OptionValues, Globals extends OptionValues>(
  command: TypedCommand<Args, Options, Globals>,
  { noWait, yes = 'do not ask' }: { readonly noWait: string; readonly yes?: string },
) {
  return command
    .option('--no-wait', noWait)
    .option('--timeout <duration>', TIMEOUT)
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', yes)
    .addOption(outputOption());
}

/** A command that applies Packages and their sources. */
function applying(program: Program, name: string) {
  return program
    .command(name)
    .argument('[packages...]', 'NAME or NAME@CONSTRAINT')
    .option('-f, --file <file>', FILES, collect)
    .option('--variant <name>', 'variant of the source')
    .option('--values <component=file>', 'complete values of a component; repeatable', collect)
    .option('--timeout <duration>', 'what each component has to become ready, such as 15m (spec.upgrade.timeout)')
    .option('--no-wait', 'return when the Packages are written')
    .option('--wait-timeout <duration>', 'how long to wait for all of it (default: 30m, or twice --timeout)')
    .option('--dry-run', DRY_RUN)
    .option('-y, --yes', 'do not ask')
    .addOption(outputOption());
}

function addRollback(program: Program, host: CliHost, run: Run): void {
  const rollback = changeOptions(
    program
      .command('rollback')
      .description('go back to a revision that was applied before')
      .argument('<package>', 'name of the package')
      .option('--to <revision>', 'number of the revision (default: the one that was applied before the newest)')
      .option('--force', 'also past versions that do not declare that going back is safe'),
    { noWait: 'return when the rollback is asked for' },
  ).addHelpText('after', examples('rollback shop', 'rollback shop --to 3'));
  rollback.action((name) =>
    run(async () => {
      const { runRollback } = await import('../commands/rollback.ts');
      return runRollback(host, name, rollback.optsWithGlobals());
    }),
  );
}

function addRetry(program: Program, host: CliHost, run: Run): void {
  const retry = changeOptions(
    program
      .command('retry')
      .description('try a failed package again, or apply one that is well once more')
      .argument('<packages...>', 'names of packages'),
    { noWait: 'return when the retry is asked for' },
  ).addHelpText('after', examples('retry shop'));
  retry.action((names) =>
    run(async () => {
      const { runRetry } = await import('../commands/retry.ts');
      return runRetry(host, names, retry.optsWithGlobals());
    }),
  );
}

function addSuspend(program: Program, host: CliHost, run: Run): void {
  const suspend = changeOptions(
    program
      .command('suspend')
      .description('let the operator take no further step with packages; what runs goes on running')
      .argument('<packages...>', 'names of packages'),
    { noWait: 'do not wait until the operator says so', yes: 'do not ask (it never does)' },
  ).addHelpText('after', examples('suspend shop'));
  suspend.action((names) =>
    run(async () => {
      const { runSuspend } = await import('../commands/suspend.ts');
      return runSuspend(host, names, suspend.optsWithGlobals());
    }),
  );
}

function addResume(program: Program, host: CliHost, run: Run): void {
  const resume = changeOptions(
    program
      .command('resume')
      .description('let the operator go on with packages, and wait until they are ready')
      .argument('<packages...>', 'names of packages'),
    { noWait: 'return when the Packages are written', yes: 'do not ask (it never does)' },
  ).addHelpText('after', examples('resume shop'));
  resume.action((names) =>
    run(async () => {
      const { runResume } = await import('../commands/resume.ts');
      return runResume(host, names, resume.optsWithGlobals());
    }),
  );
}

function addRemove(program: Program, host: CliHost, run: Run): void {
  const remove = changeOptions(
    program
      .command('remove')
      .description('uninstall packages that no other one needs, and wait until they are really gone')
      .argument('<packages...>', 'names of packages')
      .option('--autoremove', 'also those that were only pulled in for others, and that nothing needs any more'),
    { noWait: 'return when the removal has begun' },
  ).addHelpText('after', examples('remove shop', 'remove shop --autoremove --dry-run'));
  remove.action((names) =>
    run(async () => {
      const { runRemove } = await import('../commands/remove.ts');
      return runRemove(host, names, remove.optsWithGlobals());
    }),
  );
}

function addAdopt(program: Program, host: CliHost, run: Run): void {
  const adopt = changeOptions(
    program
      .command('adopt')
      .description("make Helm releases that exist the package's own, with the values that they have")
      .argument('<package>', 'NAME or NAME@CONSTRAINT')
      .option(
        '--component <name=namespace/release>',
        'release of a component, where it has another name; repeatable',
        collect,
      )
      .option('-f, --file <file>', FILES, collect)
      .option('--variant <name>', 'variant of the source'),
    { noWait: 'return when the Package is written' },
  ).addHelpText('after', examples('adopt shop -f shop.yaml', 'adopt shop --component web=default/my-web'));
  adopt.action((name) =>
    run(async () => {
      const { runAdopt } = await import('../commands/adopt.ts');
      return runAdopt(host, name, adopt.optsWithGlobals());
    }),
  );
}
