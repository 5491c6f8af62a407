import { startControlPlane } from './control-plane.ts';
import type { ControlPlane } from './contract.ts';
import type { PartName } from './pins.ts';
import { ALL_PARTS, ARGOCD_PARTS, CORE_PARTS, FLUX_PARTS } from './pins.ts';
import { prepare } from './prepare.ts';
import { UserError } from './user-error.ts';

const USAGE = `A real Kubernetes control plane with fake nodes, for tests and the demo.

Usage:
  controlplane prepare [--argocd] [--flux] [PART...]
                                   build or fetch what is needed, once: these parts, or the core
                                   with those of Argo CD and Flux
  controlplane start [--registry] [--argocd] [--flux] [--nodes=N] [--logs=DIR]
                                   start it, and keep it until Ctrl-C

Parts: ${ALL_PARTS.join(', ')}.`;

const PARTS_OF_FLAGS = new Map<string, readonly PartName[]>([
  ['--argocd', ARGOCD_PARTS],
  ['--flux', FLUX_PARTS],
]);

/** Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  try {
    if (command === 'prepare') return await runPrepare(rest);
    if (command === 'start') return await runStart(rest);
    return usage(command === undefined || command === '--help' || command === 'help');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    tell(`Error: ${error.message}`);
    return 1;
  }
}

function usage(wasAskedFor: boolean): number {
  (wasAskedFor ? print : tell)(USAGE);
  return wasAskedFor ? 0 : 2;
}

async function runPrepare(names: readonly string[]): Promise<number> {
  const named = names.filter((name) => !PARTS_OF_FLAGS.has(name)).map(parsePart);
  const flagged = names.flatMap((name) => PARTS_OF_FLAGS.get(name) ?? []);
  const parts = [...(named.length > 0 ? named : CORE_PARTS), ...flagged];
  const binaries = await prepare({ parts, onProgress: tell });
  for (const [name, path] of Object.entries(binaries)) print(`${name}\t${path}`);
  return 0;
}

function parsePart(name: string): PartName {
  const part = ALL_PARTS.find((known) => known === name);
  if (part !== undefined) return part;
  throw new UserError(`There is no part "${name}".`, `Parts are: ${ALL_PARTS.join(', ')}.`);
}

async function runStart(flags: readonly string[]): Promise<number> {
  const options = parseStartFlags(flags);
  const interrupted = nextInterrupt();
  const plane = await Promise.race([startControlPlane({ ...options, onProgress: tell }), interrupted]);
  // Nothing to stop yet: the processes end with this one.
  if (typeof plane === 'number') return plane;
  announce(plane);
  const code = await interrupted;
  await plane.stop();
  return code;
}

interface StartFlags {
  readonly registry: boolean;
  readonly argocd: boolean;
  readonly flux: boolean;
  readonly nodes: number;
  readonly logDir?: string;
}

function parseStartFlags(flags: readonly string[]): StartFlags {
  let options: StartFlags = { registry: false, argocd: false, flux: false, nodes: 1 };
  for (const flag of flags) {
    const [name, value = ''] = flag.split('=', 2);
    if (flag === '--registry' || flag === '--argocd' || flag === '--flux')
      options = { ...options, [flag.slice(2)]: true };
    else if (name === '--nodes' && /^\d+$/.test(value)) options = { ...options, nodes: Number(value) };
    else if (name === '--logs' && value !== '') options = { ...options, logDir: value };
    else throw new UserError(`"${flag}" is not a flag of start.`, USAGE);
  }
  return options;
}

function announce(plane: ControlPlane): void {
  tell(
    `Ready after ${(plane.startMs / 1000).toFixed(1)} s. Logs: ${plane.logs}. Ctrl-C ends it and removes everything.`,
  );
  print(`export KUBECONFIG=${plane.kubeconfig}`);
  if (plane.registry === undefined) return;
  print(`export REGISTRY=${plane.registry.host}`);
  print(`export REGISTRY_CA=${plane.caFile}`);
  tell('Who uses the registry has to be told of its certificate:');
  tell('  kubepkg … --registry-ca-file "$REGISTRY_CA"    helm … --ca-file "$REGISTRY_CA"');
}

/** Resolves to the exit code that shells expect for the signal. */
function nextInterrupt(): Promise<number> {
  // A pending promise alone does not keep Node alive.
  const alive = setInterval(() => undefined, 60_000);
  return new Promise((resolve) => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      process.once(signal, () => {
        clearInterval(alive);
        resolve(code);
      });
    }
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
