import { isRecord } from '../../../lib/json.ts';
import { writeYaml } from '../../../lib/yaml.ts';
import { type Aligned, byImportance } from './align.ts';
import { fieldPath, itemPath } from './field-path.ts';
import { diffLines, type DiffLine } from './line-diff.ts';

/** `path`: where it stands, of a line that differs. */
export interface Line extends DiffLine {
  readonly path: string;
}

type Of<K extends Aligned['kind']> = Extract<Aligned, { kind: K }>;

/** Both objects as one YAML text, each line with the side that has it. */
export function renderLines(node: Aligned, path = ''): readonly Line[] {
  switch (node.kind) {
    case 'same':
      return both(yamlLines(node.value), path);
    case 'value':
      return sides(node, path, (value) => yamlLines(value));
    case 'map':
      return node.fields.flatMap(({ key, node: child }) => renderField(key, child, fieldPath(path, key)));
    case 'list':
      return renderList(node, path);
  }
}

function renderField(key: string, node: Aligned, path: string): readonly Line[] {
  const entry = (value: unknown): readonly string[] => yamlLines({ [key]: value });
  if (node.kind === 'same') return both(entry(node.value), path);
  if (node.kind === 'value') return sides(node, path, entry);
  const head = entry({}).map((line) => line.replace(/ \{\}$/, ''));
  return [...both(head, path), ...indent(renderLines(node, path))];
}

function renderList({ keys, items }: Of<'list'>, path: string): readonly Line[] {
  return items.flatMap(({ id, node }) => {
    const itsPath = itemPath(path, id);
    const entry = (value: unknown): readonly string[] => yamlLines([value]);
    if (node.kind === 'same') return both(entry(node.value), itsPath);
    if (node.kind === 'value') return sides(node, itsPath, entry);
    return dashed(renderLines(namesFirst(node, keys), itsPath));
  });
}

/** What names an item is the same on both sides: the dash goes before it. */
function namesFirst(node: Aligned, keys: Of<'list'>['keys']): Aligned {
  if (node.kind !== 'map') return node;
  const isName = ({ key, node: child }: Of<'map'>['fields'][number]): boolean =>
    keys.includes(key) && child.kind === 'same';
  return {
    kind: 'map',
    fields: [...node.fields.filter(isName), ...node.fields.filter((field) => !isName(field))],
  };
}

function sides(node: Of<'value'>, path: string, lines: (value: unknown) => readonly string[]): readonly Line[] {
  const before = node.before === undefined ? [] : lines(node.before);
  const after = node.after === undefined ? [] : lines(node.after);
  return diffLines(before, after).map((line) => ({ ...line, path }));
}

function both(texts: readonly string[], path: string): readonly Line[] {
  return texts.map((text) => ({ sign: ' ', text, path }));
}

function indent(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => ({ ...line, text: `  ${line.text}` }));
}

function dashed(lines: readonly Line[]): readonly Line[] {
  return lines.map((line, index) => ({ ...line, text: `${index === 0 ? '- ' : '  '}${line.text}` }));
}

function yamlLines(value: unknown): readonly string[] {
  return writeYaml(arranged(value)).replace(/\n$/, '').split('\n');
}

function arranged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => arranged(item));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => byImportance(a, b));
  return Object.fromEntries(entries.map(([key, item]) => [key, arranged(item)]));
}
