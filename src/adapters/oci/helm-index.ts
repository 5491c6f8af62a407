import { KubepkgError } from '../../api/errors.ts';
import { asArray, at, isRecord } from '../../lib/json.ts';
import { parseYaml, YamlError } from '../../lib/yaml.ts';

/** The entries of one chart in an index.yaml. Indexes are large, so only the part about that chart is parsed. */
export function entriesOf(index: string, name: string, subject: string): readonly unknown[] {
  if (index.trimStart().startsWith('{')) return asArray(at(parseJson(index, subject), 'entries', name));
  const part = partAbout(index, name);
  if (part === undefined) return [];
  const value = parse(part.text, subject);
  if (value !== null && !isRecord(value)) throw malformed(subject, 'it is no mapping');
  return asArray(part.isWhole ? at(value, 'entries', name) : at(value, name));
}

function parse(text: string, subject: string): unknown {
  try {
    return parseYaml(text, 'index.yaml');
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw malformed(subject, error.reason, error);
  }
}

interface Part {
  readonly text: string;
  readonly isWhole: boolean;
}

const ENTRIES = /^entries:[ \t\r]*\n(?:[ \t]*(?:#.*)?\r?\n)*( *)(?=[^\s#])/m;

/** The lines of `entries.<name>` as every index maker writes them; the whole text when it is written otherwise. */
function partAbout(index: string, name: string): Part | undefined {
  const entries = ENTRIES.exec(index);
  const indentation = entries?.[1] ?? '';
  if (entries === null || indentation === '') return { text: index, isWhole: true };
  const from = entries.index + entries[0].length - indentation.length;
  const key = name.replaceAll('.', '\\.');
  const start = new RegExp(`^${indentation}(["']?)${key}\\1:[ \\t\\r]*$`, 'm').exec(index.slice(from));
  if (start === null) return undefined;
  const rest = index.slice(from + start.index + start[0].length);
  const end = new RegExp(`^ {0,${String(indentation.length)}}[^\\s#-]`, 'm').exec(rest);
  return { text: start[0] + rest.slice(0, end?.index), isWhole: false };
}

function parseJson(index: string, subject: string): unknown {
  try {
    return JSON.parse(index);
  } catch (cause) {
    throw malformed(subject, 'it is not JSON', cause);
  }
}

function malformed(subject: string, problem: string, cause?: unknown): KubepkgError {
  return new KubepkgError('ArchiveInvalid', `${subject}: the index.yaml of the repository is malformed: ${problem}`, {
    hint: 'make it again with helm repo index',
    cause,
  });
}
