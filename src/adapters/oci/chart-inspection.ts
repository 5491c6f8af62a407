import { createReadStream } from 'node:fs';
import { KubepkgError } from '../../api/errors.ts';
import { asString, at, isRecord } from '../../lib/json.ts';
import { parseYaml, YamlError } from '../../lib/yaml.ts';
import { type ArchiveContent, type ReadOptions, readArchive } from './archive.ts';
import { chartInvalid } from './chart-problems.ts';
import { CHART_LIMITS } from './limits.ts';
import { type Nesting, readPackedSubchart } from './packed-subchart.ts';
import { isChartName } from './reference.ts';

export interface ChartInspection {
  readonly name: string;
  readonly version: string;
  readonly hasPostHooks: boolean;
  /** Top-level keys of values that its schema allows; absent: it allows any. */
  readonly valuesKeys?: readonly string[];
}

/** Checks a chart archive as a whole, and reads what is asked about it. */
export async function inspectChart(path: string, subject: string, signal?: AbortSignal): Promise<ChartInspection> {
  const options = { limits: CHART_LIMITS, subject, wants: isInspected, signal };
  const content = await readArchive(createReadStream(path), options);
  const folder = rootOf(content, subject);
  const metadata = readMetadata(content.files.get(`${folder}/Chart.yaml`)?.content, subject);
  const allowance = { unpackedBytes: CHART_LIMITS.unpackedBytes - content.unpackedBytes };
  const hasPostHooks = await searchHooks(content, options, { depth: 0, allowance });
  const valuesKeys = closedKeys(content.files.get(`${folder}/values.schema.json`)?.content);
  return { ...metadata, hasPostHooks, ...(valuesKeys === undefined ? {} : { valuesKeys }) };
}

export function readMetadata(chartYaml: Buffer | undefined, subject: string): { name: string; version: string } {
  if (chartYaml === undefined) throw chartInvalid(subject, 'it has no Chart.yaml');
  const value = parseChartFile(chartYaml, `${subject}: Chart.yaml`);
  const name = asString(at(value, 'name'));
  const version = asString(at(value, 'version'));
  if (name === undefined || !isChartName(name)) throw chartInvalid(subject, 'Chart.yaml has no usable name');
  if (version === undefined || version === '') {
    throw chartInvalid(subject, 'Chart.yaml has no version, or one without quotes that is a number');
  }
  return { name, version };
}

/** A YAML file of a chart; `name` is for messages. */
export function parseChartFile(content: Buffer, name: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(content.toString('utf8'), name);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KubepkgError('ChartInvalid', error.message, { hint: 'correct the file', cause: error });
  }
}

function rootOf(content: ArchiveContent, subject: string): string {
  const roots = new Set(content.paths.map((path) => path.slice(0, Math.max(0, path.indexOf('/')))));
  const [root] = roots;
  if (roots.size === 1 && root !== undefined && root !== '') return root;
  throw new KubepkgError('ArchiveInvalid', `${subject}: the archive is not one folder named like the chart`, {
    hint: 'pack it with helm package',
  });
}

const PACKED_SUBCHART = /(?:^|\/)charts\/[^/_.][^/]*\.tgz$/;
const TEMPLATE = /(?:^|\/)(?:templates\/.+|values\.yaml)$/;

/** Only a schema that is closed by a plain list of keys refuses any; what is no JSON is for helm to refuse. */
function closedKeys(schema: Buffer | undefined): readonly string[] | undefined {
  const parsed = schema === undefined ? undefined : parsedSchema(schema.toString('utf8'));
  if (at(parsed, 'additionalProperties') !== false || at(parsed, 'patternProperties') !== undefined) return undefined;
  const properties = at(parsed, 'properties');
  return isRecord(properties) ? Object.keys(properties) : [];
}

function parsedSchema(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isInspected(path: string): boolean {
  return (
    /^[^/]+\/values\.schema\.json$/.test(path) ||
    path.endsWith('/Chart.yaml') ||
    TEMPLATE.test(path) ||
    PACKED_SUBCHART.test(path)
  );
}

/**
 * Whether the text of templates speaks of a post-install or post-upgrade hook; values.yaml counts, as charts put such
 * annotations there. It may find one that is never rendered, which costs a wait, but misses none that is written out.
 * Subcharts that are packed inside are read too.
 */
async function searchHooks(content: ArchiveContent, options: ReadOptions, nesting: Nesting): Promise<boolean> {
  const files = [...content.files.values()];
  let found = files.some((file) => TEMPLATE.test(file.path) && mentionsPostHook(file.content.toString('utf8')));
  for (const file of files.filter((candidate) => PACKED_SUBCHART.test(candidate.path))) {
    const inside = { ...options, subject: `${options.subject}: ${file.path}` };
    const deeper = { ...nesting, depth: nesting.depth + 1 };
    const subchart = await readPackedSubchart(file.content, deeper, inside);
    found = (await searchHooks(subchart, inside, deeper)) || found;
  }
  return found;
}

function mentionsPostHook(text: string): boolean {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  const isHook = lines.some((line) => /helm\.sh\/hook(?![-\w])/.test(line));
  return isHook && lines.some((line) => /\bpost-(?:install|upgrade)\b/.test(line));
}
