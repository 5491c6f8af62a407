import { startHelmController } from './standin.ts';

const USAGE = `A stand-in for Flux's helm-controller, for tests and the demo.

Usage: helm-controller --kubeconfig=FILE --helm=FILE [--pauses=FACTOR] [--deadlines=FACTOR] [--intervals=FACTOR]

The factors are on its pauses (5 s, 750 ms …), on spec.timeout and on spec.interval; 1 when left out.
`;

async function main(): Promise<void> {
  const { kubeconfig, helm, ...factors } = flagsOf(process.argv.slice(2));
  if (kubeconfig === undefined || helm === undefined) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  const timing = Object.fromEntries(Object.entries(factors).map(([name, value]) => [name, Number(value)]));
  const standin = await startHelmController({ kubeconfig, helm, timing });
  process.stdout.write('running\n');
  await interrupted();
  await standin.close();
}

function flagsOf(args: readonly string[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    args.map((arg) => {
      const [name = '', value] = arg.replace(/^--/, '').split('=', 2);
      return [name, value];
    }),
  );
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

await main();
