import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { KubepkgError } from '../../api/errors.ts';
import { asString, at, isRecord } from '../../lib/json.ts';
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
    if (at(error, 'code') === 'ENOENT') return undefined;
    throw new KubepkgError('KubeconfigInvalid', `${file} cannot be read: ${asString(at(error, 'code')) ?? 'error'}`, {
      hint: `make ${file} readable, or give another file with --kubeconfig or KUBECONFIG`,
      cause: error,
    });
  }
  return parseKubeconfig(file, text);
}

export function parseKubeconfig(file: string, text: string): KubeconfigFile {
  const root = new KubeconfigSection(file, '', parseYaml(file, text));
  return {
    file,
    currentContext: root.string('current-context'),
    clusters: byName(root, 'clusters', 'cluster'),
    contexts: byName(root, 'contexts', 'context'),
    users: byName(root, 'users', 'user'),
  };
}

function parseYaml(file: string, text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = text.trim() === '' ? {} : (load(text) ?? {});
  } catch (error) {
    // The parser's message quotes the lines around the fault, and those may be a key.
    const line = at(error, 'mark', 'line');
    const place = typeof line === 'number' ? ` at line ${String(line + 1)}` : '';
    throw new KubepkgError('KubeconfigInvalid', `${file} is not valid YAML${place}`, {
      hint: `correct ${file}; "kubectl config view" shows the same fault`,
    });
  }
  if (isRecord(parsed)) return parsed;
  throw new KubepkgError('KubeconfigInvalid', `${file} is not a kubeconfig: it must be a map`, {
    hint: `give another file with --kubeconfig or KUBECONFIG`,
  });
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
