import {
  boolYaml11Tag,
  constructFromEvents,
  defineScalarTag,
  dump,
  EVENT_ID,
  type Event,
  FAILSAFE_SCHEMA,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  parseEvents,
  SCALAR_STYLE,
  Schema,
  YAMLException,
} from 'js-yaml';
import type { JsonValue } from './json.ts';

/** What is wrong with a YAML text, and where; `line` and `column` count from 1. */
export class YamlError extends Error {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly reason: string;

  constructor(file: string, reason: string, position: { readonly line: number; readonly column: number }) {
    super(`${file}:${String(position.line)}:${String(position.column)}: ${reason}`);
    this.name = 'YamlError';
    this.file = file;
    this.reason = reason;
    this.line = position.line;
    this.column = position.column;
  }
}

const INTEGER = /^([-+]?)(0b[01]+|0x[0-9a-f]+|0o[0-7]+|0[0-7]+|[1-9][0-9]*|0)$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
/** An alias costs nothing to read, but a bomb of them does when the value is written out. */
const MAX_ALIASES = 50;

function parseInteger(source: string): number | undefined {
  const match = INTEGER.exec(source.replaceAll('_', '').toLowerCase());
  if (match === null) return undefined;
  const [, sign = '', digits = ''] = match;
  const magnitude = Number(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return sign === '-' && magnitude !== 0 ? -magnitude : magnitude;
}

const kubeInteger = defineScalarTag<number>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source) => parseInteger(source) ?? NOT_RESOLVED,
});

const kubeFloat = defineScalarTag<number>(floatCoreTag.tagName, {
  ...floatCoreTag,
  resolve: (source, isExplicit, tagName) => floatCoreTag.resolve(source.replaceAll('_', ''), isExplicit, tagName),
});

/** Scalars as kubectl and helm read them: YAML 1.1 booleans and numbers, but no timestamps, base 60 or non-JSON types. */
const KUBE_SCHEMA = new Schema([
  ...FAILSAFE_SCHEMA.tags,
  nullYaml11Tag,
  boolYaml11Tag,
  kubeInteger,
  kubeFloat,
  mergeTag,
]);

/**
 * All documents of a text; one that is empty is null. Throws `YamlError`; `file` is for its message only. `lenient`
 * reads what helm has accepted: of equal keys the later one counts, and a number that JSON cannot carry is rounded.
 */
export function parseYamlDocuments(
  text: string,
  file: string,
  { lenient = false }: { readonly lenient?: boolean } = {},
): readonly JsonValue[] {
  try {
    const events = parseEvents(text, { filename: file });
    if (!lenient) refuseWhatJsonCannotCarry(events, text, file);
    const options = { source: text, filename: file, schema: KUBE_SCHEMA, maxAliases: MAX_ALIASES, json: lenient };
    // Every tag of the schema constructs a JSON value.
    return constructFromEvents(events, options) as JsonValue[];
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    throw new YamlError(file, error.reason, { line: line + 1, column: column + 1 });
  }
}

/** The one document of a text; null when the text is empty. */
export function parseYaml(text: string, file: string): JsonValue {
  const documents = parseYamlDocuments(text, file);
  if (documents.length > 1) {
    throw new YamlError(file, 'one document was expected, but there are several', { line: 1, column: 1 });
  }
  return documents[0] ?? null;
}

/** YAML that kubectl, helm and this module read back as the same value. */
export function writeYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true });
}

function refuseWhatJsonCannotCarry(events: readonly Event[], text: string, file: string): void {
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN) continue;
    if (event.tagStart >= 0 && !text.slice(event.tagStart, event.tagEnd).endsWith('int')) continue;
    const scalar = getScalarValue(text, event);
    const problem = problemOf(scalar);
    if (problem !== undefined) throw new YamlError(file, problem, positionAt(text, event.valueStart));
  }
}

function problemOf(scalar: string): string | undefined {
  const integer = scalar.length < 16 ? undefined : parseInteger(scalar);
  if (integer !== undefined && !Number.isSafeInteger(integer)) {
    return `the integer ${scalar} is beyond 2^53 and would lose digits: put it in quotes`;
  }
  if (NOT_FINITE.test(scalar)) return `${scalar} is no number that JSON can carry: put it in quotes`;
  return undefined;
}

function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
