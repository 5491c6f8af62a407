import { objectSchema } from '../src/api/crd.ts';
import { KINDS, type KindDefinition, SERVED_VERSIONS } from '../src/api/crd-kinds.ts';
import { ERROR_CODES, type ErrorClass } from '../src/api/errors.ts';
import { EVENT_REASONS } from '../src/api/event-reasons.ts';
import { GROUP, VERSION } from '../src/api/names.ts';
import { type ConditionType, READY_REASONS } from '../src/api/reasons.ts';
import { duration } from '../src/api/schema.ts';
import { type StructuralSchema, structuralSchema } from '../src/api/structural.ts';
import { asArray, asString, at } from '../src/lib/json.ts';

/** A reference page: made from the code alone, and compared with the file by a test. */
export interface ReferencePage {
  readonly path: string;
  readonly text: string;
}

export function referencePages(): readonly ReferencePage[] {
  return [
    { path: 'docs/reference/api.md', text: apiPage() },
    { path: 'docs/reference/conditions.md', text: conditionsPage() },
    { path: 'docs/reference/errors.md', text: errorsPage() },
    { path: 'docs/reference/events.md', text: eventsPage() },
  ];
}

const NOTE = 'This page is generated from the code. To change it, change the code and run `make golden`.';

export function page(title: string, ...blocks: readonly string[]): string {
  return `${[`# ${title}`, NOTE, ...blocks].join('\n\n')}\n`;
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function prose(text: string): string {
  return text.replaceAll(/[|<]/g, (character) => `\\${character}`);
}

export function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function apiPage(): string {
  const older = SERVED_VERSIONS.filter((version) => version !== VERSION)
    .map(code)
    .join(' and ');
  return page(
    'API',
    `Group ${code(GROUP)}, version ${code(VERSION)}; ${older} are served with the same fields and are deprecated. All kinds are cluster-scoped. A field is optional unless it says _required_.`,
    ...KINDS.flatMap(kindBlocks),
  );
}

function kindBlocks(definition: KindDefinition): readonly string[] {
  const { kind, description, shortNames, columns } = definition;
  const fields = fieldsOf(objectSchema(definition), '');
  const rules = fields.flatMap(({ path, schema }) => rulesOf(schema).map((rule) => `- ${code(path)}: ${prose(rule)}.`));
  return [
    `## ${kind}`,
    description,
    `Short names: ${shortNames.map(code).join(', ')}. Columns of \`kubectl get\`: ${columns.map(({ name }) => name).join(', ')}.`,
    table(['Field', 'Type', 'Default', 'Meaning'], fields.filter(isDocumented).map(fieldRow)),
    ...(rules.length === 0 ? [] : ['Checked by the API server as well:', rules.join('\n')]),
  ];
}

interface Field {
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly required: boolean;
}

/** All fields of an object, in the order of the schema; what Kubernetes itself defines is left out. */
function fieldsOf(schema: StructuralSchema, path: string): readonly Field[] {
  const required = asArray(schema['required']);
  const { properties = {}, additionalProperties, items } = schema;
  const named = Object.entries(properties)
    .filter(([name]) => path !== '' || name === 'spec' || name === 'status')
    .map(([name, field]) => ({
      path: path === '' ? name : `${path}.${name}`,
      schema: field,
      required: required.includes(name),
    }));
  const inner = [
    ...(additionalProperties === undefined
      ? []
      : [{ path: `${path}.NAME`, schema: additionalProperties, required: false }]),
    ...(items === undefined ? [] : [{ path: `${path}[]`, schema: items, required: false }]),
  ];
  return [...named, ...inner].flatMap((field) => [field, ...fieldsOf(field.schema, field.path)]);
}

/** Entries of lists and maps are told by their list or map. */
function isDocumented({ schema }: Field): boolean {
  return schema['description'] !== undefined;
}

function fieldRow({ path, schema, required }: Field): readonly string[] {
  const preset = schema['default'];
  return [
    code(path),
    typeOf(schema) + (required ? ', _required_' : ''),
    preset === undefined ? '' : code(typeof preset === 'string' ? preset || '""' : JSON.stringify(preset)),
    prose(asString(schema['description']) ?? ''),
  ];
}

const DURATION_PATTERN = structuralSchema(duration)['pattern'];

function typeOf(schema: StructuralSchema): string {
  const { type, items, additionalProperties } = schema;
  const allowed = asArray(schema['enum']);
  if (allowed.length > 0) return allowed.map((value) => code(String(value))).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (additionalProperties !== undefined) return `map of ${typeOf(additionalProperties)}`;
  if (schema['format'] === 'date-time') return 'time';
  if (schema['pattern'] === DURATION_PATTERN) return 'duration';
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'any object';
  return type + limitsOf(schema);
}

function limitsOf(schema: StructuralSchema): string {
  const minimum = schema['minimum'];
  const maxLength = schema['maxLength'];
  if (typeof minimum === 'number') return ` ≥ ${String(minimum)}`;
  return typeof maxLength === 'number' ? ` of at most ${String(maxLength)} characters` : '';
}

function rulesOf(schema: StructuralSchema): readonly string[] {
  return asArray(schema['x-kubernetes-validations']).flatMap((rule) => asString(at(rule, 'message')) ?? []);
}

const CONDITION_MEANINGS: Readonly<Record<ConditionType, string>> = {
  Ready: 'The wanted state is applied and healthy.',
  Available: 'What runs works: every component that is installed is healthy, whatever revision it is from.',
  Reconciling: 'kubepkg is on its way to the wanted state, or waits for something named.',
  Stalled: 'Nothing more is tried until somebody changes something; the message says what.',
};

function conditionsPage(): string {
  const types = Object.entries(CONDITION_MEANINGS).map(([type, meaning]) => [code(type), meaning]);
  const reasons = Object.entries(READY_REASONS).map(([reason, meaning]) => [code(reason), prose(meaning)]);
  return page(
    'Conditions and reasons',
    'Conditions of a Package. `Reconciling` and `Stalled` are there only while they are true.',
    table(['Type', 'True means'], types),
    '## Reasons of Ready',
    table(['Reason', 'Meaning'], reasons),
  );
}

const CLASS_MEANINGS: Readonly<Record<ErrorClass, string>> = {
  transient: "Retried with growing pauses inside the component's deadline, and named in the message.",
  terminal: 'Fails the component at once.',
  configuration: 'Stops before a revision is created, and waits for an edit.',
  bug: 'A fault in kubepkg: please report it.',
};

function errorsPage(): string {
  const classes = Object.entries(CLASS_MEANINGS).map(([name, meaning]) => [name, meaning]);
  const codes = Object.entries(ERROR_CODES).map(([name, kind]) => [code(name), kind.class, prose(kind.meaning)]);
  return page(
    'Error codes',
    'Every error has a code. Its class says how it is treated.',
    table(['Class', 'Treatment'], classes),
    '## Codes',
    table(
      ['Code', 'Class', 'Meaning'],
      codes.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  );
}

function eventsPage(): string {
  const reasons = Object.entries(EVENT_REASONS).map(([reason, { type, meaning }]) => [
    code(reason),
    type,
    prose(meaning),
  ]);
  return page(
    'Events',
    'Events about a Package are in the namespace `default`, as for every cluster-scoped object. Besides the reasons below each reason of the `Ready` condition is one, told when the condition changes to it: as a Warning where the package is `Stalled`, `Degraded` or cannot be fetched.',
    'Equal events are counted, not repeated. Of more than ten messages of one reason (sixty where there is one for each component) within ten minutes the further ones are combined. A package can cause 150 events at once, the last 25 of them warnings, and one more every 30 seconds.',
    table(['Reason', 'Type', 'Meaning'], reasons),
  );
}
