import { isRecord } from '../../../lib/json.ts';

/** `spec.template`; a key that is not just a word is quoted: `metadata.labels['app.kubernetes.io/name']`. */
export function fieldPath(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}['${key.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
  return path === '' ? key : `${path}.${key}`;
}

/** `spec.ports[port=80,protocol="TCP"]`, and of a set the item itself: `metadata.finalizers["example.org/hold"]`. */
export function itemPath(path: string, id: unknown): string {
  if (!isRecord(id) || Object.values(id).some((part) => typeof part === 'object'))
    return `${path}[${JSON.stringify(id)}]`;
  const parts = Object.entries(id).map(([key, part]) => `${key}=${JSON.stringify(part)}`);
  return `${path}[${parts.join(',')}]`;
}
