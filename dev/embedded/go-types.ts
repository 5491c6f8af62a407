import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../controlplane/processes.ts';

/** How a field is written when it is empty: not at all, always with its zero value, or as null. */
export type WhenEmpty = 'omit' | 'zero' | 'null';

/** By definition and field: what Go's tags say and OpenAPI does not. Pointers that may be absent are left out. */
export type GoFields = ReadonlyMap<string, ReadonlyMap<string, WhenEmpty>>;

interface GoPackage {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** Named types that are no structs: `type ResourceList map[ResourceName]resource.Quantity`. */
  readonly named: ReadonlyMap<string, string>;
  readonly models: ReadonlyMap<string, string>;
}

interface GoField {
  /** Absent: an embedded struct. */
  readonly name: string | undefined;
  readonly type: string;
  readonly options: readonly string[];
}

const API_GROUPS = [
  'admissionregistration',
  'apps',
  'authentication',
  'authorization',
  'autoscaling',
  'batch',
  'certificates',
  'coordination',
  'core',
  'discovery',
  'events',
  'networking',
  'node',
  'policy',
  'rbac',
  'scheduling',
  'storage',
];

const FOLDERS: readonly (readonly [module: string, folder: string])[] = [
  ...API_GROUPS.map((group) => ['k8s.io/api', `${group}/v1`] as const),
  ['k8s.io/api', 'autoscaling/v2'],
  ['k8s.io/apimachinery', 'pkg/apis/meta/v1'],
  ['k8s.io/apiextensions-apiserver', 'pkg/apis/apiextensions/v1'],
  ['k8s.io/kube-aggregator', 'pkg/apis/apiregistration/v1'],
];

/** Types that write themselves, and as what when they are empty. */
const OWN_TYPES: Readonly<Record<string, WhenEmpty>> = {
  Time: 'null',
  MicroTime: 'null',
  RawExtension: 'null',
  JSON: 'null',
};

/** Reads the structs of the Kubernetes modules that the control plane is built of. */
export async function readFields(moduleFolder: string): Promise<GoFields> {
  const fields = new Map<string, ReadonlyMap<string, WhenEmpty>>();
  for (const [module, folder] of FOLDERS) {
    const goPackage = readPackage(join(await folderOf(module, moduleFolder), folder));
    for (const [type, model] of goPackage.models) fields.set(model, fieldsOf(goPackage, type));
  }
  return fields;
}

async function folderOf(module: string, moduleFolder: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand('go', ['list', '-m', '-f', '{{.Dir}}', module], {
    cwd: moduleFolder,
  });
  if (code !== 0) throw new Error(`go list -m ${module} failed: ${stderr}`);
  return stdout.trim();
}

function readPackage(folder: string): GoPackage {
  const names = ['types.go', 'types_jsonschema.go', 'controller_ref.go', 'zz_generated.model_name.go'];
  const files = names.map((name) => join(folder, name)).filter((file) => existsSync(file));
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return { structs: structsOf(text), named: namedOf(text), models: modelsOf(text) };
}

function modelsOf(text: string): ReadonlyMap<string, string> {
  const functions = text.matchAll(/^func \(in (\w+)\) OpenAPIModelName\(\) string \{\s+return "([^"]+)"/gm);
  return new Map(Array.from(functions, ([, type, model]) => [type ?? '', model ?? '']));
}

function namedOf(text: string): ReadonlyMap<string, string> {
  const types = text.matchAll(/^type (\w+) (?!struct|interface)(\S+)$/gm);
  return new Map(Array.from(types, ([, name, type]) => [name ?? '', type ?? '']));
}

function structsOf(text: string): ReadonlyMap<string, readonly GoField[]> {
  const structs = text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm);
  return new Map(Array.from(structs, ([, name, body]) => [name ?? '', goFieldsOf(body ?? '')]));
}

function goFieldsOf(body: string): readonly GoField[] {
  const lines = body.matchAll(/^\s+(?:\w+\s+)?([\w.*[\]]+)\s+`[^`]*json:"([^"]*)"/gm);
  return Array.from(lines, ([, type = '', tag = '']) => {
    const [name = '', ...options] = tag.split(',');
    return { name: name === '' ? undefined : name, type, options };
  });
}

function fieldsOf(goPackage: GoPackage, type: string): ReadonlyMap<string, WhenEmpty> {
  const fields = new Map<string, WhenEmpty>();
  for (const field of goPackage.structs.get(type) ?? []) {
    if (field.name === undefined) {
      for (const [name, value] of fieldsOf(goPackage, field.type)) fields.set(name, value);
      continue;
    }
    const whenEmpty = whenEmptyOf(goPackage, field);
    if (whenEmpty !== undefined) fields.set(field.name, whenEmpty);
  }
  return fields;
}

function whenEmptyOf(goPackage: GoPackage, { type, options }: GoField): WhenEmpty | undefined {
  const omits = options.includes('omitempty');
  if (options.includes('omitzero')) return 'omit';
  if (type.startsWith('*')) return omits ? undefined : 'null';
  const real = goPackage.named.get(type) ?? type;
  const empty = /^(?:\[|map\[)/.test(real) ? 'null' : 'zero';
  if (empty === 'null' || isScalar(real)) return omits ? 'omit' : empty;
  // Go's omitempty means nothing for a struct.
  return OWN_TYPES[real.slice(real.lastIndexOf('.') + 1)] ?? 'zero';
}

/** Types of other packages that are strings, beside Go's own. */
function isScalar(type: string): boolean {
  return /^(string|bool|u?int(8|16|32|64)?|float(32|64)|types\.UID|\w+\.(Protocol|ResourceName|ConditionStatus|DeletionPropagation|NamespacedName|URIScheme|NodeSelectorOperator))$/.test(
    type,
  );
}
