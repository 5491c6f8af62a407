import { describe, expect, it } from 'vitest';
import { annotate, manifestDocuments, manifestOf } from './manifest.ts';

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';

function refs(manifest: string): readonly unknown[] {
  return manifestDocuments(manifest).map(({ ref }) => ref);
}

describe('the documents of a manifest', () => {
  it('are split as helm splits them', () => {
    const manifest = `---\n# Source: x\n${CONFIG_MAP}---\n\n---\n# only a comment\n---\nkind: Service\napiVersion: v1\nmetadata: {name: b, namespace: n}\n`;
    expect(refs(manifest)).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' },
      { apiVersion: 'v1', kind: 'Service', name: 'b', namespace: 'n' },
    ]);
  });

  it('include the items of a List', () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${CONFIG_MAP.trim().replaceAll('\n', '\n  ')}\n`;
    expect(refs(list)).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }]);
  });

  it('leave out what has no name of its own', () => {
    expect(refs('apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: x-}\n')).toEqual([]);
  });

  it.each([
    ['a number beyond what JavaScript counts', 'max: 9223372036854775807'],
    ['a date', 'day: 2026-01-01'],
    ['a separator in a text', 'text: "a --- b"'],
    ['a name that looks like a number', 'x: 1', '123'],
    ['a broken body', 'spec: [1, {'],
    ['a list that is not indented', 'items:\n- x: 1'],
    ['equal keys', 'x: 1\nx: 2'],
    ['a value over several lines', 'data: {\n  a: b\n}'],
  ])('are read with %s', (_, line, name = 'a') => {
    expect(refs(`${CONFIG_MAP.replace('name: a', `name: ${name}`)}${line}\n`)).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name },
    ]);
  });

  it('I10 that cannot be read are refused without quoting them', () => {
    const read = (): unknown => manifestDocuments(`${CONFIG_MAP}  labels: [hunter2-secret\n`);
    expect(read).toThrow(expect.objectContaining({ code: 'HelmFailed' }));
    expect(read).not.toThrow(/hunter2/);
  });

  it('are not read in quadratic time', () => {
    const manifest = `---\n${CONFIG_MAP}`.repeat(5000);
    expect(refs(manifest)).toHaveLength(5000);
  });
});

describe('annotate', () => {
  const KEEP = ['helm.sh/resource-policy', 'keep'] as const;

  function annotated(text: string): string {
    const [document] = manifestDocuments(text);
    if (document === undefined) throw new Error('no document');
    return manifestOf([annotate(document, ...KEEP)]);
  }

  it('sets one annotation and leaves all but the metadata as it is written', () => {
    expect(annotated(`# Source: x\n${CONFIG_MAP}  annotations: {x: "y"}\ndata:\n  n: 007\n`)).toBe(
      '---\n# Source: x\napiVersion: v1\nkind: ConfigMap\n' +
        'metadata: {"name":"a","annotations":{"x":"y","helm.sh/resource-policy":"keep"}}\ndata:\n  n: 007\n',
    );
  });

  it.each([
    ['in one line', '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}'],
    ['with an anchor', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: &n a}\ndata: {x: *n}\n'],
  ])('works on a document %s', (_, text) => {
    const [again] = manifestDocuments(annotated(text));
    expect(again?.ref).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' });
    expect(annotated(text)).toContain('"helm.sh/resource-policy":"keep"');
  });
});
