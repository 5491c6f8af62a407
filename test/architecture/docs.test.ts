import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FLOORS } from '../../dev/lint/floors.mjs';
import { filesUnder } from './source-tree.ts';

/** Rows of the floors table: `| 2 | \`a\`, \`b\` → \`c\` | … |`. */
function documentedFloors(text: string): unknown {
  return [...text.matchAll(/^\| (\d) \| ([^|]+) \|/gm)].map(([, floor = '', folders = '']) => ({
    floor: Number(floor),
    steps: folders.split('→').map((step) => [...step.matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
  }));
}

/** Targets of Markdown links that are files here, with the file that holds them. */
function brokenLinks(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  return [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(posix.join(posix.dirname(path), target)))
    .map((target) => `${path}: ${target}`);
}

const ADR_QUESTIONS = [
  '## Usage',
  '## Decision',
  '## New API calls?',
  '## Larger objects?',
  '## New permissions?',
  '## How is it turned off?',
];

describe('the documentation', () => {
  it('docs/architecture.md lists the floors that the linter enforces', () => {
    const wanted = FLOORS.map(({ floor, steps }) => ({ floor, steps }));
    expect(documentedFloors(readFileSync('docs/architecture.md', 'utf8'))).toEqual(wanted);
  });

  it('README.md leads to docs/architecture.md', () => {
    expect(readFileSync('README.md', 'utf8')).toContain('(docs/architecture.md)');
  });

  it('links between files lead somewhere', () => {
    const pages = [...filesUnder('docs').filter((path) => path.endsWith('.md')), 'README.md', 'CONTRIBUTING.md'];
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });

  const decisions = filesUnder('docs/adr').filter((path) => path.endsWith('.md'));

  it('decisions are numbered without gaps', () => {
    const numbers = decisions.map((path) => Number(posix.basename(path).slice(0, 4)));
    expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
  });

  it.each(decisions)('%s is dated, has a status, shows a usage first and answers the four questions', (path) => {
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^# \d{4} .+\n\n(Accepted|Superseded by \d{4}|Rejected), \d{4}-\d{2}-\d{2}\n/);
    expect([...text.matchAll(/^## .+$/gm)].map(([heading]) => heading)).toEqual(expect.arrayContaining(ADR_QUESTIONS));
    expect(/^## .+$/m.exec(text)?.[0]).toBe('## Usage');
  });
});
