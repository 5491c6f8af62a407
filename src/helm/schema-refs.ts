import { isRecord } from '../lib/json.ts';

/** Known to helm's validator without a network. */
const BUILT_IN = /^https?:\/\/json-schema\.org\/(draft-0[467]|draft\/(2019-09|2020-12))\//;
/** Data, not schema. */
const DATA_KEYS: readonly string[] = ['const', 'default', 'enum', 'examples'];

interface Addresses {
  readonly known: Set<string>;
  readonly wanted: Set<string>;
}

/** Addresses that helm would fetch to validate with this schema. What is no JSON has none; helm refuses it by itself. */
export function remoteSchemaRefs(schemaText: string): readonly string[] {
  const found: Addresses = { known: new Set(), wanted: new Set() };
  visit(parsed(schemaText), 'file:///values.schema.json', found);
  return [...found.wanted].filter((address) => !found.known.has(address) && !BUILT_IN.test(address));
}

function visit(node: unknown, base: string, found: Addresses): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, base, found);
    return;
  }
  if (!isRecord(node)) return;
  const id = typeof node['$id'] === 'string' ? resolved(node['$id'], base) : base;
  found.known.add(id);
  if (typeof node['$ref'] === 'string') {
    const address = resolved(node['$ref'], id);
    if (/^https?:/.test(address)) found.wanted.add(address);
  }
  for (const [key, child] of Object.entries(node)) {
    if (!DATA_KEYS.includes(key)) visit(child, id, found);
  }
}

function resolved(reference: string, base: string): string {
  if (!URL.canParse(reference, base)) return base;
  const address = new URL(reference, base);
  address.hash = '';
  return address.href;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
