import { KubepkgError } from '../api/errors.ts';
import type { DesiredComponent } from '../domain/resolve/desired.ts';
import { clusterKinds, placedIn } from '../domain/resolve/recipe/place-objects.ts';
import type { JsonValue } from '../lib/json.ts';
import { parseYamlDocuments, writeYaml, YamlError } from '../lib/yaml.ts';

/** What helm has rendered of a component. */
export interface RenderedComponent {
  readonly component: DesiredComponent;
  readonly text: string;
}

interface Part {
  readonly text: string;
  readonly object: JsonValue;
}

const SEPARATOR = /^---(?:[ \t].*)?$/m;

/**
 * The texts with each object in the namespace that helm would put it into: helm leaves that to its own calls, and who
 * applies the text would put it anywhere. What is in its place already is not touched.
 */
export function placedTexts(rendered: readonly RenderedComponent[]): readonly string[] {
  const all = rendered.map(({ component, text }) => ({ component, parts: partsOf(text, component) }));
  const kinds = clusterKinds(all.flatMap(({ parts }) => parts.map(({ object }) => object)));
  return all.map(({ component: { namespace }, parts }) => {
    return parts
      .map(({ text, object }) => {
        const placed = placedIn(namespace, object, kinds);
        return `---\n${placed === object ? text : commentsOf(text) + writeYaml(placed)}`;
      })
      .join('');
  });
}

function partsOf(text: string, { name }: DesiredComponent): readonly Part[] {
  return text.split(SEPARATOR).flatMap((piece) => {
    const trimmed = piece.trim();
    const object = documentOf(trimmed, name);
    return object === undefined ? [] : [{ text: `${trimmed}\n`, object }];
  });
}

/** Undefined: there is nothing but comments. */
function documentOf(text: string, component: string): JsonValue | undefined {
  try {
    return parseYamlDocuments(text, `component ${component}`).find((document) => document !== null);
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    throw new KubepkgError('RenderFailed', cause.message, { hint: 'correct the template', cause });
  }
}

/** Those before the object: helm names its template there. */
function commentsOf(text: string): string {
  return /^(?:#.*\n)*/.exec(text)?.[0] ?? '';
}
