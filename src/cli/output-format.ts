import { writeYaml } from '../lib/yaml.ts';
import type { Output } from './host.ts';

export type DataFormat = 'json' | 'yaml';

export function formatData(value: unknown, format: DataFormat): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value);
}

/** Several objects as kubectl writes them. */
export function listOf(items: readonly unknown[]): unknown {
  return { apiVersion: 'v1', kind: 'List', metadata: {}, items };
}

export function writeLines(output: Output, lines: readonly string[]): void {
  if (lines.length > 0) output.write(`${lines.join('\n')}\n`);
}
