import { describe, expect, it } from 'vitest';
import { treeLines } from './tree-lines.ts';

const TREE = {
  title: 'shop',
  details: ['of two components'],
  children: [
    { title: 'store  Ready', children: [{ title: 'Deployment store' }] },
    { title: 'web', details: ['waits for something that has a name', ''] },
  ],
};

describe('a tree', () => {
  it('shows what belongs to what', () => {
    expect(treeLines(TREE)).toEqual([
      'shop',
      '│ of two components',
      '├─ store  Ready',
      '│  └─ Deployment store',
      '└─ web',
      '     waits for something that has a name',
    ]);
  });

  it('wraps what is longer than the terminal below its beginning', () => {
    expect(treeLines(TREE, 20)).toEqual([
      'shop',
      '│ of two components',
      '├─ store  Ready',
      '│  └─ Deployment',
      '│       store',
      '└─ web',
      '     waits for',
      '     something that',
      '     has a name',
    ]);
  });
});
