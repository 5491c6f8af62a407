import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

describe('a byte stream', () => {
  it('is cut into the same lines, whatever the chunks', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(lines, fc.array(fc.nat({ max: 40 })), (texts, sizes) => {
        const splitter = new LineSplitter(10_000);
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const seen: string[] = [];
        let at = 0;
        for (const size of [...sizes, bytes.length]) {
          seen.push(...splitter.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(seen).toEqual(texts.filter((text) => text !== ''));
      }),
    );
  });

  it.each([
    ['in one chunk', ['x'.repeat(11)]],
    ['in several', ['x'.repeat(6), 'x'.repeat(5)]],
    ['complete', [`${'x'.repeat(11)}\n`]],
  ])('with a line beyond the limit is refused: %s', (_name, chunks) => {
    const splitter = new LineSplitter(10);
    const push = (): void => {
      for (const chunk of chunks) splitter.push(Buffer.from(chunk));
    };
    expect(push).toThrow(expect.objectContaining({ code: 'ApiServerError' }));
  });

  it('counts each line anew', () => {
    const splitter = new LineSplitter(10);
    expect(splitter.push(Buffer.from('12345678\n12345678\n1234'))).toEqual(['12345678', '12345678']);
    expect(splitter.push(Buffer.from('567890\n'))).toEqual(['1234567890']);
  });
});
