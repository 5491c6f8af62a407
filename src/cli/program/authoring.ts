import { Option } from '../commander.ts';
import { ARGO_NAMESPACE, ARGO_PROJECT } from '../../compose/backend-names.ts';
import { RENDER_FORMATS } from '../../compose/render-formats.ts';
import type { CliHost } from '../host.ts';
import { collect, dataOption, examples, MEANING, type Program, type Run } from './options.ts';

/** Commands for authors of packages. */
export function addAuthoring(program: Program, host: CliHost, run: Run): void {
  addInit(program, host, run);
  addValidate(program, host, run);
  addBuild(program, host, run);
  addRender(program, host, run);
  addPush(program, host, run);
}

function addInit(program: Program, host: CliHost, run: Run): void {
  const init = program
    .command('init')
    .description('start a package: write a recipe with every source pinned')
    .argument('<dir>', 'folder of the recipe')
    .option('--chart <ref|dir>', 'chart as oci:// or https://HOST/PATH/NAME@VERSION, or a folder; repeatable', collect)
    .option('--manifest <file>', 'manifests, a file or an https:// address; repeatable', collect)
    .option('--name <name>', 'name of the package (default: that of the folder)')
    .option('--namespace <name>', 'namespace of the components (default: the name of the package)')
    .option('--version <version>', 'version that is packaged (default: that of the first chart)')
    .option('--description <text>', 'what the package is, in one line')
    .option('--force', 'replace what is there')
    .option('--helm <file>', MEANING.helm)
    .option('--cache-dir <dir>', MEANING.cacheDir)
    .option('--plain-http', MEANING.plainHttp, false)
    .option('--registry-config <file>', MEANING.registryConfig)
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
    .addHelpText(
      'after',
      examples(
        'init recipes/web --chart oci://registry.example.org/charts/web@1.2.3',
        'init recipes/shop --chart charts/shop --namespace shop',
        'init recipes/operator --manifest operator.yaml --version 1.9.0',
      ),
    );
  init.action((directory) =>
    run(async () => {
      const { runInit } = await import('../commands/init.ts');
      return runInit(host, directory, init.optsWithGlobals());
    }),
  );
}

function addValidate(program: Program, host: CliHost, run: Run): void {
  const validate = program
    .command('validate')
    .description('say of recipes all that can be known without a cluster; writes nothing')
    .argument('<dir...>', 'folders of recipes')
    .addOption(
      new Option('-o, --output <format>', 'how to print the findings')
        .choices(['table', 'json', 'yaml'] as const)
        .default('table' as const),
    )
    .addOption(
      new Option('--fail-on <severity>', 'end with exit code 5 when there are findings of that severity, or worse')
        .choices(['error', 'warning', 'never'] as const)
        .default('error' as const),
    )
    .option('--helm <file>', MEANING.helm)
    .option('--cache-dir <dir>', MEANING.cacheDir)
    .option('--plain-http', MEANING.plainHttp, false)
    .option('--registry-config <file>', MEANING.registryConfig)
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
    .addHelpText('after', examples('validate recipes/shop', 'validate recipes/* --fail-on warning -o json'));
  validate.action((directories) =>
    run(async () => {
      const { runValidate } = await import('../commands/validate.ts');
      return runValidate(host, directories, validate.optsWithGlobals());
    }),
  );
}

function addBuild(program: Program, host: CliHost, run: Run): void {
  const build = program
    .command('build')
    .description('make charts and PackageSource of a recipe; the same recipe gives the same bytes')
    .argument('<dir>', 'folder of the recipe')
    .option('-o, --out <dir>', 'where to write them', 'dist')
    .option('--registry <ref>', 'push the charts below oci://HOST/PATH, and pin them in the PackageSource')
    .option('--no-verify', 'build although spec.verify asks for signatures, which are not checked')
    .option('--cache-dir <dir>', MEANING.cacheDir)
    .option('--plain-http', MEANING.plainHttp, false)
    .option('--registry-config <file>', MEANING.registryConfig)
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
    .addHelpText(
      'after',
      examples('build recipes/shop', 'build recipes/shop --registry oci://registry.example.org/pkgs'),
    );
  build.action((directory) =>
    run(async () => {
      const { runBuild } = await import('../commands/build.ts');
      return runBuild(host, directory, build.optsWithGlobals());
    }),
  );
}

function addRender(program: Program, host: CliHost, run: Run): void {
  const render = program
    .command('render')
    .description('print packages as objects that need no operator; no cluster is asked')
    .argument('<packages...>', 'NAME or NAME@CONSTRAINT')
    .requiredOption('-f, --file <file>', 'PackageSources and Packages, YAML or JSON; - for stdin; repeatable', collect)
    .addOption(
      new Option('--format <format>', 'manifests as helm renders them, or objects for another program')
        .choices(RENDER_FORMATS)
        .default(RENDER_FORMATS[0]),
    )
    .option('--variant <name>', 'variant of the source')
    .option('--values <component=file>', 'complete values of a component; repeatable', collect)
    .option('--argo-namespace <name>', 'where Applications are made', ARGO_NAMESPACE)
    .option('--argo-project <name>', 'AppProject of every Application', ARGO_PROJECT)
    .option('--helm <file>', MEANING.helm)
    .option('--cache-dir <dir>', MEANING.cacheDir)
    .option('--plain-http', MEANING.plainHttp, false)
    .option('--registry-config <file>', MEANING.registryConfig)
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
    .addHelpText('after', examples('render shop -f dist/shop-1.2.0-1.yaml', 'render shop -f shop.yaml --format flux'));
  render.action((packages) =>
    run(async () => {
      const { runRender } = await import('../commands/render.ts');
      return runRender(host, packages, render.optsWithGlobals());
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
    .option('--registry-config <file>', MEANING.registryConfig)
    .option('--registry-ca-file <file>', MEANING.registryCaFile)
    .addOption(new Option('--ca-file <file>', 'former name of --registry-ca-file').hideHelp())
    .option('--source <url>', 'where the tree comes from, for org.opencontainers.image.source')
    .option('--revision <text>', 'commit of the tree, for org.opencontainers.image.revision')
    .option('--force', 'move a tag that names other content')
    .addOption(dataOption('print reference and digest as data'))
    .addHelpText('after', examples('push charts oci://registry.example.org/shop:1.0.0'));
  push.action((directory, reference) =>
    run(async () => {
      const { runPush } = await import('../commands/push.ts');
      const { registryCaFile, caFile = registryCaFile, ...flags } = push.optsWithGlobals();
      return runPush(host, { directory, reference }, { ...flags, caFile });
    }),
  );
}
