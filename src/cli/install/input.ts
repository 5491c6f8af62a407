import { KubepkgError } from '../../api/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { CliHost } from '../host.ts';
import { type Manifests, readManifests, readValues } from './manifest-files.ts';
import {
  type PackageArgument,
  parsePackageArgument,
  parseValuesArgument,
  requireDuration,
} from './package-argument.ts';
import { namesToInstall, type PackageSettings } from './wanted-packages.ts';

/** What the command line says, as written. */
export interface InstallWords {
  readonly packages: readonly string[];
  readonly files: readonly string[];
  readonly variant?: string | undefined;
  /** `COMPONENT=FILE`. */
  readonly values: readonly string[];
  readonly timeout?: string | undefined;
  readonly waitTimeout?: string | undefined;
}

export interface InstallInput {
  readonly names: readonly string[];
  readonly manifests: Manifests;
  readonly settings: ReadonlyMap<string, PackageSettings>;
  readonly waitMs: number;
}

export const DEFAULT_WAIT_MS = 30 * 60_000;

/** Everything that can be wrong without asking the cluster is found here. */
export async function readInput(host: CliHost, words: InstallWords): Promise<InstallInput> {
  const packages = words.packages.map(parsePackageArgument);
  refuseRepeated(packages);
  const timeoutMs = words.timeout === undefined ? 0 : requireDuration('--timeout', words.timeout);
  // A component that may take longer than the usual wait must not end it.
  const defaultWaitMs = Math.max(DEFAULT_WAIT_MS, 2 * timeoutMs);
  const waitMs = words.waitTimeout === undefined ? defaultWaitMs : requireDuration('--wait-timeout', words.waitTimeout);
  refuseTwoStdins(words);
  const manifests = await readManifests(host, words.files);
  const names = namesToInstall(packages, manifests);
  refuseAmbiguous(words, names);
  const shared = { variant: words.variant, timeout: words.timeout, values: await readAllValues(host, words.values) };
  const constraints = new Map(packages.map(({ name, constraint }) => [name, constraint]));
  const settings = new Map(names.map((name) => [name, { ...shared, constraint: constraints.get(name) }]));
  return { names, manifests, settings, waitMs };
}

async function readAllValues(host: CliHost, words: readonly string[]): Promise<Readonly<Record<string, JsonObject>>> {
  const values: Record<string, JsonObject> = {};
  for (const { component, file } of words.map(parseValuesArgument)) {
    if (values[component] !== undefined) {
      throw new KubepkgError('InvalidInput', `--values is given twice for component ${component}`, {
        hint: 'put the values of a component into one file',
      });
    }
    values[component] = await readValues(host, file);
  }
  return values;
}

function refuseRepeated(packages: readonly PackageArgument[]): void {
  const repeated = packages.find(({ name }, index) => packages.findIndex((one) => one.name === name) !== index);
  if (repeated === undefined) return;
  throw new KubepkgError('InvalidInput', `package ${repeated.name} is named twice`, { hint: 'name each package once' });
}

function refuseTwoStdins({ files, values }: InstallWords): void {
  if ([...files, ...values.map((word) => word.slice(word.indexOf('=') + 1))].filter((file) => file === '-').length < 2)
    return;
  throw new KubepkgError('InvalidInput', 'stdin can be read only once', { hint: 'use - for one file alone' });
}

/** Variants and components belong to one package. */
function refuseAmbiguous({ variant, values }: InstallWords, names: readonly string[]): void {
  if (names.length === 1 || (variant === undefined && values.length === 0)) return;
  const flag = variant === undefined ? '--values' : '--variant';
  throw new KubepkgError('InvalidInput', `${flag} does not say which of ${names.join(', ')} it is for`, {
    hint: 'install that package by itself',
  });
}
