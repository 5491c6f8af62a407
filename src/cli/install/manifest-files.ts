import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { GROUP } from '../../api/names.ts';
import { type Parsed, parsePackage, parsePackageSource } from '../../api/parse.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { asString, at, isJsonObject, isRecord, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { parseYaml, parseYamlDocuments, YamlError } from '../../lib/yaml.ts';
import type { CliHost } from '../host.ts';

/** What the files ask for, as written: nothing is defaulted, so that applying it sets what was given and no more. */
export interface Manifests {
  readonly sources: readonly KubeObject[];
  readonly packages: readonly KubeObject[];
}

const PARSERS: Readonly<Record<string, (object: KubeObject) => Parsed<unknown>>> = {
  PackageSource: (object) => parsePackageSource(object, { strict: true }),
  Package: (object) => parsePackage(object, { strict: true }),
};

export async function readManifests(host: CliHost, files: readonly string[]): Promise<Manifests> {
  const objects: KubeObject[] = [];
  for (const file of files) objects.push(...parseManifests(await readText(host, file), file === '-' ? 'stdin' : file));
  refuseDuplicates(objects);
  return {
    sources: objects.filter((object) => object.kind === 'PackageSource'),
    packages: objects.filter((object) => object.kind === 'Package'),
  };
}

/** Values of one component: an object, or an empty file for none. */
export async function readValues(host: CliHost, file: string): Promise<JsonObject> {
  const text = await readText(host, file);
  const value = asInput(() => parseYaml(text, file)) ?? {};
  if (isJsonObject(value)) return value;
  throw new KubepkgError('InvalidInput', `${file}: values have to be an object`, { hint: 'write KEY: VALUE lines' });
}

const UNREADABLE: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };

export async function readText(host: CliHost, file: string): Promise<string> {
  if (file === '-') return host.readStdin();
  try {
    return await host.readFile(file);
  } catch (error) {
    const code = asString(at(error, 'code'));
    const reason = (code === undefined ? undefined : UNREADABLE[code]) ?? messageOf(error);
    const isFolder = code === 'EISDIR';
    throw new KubepkgError('InvalidInput', `cannot read ${file}: ${reason}`, {
      hint: isFolder ? 'give each of its files by itself' : 'give the path of a file that can be read, or - for stdin',
      cause: error,
    });
  }
}

export function parseManifests(text: string, file: string): readonly KubeObject[] {
  const documents = asInput(() => parseYamlDocuments(text, file)).filter((document) => document !== null);
  if (documents.length === 0) {
    throw new KubepkgError('InvalidInput', `${file} holds no object`, {
      hint: 'write a PackageSource or a Package into it',
    });
  }
  return documents.flatMap(expandList).map((document) => checkManifest(document, file));
}

function asInput<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KubepkgError('InvalidInput', error.message, { hint: 'correct the YAML at that place', cause: error });
  }
}

function expandList(document: JsonValue): readonly JsonValue[] {
  const items = at(document, 'kind') === 'List' ? at(document, 'items') : undefined;
  return Array.isArray(items) ? (items as readonly JsonValue[]) : [document];
}

function checkManifest(document: JsonValue, file: string): KubeObject {
  const kind = asString(at(document, 'kind'));
  const parser = kind === undefined ? undefined : PARSERS[kind];
  if (kind === undefined || parser === undefined || !hasMetadata(document)) throw wrongKind(document, kind, file);
  const parsed = parser(document);
  if (parsed.ok) return withoutServerFields(document);
  throw new KubepkgError('InvalidInput', `${file}: ${parsed.error.message}`, {
    hint: 'correct the file and install again',
  });
}

function hasMetadata(document: JsonValue): document is JsonObject & KubeObject {
  return isRecord(document) && isRecord(document['metadata']);
}

function wrongKind(document: JsonValue, kind: string | undefined, file: string): KubepkgError {
  if (kind !== undefined && PARSERS[kind] !== undefined) {
    return new KubepkgError('InvalidInput', `${file}: a ${kind} has no metadata`, { hint: 'give it metadata.name' });
  }
  const apiVersion = asString(at(document, 'apiVersion')) ?? '';
  const what =
    kind === undefined ? 'a document without a kind' : `a ${kind}${apiVersion === '' ? '' : ` of ${apiVersion}`}`;
  const remedy = `a file may hold PackageSource and Package objects of ${GROUP}`;
  return new KubepkgError('InvalidInput', `${file}: ${what} cannot be installed`, {
    hint: kind === undefined ? remedy : didYouMeanHint(kind, Object.keys(PARSERS), remedy),
  });
}

/** What `kubectl get -o yaml` adds may not be applied. */
function withoutServerFields(object: KubeObject): KubeObject {
  const { name, labels, annotations } = object.metadata;
  const metadata = {
    name,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const { apiVersion, kind, spec } = object;
  return { apiVersion, kind, metadata, ...(spec === undefined ? {} : { spec }) };
}

function refuseDuplicates(objects: readonly KubeObject[]): void {
  const seen = new Set<string>();
  for (const { kind, metadata } of objects) {
    const key = `${kind} ${metadata.name}`;
    if (seen.has(key)) {
      throw new KubepkgError('InvalidInput', `${key} is given twice`, { hint: 'leave one of the two out' });
    }
    seen.add(key);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
