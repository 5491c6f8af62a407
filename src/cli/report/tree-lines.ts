import { wrap } from '../text/wrap.ts';

export interface TreeNode {
  readonly title: string;
  /** Below the title, for people only. */
  readonly details?: readonly string[];
  readonly children?: readonly TreeNode[];
}

/** A tree as `tree` draws it; no line is longer than the width, if its words allow. */
export function treeLines(root: TreeNode, columns = Infinity): readonly string[] {
  return nodeLines(root, { head: '', tail: '' }, columns).map((line) => line.trimEnd());
}

interface Lead {
  /** Before the first line of a node, and before its others. */
  readonly head: string;
  readonly tail: string;
}

function nodeLines({ title, details = [], children = [] }: TreeNode, { head, tail }: Lead, columns: number): string[] {
  const below = `${tail}${children.length === 0 ? '  ' : '│ '}`;
  const width = columns - tail.length;
  const titles = wrap(title, width).map((line, index) => (index === 0 ? head : below) + line);
  const texts = details
    .filter((text) => text !== '')
    .flatMap((text) => wrap(text, width - 2).map((line) => below + line));
  const nested = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    const lead = { head: `${tail}${isLast ? '└─ ' : '├─ '}`, tail: `${tail}${isLast ? '   ' : '│  '}` };
    return nodeLines(child, lead, columns);
  });
  return [...titles, ...texts, ...nested];
}
