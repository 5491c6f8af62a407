import { describe, expect, it } from 'vitest';
import { helmIgnore } from './helm-ignore.ts';

describe('.helmignore', () => {
  // Rows as in Helm's own test of its rules, where it has one.
  it.each([
    ['helm.txt', 'helm.txt', true],
    ['helm.*', 'helm.txt', true],
    ['helm.*', 'rudder.txt', false],
    ['*.txt', 'tiller.txt', true],
    ['*.txt', 'cargo/a.txt', true],
    ['cargo/*.txt', 'cargo/a.txt', true],
    ['cargo/*.*', 'cargo/a.txt', true],
    ['cargo/*.txt', 'mast/a.txt', false],
    ['ru[c-e]?er.txt', 'rudder.txt', true],
    ['ru[^c]der.txt', 'rudder.txt', true],
    ['ru[^d]der.txt', 'rudder.txt', false],
    ['a/ru[^c]der', 'a/ru/der', false],
    ['templates/.?*', 'templates/.dotfile', true],
    ['.*', '.joonix', true],
    ['.*', 'helm.txt', false],
    ['mast/', 'mast/a.txt', true],
    ['mast', 'mast/a.txt', true],
    ['mast/', 'mast', false],
    ['/a.txt', 'a.txt', true],
    ['/cargo', 'cargo/a.txt', true],
    ['/a.txt', 'cargo/a.txt', false],
    ['cargo/a.txt', 'cargo/b.txt', false],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['a.b', 'axb', false],
    ['/only-here', 'only-here', true],
    ['a-[b-d]-😀', 'a-c-😀', true],
    ['?', '😀', true],
    ['$(a|b){1}+', '$(a|b){1}+', true],
    ['[*]', '*', true],
    ['[*]', 'x', false],
    ['[a\\-c]', '-', true],
    ['[a\\-c]', 'b', false],
    ['*', 'any/thing', true],
    ['?', 'ab', false],
    ['*~', 'templates/web.yaml~', true],
    ['# a.txt', 'a.txt', false],
    ['  a.txt  ', 'a.txt', true],
    ['', 'a.txt', false],
    // A negated rule of Helm says "ignore" of everything that it does not match.
    ['!a.txt', 'a.txt', false],
    ['!a.txt', 'b.txt', true],
    ['b.txt\n!*.txt', 'b.txt', true],
  ])('with %j says of %s: %s', (text, path, ignored) => {
    expect(helmIgnore(text)(path)).toBe(ignored);
  });

  it('leaves out hidden files among templates without being told', () => {
    expect(helmIgnore('')('templates/.web.yaml.swp')).toBe(true);
    expect(helmIgnore('')('.hidden')).toBe(false);
  });

  it.each(['**/a', '[a', 'a\\', '[]', '[]^]'])('that has %j is refused', (text) => {
    expect(() => helmIgnore(text)).toThrow(SyntaxError);
  });
});
