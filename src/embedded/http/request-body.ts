import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../lib/json.ts';
import { parseYamlDocuments, YamlError } from '../../lib/yaml.ts';
import type { JsonMap } from '../model/object.ts';
import { StatusError } from '../model/status-error.ts';
import { duplicateKeys } from './duplicate-keys.ts';

/** As the API server's own limit for one request. */
const MAX_BYTES = 3 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString();
}

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  }
  if (bytes <= MAX_BYTES) return Buffer.concat(chunks);
  throw new StatusError('RequestEntityTooLarge', `Request entity too large: limit is ${String(MAX_BYTES)}`);
}

export interface Body {
  readonly value: unknown;
  /** Fields that are there twice: the later ones count. */
  readonly warnings: readonly string[];
}

interface Format {
  readonly isYaml: boolean;
  /** The query's `fieldValidation`. */
  readonly validation: string | null;
  /** What a refusal begins with. */
  readonly subject?: string;
}

/** JSON, or YAML where the content type says so. */
export function parseBody(text: string, { isYaml, validation, subject = '' }: Format): Body {
  const isJson = !isYaml || /^\s*[[{]/.test(text);
  const value = isJson ? parseJson(text) : parseYaml(text, true);
  if (validation === 'Ignore') return { value, warnings: [] };
  const warnings = isJson
    ? duplicateKeys(text).map((path) => `duplicate field ${JSON.stringify(path)}`)
    : yamlProblems(text);
  if (warnings.length === 0 || validation !== 'Strict') return { value, warnings };
  throw new StatusError('BadRequest', `${subject}strict decoding error: ${warnings.join(', ')}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StatusError('BadRequest', `error decoding the body of the request: ${error.message}`);
  }
}

function parseYaml(text: string, lenient: boolean): unknown {
  try {
    return parseYamlDocuments(text, 'body', { lenient })[0] ?? null;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new StatusError('BadRequest', `error decoding YAML: ${error.message}`);
  }
}

/** What is only wrong when one looks closely: keys that are there twice. */
function yamlProblems(text: string): readonly string[] {
  try {
    parseYamlDocuments(text, 'body');
    return [];
  } catch (error) {
    if (error instanceof YamlError) return [error.message];
    throw error;
  }
}

export function objectBody({ value }: Body): JsonMap {
  if (isRecord(value)) return value;
  throw new StatusError('BadRequest', 'the body of the request must be an object');
}
