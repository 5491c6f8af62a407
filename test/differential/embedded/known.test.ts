import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KNOWN_DIFFERENCES } from './known.ts';

const PAGE = new URL('../../../docs/reference/embedded-differences.md', import.meta.url);

describe('known differences of the embedded API', () => {
  it('are the headings of the page on them, and the other way round', () => {
    const headings = [...readFileSync(PAGE, 'utf8').matchAll(/^### (.*)$/gm)].map(([, title]) => title);
    expect(headings).toEqual(KNOWN_DIFFERENCES.map(({ title }) => title));
  });
});
