import { KubepkgError } from '../../api/errors.ts';
import type { CliHost } from '../host.ts';
import type { OperatorFlags } from '../operator-flags.ts';
import type { GlobalFlags } from './context.ts';

export interface OperatorWords extends Omit<OperatorFlags, 'packageWorkers' | 'logFormat'>, GlobalFlags {
  readonly packageWorkers?: string | undefined;
  readonly logFormat?: OperatorFlags['logFormat'] | undefined;
}

/** Runs the operator in this process until it is told to stop. */
export async function runOperatorCommand(host: CliHost, words: OperatorWords): Promise<number> {
  for (const flag of ['metricsBindAddress', 'healthProbeBindAddress'] as const) requireAddress(words[flag]);
  const { color: _color, verbose: _verbose, ...flags } = words;
  return host.runOperator({
    ...flags,
    packageWorkers: workersOf(words.packageWorkers),
    logFormat: words.logFormat ?? (host.stderr.isTerminal ? 'text' : 'json'),
  });
}

function workersOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const workers = Number(text);
  if (Number.isInteger(workers) && workers >= 1 && workers <= 1000) return workers;
  throw new KubepkgError('InvalidInput', `--package-workers ${text} is not a number of workers`, {
    hint: 'write a whole number from 1 to 1000',
  });
}

/** `:PORT`, `HOST:PORT`, or `0` for none. */
function requireAddress(address: string): void {
  const port = /^(?:[^\s:]*|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(address)?.[1];
  if (address === '0' || (port !== undefined && Number(port) <= 65_535)) return;
  throw new KubepkgError('InvalidInput', `${JSON.stringify(address)} is not an address to listen on`, {
    hint: 'write :PORT, HOST:PORT, or 0 to switch it off',
  });
}
