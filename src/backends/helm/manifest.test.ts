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
  ])('are read with %s', (_, line, name = 'a') => {
    expect(refs(`${CONFIG_MAP.replace('name: a', `name: ${name}`)}${line}\n`)).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name },
    ]);
  });

  it('are not read in quadratic time', () => {
    const manifest = `---\n${CONFIG_MAP}`.repeat(5000);
    expect(refs(manifest)).toHaveLength(5000);
  });
});

describe('annotate', () => {
  it('sets one annotation and keeps the others', () => {
    const [document] = manifestDocuments(`${CONFIG_MAP}  annotations: {x: y}\n`);
    if (document === undefined) throw new Error('no document');
    const annotated = annotate(document, 'helm.sh/resource-policy', 'keep');
    const [again] = manifestDocuments(manifestOf([annotated]));
    expect(again?.ref).toEqual(document.ref);
    expect(again?.object['metadata']).toEqual({
      name: 'a',
      annotations: { x: 'y', 'helm.sh/resource-policy': 'keep' },
    });
  });
});
