import { readFileSync } from 'node:fs';
import { KubepkgError } from '../../api/errors.ts';
import { isErrno } from '../../lib/errno.ts';
import { asString, at, isRecord } from '../../lib/json.ts';
import { parseYaml, YamlError } from '../../lib/yaml.ts';
import { KubeconfigSection } from './kubeconfig-section.ts';

/** One kubeconfig file, its entries by name. */
export interface KubeconfigFile {
  readonly file: string;
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigSection>;
  readonly contexts: ReadonlyMap<string, KubeconfigSection>;
  readonly users: ReadonlyMap<string, KubeconfigSection>;
}

/** Undefined when there is no such file. */
export function readKubeconfigFile(file: string): KubeconfigFile | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw new KubepkgError('KubeconfigInvalid', `${file} cannot be read: ${asString(at(error, 'code')) ?? 'error'}`, {
      hint: `make ${file} readable, or give another file with --kubeconfig or KUBECONFIG`,
      cause: error,
    });
  }
  return parseKubeconfig(file, text);
}

function parseKubeconfig(file: string, text: string): KubeconfigFile {
  const root = new KubeconfigSection(file, '', parseRoot(file, text));
  return {
    file,
    currentContext: root.string('current-context'),
    clusters: byName(root, 'clusters', 'cluster'),
    contexts: byName(root, 'contexts', 'context'),
    users: byName(root, 'users', 'user'),
  };
}

function parseRoot(file: string, text: string): Readonly<Record<string, unknown>> {
  const parsed = parseText(file, text) ?? {};
  if (isRecord(parsed)) return parsed;
  throw new KubepkgError('KubeconfigInvalid', `${file} is not a kubeconfig: it must be a map`, {
    hint: 'give another file with --kubeconfig or KUBECONFIG',
  });
}

function parseText(file: string, text: string): unknown {
  try {
    return parseYaml(text, file);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // The parser's reason may quote what it read, and that may be a secret.
    const place = `line ${String(error.line)}, column ${String(error.column)}`;
    throw new KubepkgError('KubeconfigInvalid', `${file} is not valid YAML at ${place}`, {
      hint: `correct ${file} there`,
    });
  }
}

function byName(root: KubeconfigSection, list: string, field: string): ReadonlyMap<string, KubeconfigSection> {
  const entries = new Map<string, KubeconfigSection>();
  for (const item of root.sections(list)) {
    const name = item.string('name') ?? '';
    if (entries.has(name))
      throw item.invalid('name', `is "${name}" a second time`, `keep one of the ${list} of that name`);
    entries.set(name, item.section(field) ?? new KubeconfigSection(root.file, `${item.path}.${field}`, {}));
  }
  return entries;
}
