import { describe, expect, it } from 'vitest';
import { topLevelBlocks } from './yaml-blocks.ts';

function keys(text: string): readonly string[] | undefined {
  return topLevelBlocks(text)?.map(({ key }) => key);
}

describe('the blocks of a document', () => {
  it('hold every line, in order', () => {
    const text =
      '# note\napiVersion: v1\nkind: List\nitems:\n- a: 1\n\n# in between\nmetadata:\n  name: x\ntext: |\n  kind: no\n';
    expect(keys(text)).toEqual(['', 'apiVersion', 'kind', 'items', 'metadata', 'text']);
    expect(
      topLevelBlocks(text)
        ?.map((block) => block.text)
        .join('\n'),
    ).toBe(text);
  });

  it.each([
    ['in one line', '{"kind": "X"}'],
    ['with quoted keys', '"kind": X\nmetadata: {name: a}'],
    ['that is a list', '- kind: X'],
    ['with an anchor in what names it', 'kind: X\nmetadata:\n  name: &n a'],
    ['that refers to an anchor', 'name: &n a\nkind: X\nmetadata: {name: *n}'],
    ['with an end mark', 'kind: X\n...'],
    ['without a kind', 'a: 1'],
  ])('are not told apart in one %s', (_, text) => {
    expect(keys(text)).toBeUndefined();
  });
});
