import { Argument, InvalidArgumentError, Option } from '../commander.ts';
import type { CliHost } from '../host.ts';
import { examples, outputOption, type Program, type Run } from './options.ts';

/** Commands that only look. */
export function addLooking(program: Program, host: CliHost, run: Run): void {
  addStatus(program, host, run);
  addList(program, host, run);
  addHistory(program, host, run);
  addGet(program, host, run);
  addValues(program, host, run);
  addDiff(program, host, run);
  addEvents(program, host, run);
  addLogs(program, host, run);
}

const PACKAGE = 'name of the package';
const ONE_COMPONENT = 'one component or hook of it (default: all)';
/** What `get` gives; the command refuses forms that one of them does not have. */
const THINGS = ['manifest', 'values', 'chart', 'notes'] as const;

function addStatus(program: Program, host: CliHost, run: Run): void {
  program
    .command('status')
    .description('show one package: why it is as it is, down to the pod that fails, and its history')
    .argument('<package>', PACKAGE)
    .option('-a, --all', 'show objects that are ready too')
    .option('-w, --watch', 'go on showing it as it changes, without its objects')
    .addOption(outputOption())
    .addHelpText('after', examples('status shop', 'status shop --all', 'status shop -o json'))
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
    .addHelpText('after', examples('list', 'list -o wide'))
    .action((_flags, command) =>
      run(async () => {
        const { runList } = await import('../commands/list.ts');
        return runList(host, command.optsWithGlobals());
      }),
    );
}

function addHistory(program: Program, host: CliHost, run: Run): void {
  program
    .command('history')
    .description('list the revisions of a package that are kept, oldest first')
    .argument('<package>', PACKAGE)
    .addOption(outputOption())
    .addHelpText('after', examples('history shop', 'history shop -o wide'))
    .action((name, _flags, command) =>
      run(async () => {
        const { runHistory } = await import('../commands/history.ts');
        return runHistory(host, name, command.optsWithGlobals());
      }),
    );
}

function addGet(program: Program, host: CliHost, run: Run): void {
  const get = program
    .command('get')
    .description('print the manifest, values, chart or notes of a revision')
    .addArgument(new Argument('<what>', 'what to print').choices(THINGS))
    .argument('<package>', PACKAGE)
    .argument('[component]', ONE_COMPONENT)
    .addOption(revisionOption('of this revision (default: the newest)'))
    .option('--show-secrets', 'print values that may be secret, and the data of Secrets')
    .addOption(
      new Option('-o, --output <format>', 'how to print it (default: what suits the thing)').choices([
        'table',
        'wide',
        'json',
        'yaml',
        'name',
      ] as const),
    )
    .addHelpText(
      'after',
      examples('get manifest shop', 'get values shop web --revision 3 -o yaml', 'get chart shop', 'get notes shop web'),
    );
  get.action((what, name, component) =>
    run(async () => {
      const { runGet } = await import('../commands/get.ts');
      return runGet(host, { what, name, component }, get.optsWithGlobals());
    }),
  );
}

function addValues(program: Program, host: CliHost, run: Run): void {
  const values = program
    .command('values')
    .description("list the values in force and where each is from; the chart's own are left out")
    .argument('<package>', PACKAGE)
    .argument('[component]', ONE_COMPONENT)
    .option('--wanted', 'what the Package asks for, in force or not')
    .option('--show-secrets', 'print values that may be secret')
    .addOption(
      new Option('-o, --output <format>', 'how to print them')
        .choices(['table', 'json', 'yaml'] as const)
        .default('table' as const),
    )
    .addHelpText('after', examples('values shop', 'values shop web -o yaml --show-secrets > web.yaml'));
  values.action((name, component) =>
    run(async () => {
      const { runValues } = await import('../commands/values.ts');
      return runValues(host, { name, component }, values.optsWithGlobals());
    }),
  );
}

function addDiff(program: Program, host: CliHost, run: Run): void {
  const diff = program
    .command('diff')
    .description('compare two revisions of a package, or one with what runs')
    .argument('<package>', PACKAGE)
    .argument('[component]', ONE_COMPONENT)
    .addOption(new Option('--from <number>', 'revision (default: the one before the other)').argParser(parsePositive))
    .addOption(new Option('--to <number>', 'revision (default: the newest)').argParser(parsePositive))
    .option('--manifests', 'compare the objects that were delivered, rather than what the revisions say')
    .option('--live', 'compare what was delivered with the objects as they are: drift')
    .option('--exit-code', 'end with 1 when there is a difference, with 4 when not all could be compared')
    .option('--show-secrets', 'print values that may be secret')
    .addOption(
      new Option('-o, --output <format>', 'print the differences as data, or what differs by name').choices([
        'json',
        'yaml',
        'name',
      ] as const),
    )
    .addHelpText('after', examples('diff shop', 'diff shop web --from 2 --to 4', 'diff shop --live --exit-code'));
  diff.action((name, component) =>
    run(async () => {
      const { runDiff } = await import('../commands/diff.ts');
      return runDiff(host, { name, component }, diff.optsWithGlobals());
    }),
  );
}

function addEvents(program: Program, host: CliHost, run: Run): void {
  program
    .command('events')
    .description('list the events of a package and of all that belongs to it, oldest first')
    .argument('<package>', PACKAGE)
    .option('-w, --watch', 'go on listing them as they come')
    .option('--types <types>', 'Normal, Warning or both, joined by a comma (default: both)')
    .addOption(outputOption())
    .addHelpText('after', examples('events shop', 'events shop --types Warning', 'events shop --watch'))
    .action((name, _flags, command) =>
      run(async () => {
        const { runEvents } = await import('../commands/events.ts');
        return runEvents(host, name, command.optsWithGlobals());
      }),
    );
}

const DEFAULT_TAIL = 100;

function addLogs(program: Program, host: CliHost, run: Run): void {
  const logs = program
    .command('logs')
    .description('print log lines of pods, also of those that failed and are gone')
    .argument('<package>', PACKAGE)
    .argument('[component]', ONE_COMPONENT)
    .option('--failed', 'of pods that are not ready, and what was kept when the revision failed')
    .option('--hook', 'of hooks alone')
    .addOption(
      new Option('--tail <lines>', 'last lines of each container').argParser(parsePositive).default(DEFAULT_TAIL),
    )
    .option('-f, --follow', 'go on printing what is written, looking once a second')
    .option('-p, --previous', 'of the run before the last restart')
    .addOption(revisionOption('what was kept of this revision (default: the newest)'))
    .addHelpText('after', examples('logs shop', 'logs shop web --follow', 'logs shop --failed --revision 4'));
  logs.action((name, component) =>
    run(async () => {
      const { runLogs } = await import('../commands/logs.ts');
      return runLogs(host, { name, component }, logs.optsWithGlobals());
    }),
  );
}

function revisionOption(description: string) {
  return new Option('--revision <number>', description).argParser(parsePositive);
}

function parsePositive(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word);
  throw new InvalidArgumentError('Write a whole number from 1 on.');
}
