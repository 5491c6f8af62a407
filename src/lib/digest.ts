import { createHash } from 'node:crypto';
import { stableJson } from './stable-json.ts';

/** Hex sha256 of text or bytes. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** `sha256:<hex>` of a plain value's canonical JSON. */
export function digestOf(value: unknown): string {
  return `sha256:${sha256(stableJson(value))}`;
}
