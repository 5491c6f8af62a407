import type { Difference } from '../../test/differential/embedded/difference.ts';
import type { Sequence, Step } from '../../test/differential/embedded/request.ts';

/** The requests of a sequence as far as the one whose answers differ, and how they do. */
export function describeDifference({ steps }: Sequence, { path, real, embedded }: Difference, seed: string): string {
  const index = /^\.answers\[(\d+)\]/.exec(path)?.[1];
  const last = index === undefined ? steps.length : Number(index) + 1;
  return [
    `# ${seed}: ${path}`,
    ...steps.slice(0, last).map((step, at) => `${String(at)} ${describeStep(step)}`),
    `real:     ${shown(real)}`,
    `embedded: ${shown(embedded)}`,
    '',
  ].join('\n');
}

function describeStep({ method, path, query = {}, type = '', body, edit }: Step): string {
  const search = new URLSearchParams(query).toString();
  const place = path.replace('/namespaces/{ns}', '').replace(/^\/apis?\//, '');
  const kind = type.replace(/^application\/|-patch|\+json|\+yaml/g, '');
  const content = edit === undefined ? body : { edit };
  const text = content === undefined ? '' : JSON.stringify(content);
  return [method, kind, `${place}${search === '' ? '' : `?${search}`}`, text].filter((word) => word !== '').join(' ');
}

function shown(value: unknown): string {
  return value === undefined ? '(nothing)' : JSON.stringify(value);
}
