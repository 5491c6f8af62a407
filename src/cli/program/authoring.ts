import { dataOption } from './options.ts';
import type { CliHost } from '../host.ts';
import type { Program, Run } from './options.ts';

/** Commands for authors of packages. */
export function addAuthoring(program: Program, host: CliHost, run: Run): void {
  addPush(program, host, run);
}

function addPush(program: Program, host: CliHost, run: Run): void {
  const push = program
    .command('push')
    .description('push a package tree to an OCI registry and print the reference that pins it')
    .argument('<dir>', 'folder of the package tree')
    .argument('<ref>', 'oci://HOST/REPOSITORY:TAG')
    .option('--plain-http', 'the registry speaks HTTP without TLS')
    .option('--registry-config <file>', "registry credentials (default: Docker's and Helm's)")
    .option('--ca-file <file>', "certificates that the registry's is checked against, PEM")
    .option('--source <url>', 'where the tree comes from, for org.opencontainers.image.source')
    .option('--revision <text>', 'commit of the tree, for org.opencontainers.image.revision')
    .addOption(dataOption('print reference and digest as data'));
  push.action((directory, reference) =>
    run(async () => {
      const { runPush } = await import('../commands/push.ts');
      return runPush(host, { directory, reference }, push.optsWithGlobals());
    }),
  );
}
