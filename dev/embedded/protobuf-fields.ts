import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProjectRoot } from '../controlplane/project-root.ts';

/**
 * Writes down which number each field of the built-in kinds has in protobuf, which helm and some commands of kubectl
 * send: `node dist/dev/extract-protobuf.js`, after `make build`. Read from the modules of the test's control plane.
 */
const TARGET = 'src/embedded/http/data/protobuf-fields.json';
const KINDS = 'src/embedded/kinds/data/kinds.json';

const GROUPS = [
  ...['admissionregistration', 'apps', 'authentication', 'authorization', 'batch', 'certificates', 'coordination'],
  ...['core', 'discovery', 'events', 'networking', 'node', 'policy', 'rbac', 'scheduling', 'storage'],
].map((group) => `${group}/v1`);

const FOLDERS: readonly (readonly [module: string, folder: string])[] = [
  ...[...GROUPS, 'autoscaling/v1', 'autoscaling/v2'].map((folder) => ['k8s.io/api', folder] as const),
  ['k8s.io/apimachinery', 'pkg/apis/meta/v1'],
  ['k8s.io/apiextensions-apiserver', 'pkg/apis/apiextensions/v1'],
  ['k8s.io/kube-aggregator', 'pkg/apis/apiregistration/v1'],
];

/** By field name; the fields of an embedded struct, marked by `>`, stand with those of the struct around it. */
type Numbers = Record<string, number>;

const root = findProjectRoot();
const messages = new Map(FOLDERS.flatMap(([module, folder]) => [...readMessages(folderOf(module), folder)]));
const known = Object.keys((JSON.parse(readFileSync(join(root, KINDS), 'utf8')) as { definitions: object }).definitions);
const lines = [...withEmbedded(known)].map((name) => `${JSON.stringify(name)}:${JSON.stringify(messages.get(name))}`);
const text = `{\n${lines.join(',\n')}\n}\n`;
writeFileSync(join(root, TARGET), text);
console.error(`${TARGET}: ${String(Math.round(text.length / 1024))} KiB`);

function withEmbedded(names: readonly string[]): ReadonlySet<string> {
  const found = names.filter((name) => messages.has(name));
  const embedded = found.flatMap((name) =>
    Object.keys(messages.get(name) ?? {}).flatMap((field) => (field.startsWith('>') ? [field.slice(1)] : [])),
  );
  return new Set(embedded.length === 0 ? found : [...found, ...withEmbedded(embedded)]);
}

function folderOf(module: string): string {
  const cwd = join(root, 'dev/controlplane/k8s');
  return execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd, encoding: 'utf8' }).trim();
}

function readMessages(module: string, folder: string): ReadonlyMap<string, Numbers> {
  const file = join(module, folder, 'generated.proto');
  if (!existsSync(file)) throw new Error(`there is no ${file}`);
  const proto = readFileSync(file, 'utf8');
  const prefix = definitionOf(/^package (.+);$/m.exec(proto)?.[1] ?? '');
  const embedded = embeddedFields(readFileSync(join(module, folder, 'types.go'), 'utf8'));
  const found = proto.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm);
  return new Map(
    [...found].map(([, name = '', body = '']) => [`${prefix}.${name}`, numbersOf(body, { prefix, name, embedded })]),
  );
}

function definitionOf(protoPackage: string): string {
  return protoPackage.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-');
}

interface Around {
  readonly prefix: string;
  readonly name: string;
  /** `Volume.volumeSource` */
  readonly embedded: ReadonlySet<string>;
}

function numbersOf(body: string, { prefix, name, embedded }: Around): Numbers {
  const fields = body.matchAll(/^ {2}(?:optional|repeated|map<[^>]+>) ?(\S*) (\w+) = (\d+);$/gm);
  const plain = [...fields].map(([, type = '', field = '', number]): [string, number] => {
    const isEmbedded = embedded.has(`${name}.${field}`);
    return [isEmbedded ? `>${prefix}.${type}` : field, Number(number)];
  });
  const maps = body.matchAll(/^ {2}map<[^>]+> (\w+) = (\d+);$/gm);
  return Object.fromEntries([
    ...plain,
    ...[...maps].map(([, field = '', number]): [string, number] => [field, Number(number)]),
  ]);
}

function embeddedFields(source: string): ReadonlySet<string> {
  const structs = source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm);
  return new Set(
    [...structs].flatMap(([, name = '', body = '']) =>
      [...body.matchAll(/^\t(\w+) `json:",inline" protobuf:"bytes,\d+,(?:opt|req)(?:,name=(\w+))?"`/gm)].map(
        ([, type = '', field]) => `${name}.${field ?? type.charAt(0).toLowerCase() + type.slice(1)}`,
      ),
    ),
  );
}
