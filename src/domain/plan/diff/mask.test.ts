import { describe, expect, it } from 'vitest';
import { hideInObject, hideTexts } from './mask.ts';

describe('what Secrets hold', () => {
  it.each([
    ['as it is', 'log in with hunter22!', 'log in with (hidden)!'],
    ['inside a word', 'xhunter22x', 'x(hidden)x'],
    ['as base64', 'aHVudGVyMjI=', '(hidden)'],
    ['as JSON has it', String.raw`{"a":"say \"hi\" now"}`, '{"a":"(hidden)"}'],
    ['a short one as a word', 'open abcd, abcde', 'open (hidden), abcde'],
    ['not where it is too short to tell', 'abc', 'abc'],
  ])('is hidden in a text %s', (_what, text, hidden) => {
    expect(hideTexts(text, ['hunter22', 'say "hi" now', 'abcd', 'abc', 'true'])).toBe(hidden);
  });

  it('is hidden however large it is', () => {
    const large = Array.from({ length: 20_000 }, (_, line) => `line ${String(line)} of many`).join('\n');
    expect(hideTexts(`a ${large} b, line 777 of many`, [large])).toBe('a (hidden) b, (hidden)');
  });

  it('is hidden in an object, but in what names it', () => {
    const named = { apiVersion: 'v1', kind: 'ConfigMap' };
    const metadata = { name: 'hunter22', namespace: 'hunter22', labels: { a: 'hunter22' } };
    const object = { ...named, metadata, data: { list: ['hunter22', 1, true], number: 123456 } };
    expect(hideInObject(object, ['hunter22', '123456'])).toEqual({
      ...named,
      metadata: { ...metadata, labels: { a: '(hidden)' } },
      data: { list: ['(hidden)', 1, true], number: '(hidden)' },
    });
  });

  it('is nothing where there are no Secrets', () => {
    expect(hideTexts('true', [])).toBe('true');
    expect(hideTexts('true', ['true'])).toBe('true');
  });
});
