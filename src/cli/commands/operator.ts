import { KubepkgError } from '../../api/errors.ts';
import type { CliHost } from '../host.ts';
import type { OperatorFlags } from '../operator-flags.ts';
import type { GlobalFlags } from './context.ts';

type Parsed = 'packageWorkers' | 'logFormat' | 'valuesSecret' | 'namespaceLabels';

export interface OperatorWords extends Omit<OperatorFlags, Parsed>, GlobalFlags {
  readonly packageWorkers?: string | undefined;
  readonly logFormat?: OperatorFlags['logFormat'] | undefined;
  readonly valuesSecret?: string | undefined;
  readonly namespaceLabel?: readonly string[] | undefined;
}

/** Runs the operator in this process until it is told to stop. */
export async function runOperatorCommand(host: CliHost, words: OperatorWords): Promise<number> {
  return host.runOperator(readOperatorWords(host, words));
}

/** Checked, and with what depends on the terminal. */
export function readOperatorWords(host: CliHost, words: OperatorWords): OperatorFlags {
  for (const flag of ['metricsBindAddress', 'healthProbeBindAddress'] as const) requireAddress(words[flag]);
  if (words.chartsBindAddress !== '') requireAddress(words.chartsBindAddress);
  requireCharts(words);
  requireName('--flux-pull-secret', words.fluxPullSecret);
  requireName('--argo-namespace', words.argoNamespace);
  requireName('--argo-project', words.argoProject);
  const { color: _color, verbose: _verbose, namespaceLabel, valuesSecret, ...flags } = words;
  return {
    ...flags,
    packageWorkers: workersOf(words.packageWorkers),
    valuesSecret: secretOf(valuesSecret),
    namespaceLabels: labelsOf(namespaceLabel),
    logFormat: words.logFormat ?? (host.stderr.isTerminal ? 'text' : 'json'),
  };
}

function workersOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const workers = Number(text);
  if (Number.isInteger(workers) && workers >= 1 && workers <= 1000) return workers;
  throw new KubepkgError('InvalidInput', `--package-workers ${text} is not a number of workers`, {
    hint: 'write a whole number from 1 to 1000',
  });
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

function secretOf(text: string | undefined): OperatorFlags['valuesSecret'] {
  if (text === undefined) return undefined;
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (rest.length === 0 && NAME.test(namespace) && NAME.test(name)) return { namespace, name };
  throw new KubepkgError('InvalidInput', `--values-secret ${JSON.stringify(text)} names no Secret`, {
    hint: 'write NAMESPACE/NAME',
  });
}

function requireName(flag: string, name: string | undefined): void {
  if (name === undefined || (NAME.test(name) && name.length <= 253)) return;
  throw new KubepkgError('InvalidInput', `${flag} ${JSON.stringify(name)} is not a name`, {
    hint: 'write lower-case letters, digits, "-" and "."',
  });
}

/** An address that controllers are told must be one that they can make chart addresses of, and lead somewhere. */
function requireCharts({ chartsUrl, chartsBindAddress }: OperatorWords): void {
  if (chartsUrl === undefined) return;
  const url = URL.canParse(chartsUrl) ? new URL(chartsUrl) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && /^[^?#@]*\/charts\/?$/.test(chartsUrl);
  if (!isUsable) {
    throw new KubepkgError('InvalidInput', '--charts-url is not an address that charts can be pulled from', {
      hint: 'write http://SERVICE.NAMESPACE.svc:8082/charts, without credentials or query',
    });
  }
  if (chartsBindAddress !== '' && chartsBindAddress !== '0') return;
  throw new KubepkgError('InvalidInput', `nothing is served at --charts-url ${chartsUrl}`, {
    hint: 'set --charts-bind-address too, such as :8082',
  });
}

const LABEL_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** `key=value`, the key with or without a prefix. */
function labelsOf(texts: readonly string[] | undefined): Readonly<Record<string, string>> | undefined {
  return texts === undefined ? undefined : Object.fromEntries(texts.map((text) => labelOf(text)));
}

function labelOf(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  const [key, value] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
  const slash = key.lastIndexOf('/');
  const isPrefixed = slash < 0 || NAME.test(key.slice(0, slash));
  if (isPrefixed && LABEL_PART.test(key.slice(slash + 1)) && (value === '' || LABEL_PART.test(value)))
    return [key, value];
  throw new KubepkgError('InvalidInput', `--namespace-label ${JSON.stringify(text)} is not a label`, {
    hint: 'write KEY=VALUE, once for each label',
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
