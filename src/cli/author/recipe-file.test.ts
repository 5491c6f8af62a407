import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recipeFindings } from './findings.ts';
import { parseRecipeText, requireSound } from './recipe-file.ts';

const TEXT = `apiVersion: kubepkg.dev/v1
kind: Recipe
metadata:
  name: shop
spec:
  version: 1.2.0
  charts:
    web:
      from: [up]
      exclude:
        - kind: Namespace
        - {kind: Job, nam: x}
  package:
    varians: []
`;

function read(text: string) {
  return parseRecipeText(text, { file: 'r/recipe.yaml', directory: 'r' });
}

describe('a recipe that is read', () => {
  it('tells each unknown field with its line and the one that was meant', () => {
    expect(read(TEXT).problems).toMatchObject([
      { place: 'r/recipe.yaml:12', path: 'spec.charts.web.exclude[1].nam', remedy: 'did you mean name?' },
      { place: 'r/recipe.yaml:14', path: 'spec.package.varians', remedy: 'did you mean variants?' },
    ]);
  });

  it.each([
    ['a: [\n', 'r/recipe.yaml:2'],
    ['a: 1\n---\nb: 1\n', 'r/recipe.yaml:1'],
    ['', 'r/recipe.yaml:1'],
    ['[1, 2]\n', 'r/recipe.yaml:1'],
    ['? {a: b}\n: c\nspec:\n  versio: 1\n', 'r/recipe.yaml:1'],
  ])('%j is refused at a line', (text, place) => {
    const { input, problems } = read(text);
    expect(input).toBeUndefined();
    expect(problems.map((problem) => problem.place)).toContain(place);
  });

  it('what is missing is told where it is missing', () => {
    const [problem] = read(
      TEXT.replace('  version: 1.2.0\n', '').replace('varians', 'variants').replace('nam:', 'name:'),
    ).problems;
    expect(problem).toMatchObject({ path: 'spec.version', message: 'is required', place: 'r/recipe.yaml:5' });
  });

  it('the one of the guide has nothing wrong', () => {
    const [, text = ''] = /```yaml\n([^]*?)```/.exec(readFileSync('docs/guides/authors.md', 'utf8')) ?? [];
    expect(recipeFindings(read(text))).toEqual([]);
    expect(read(text).input?.recipe.metadata.name).toBe('shop');
  });

  it('an item of a list has its own line', () => {
    const [problem] = read(TEXT.replace('{kind: Job, nam: x}', '{}').replace('varians', 'variants')).problems;
    expect(problem).toMatchObject({ path: 'spec.charts.web.exclude[1]', place: 'r/recipe.yaml:12' });
  });

  it('one that is at fault is refused with the first place, and how many more there are', () => {
    expect(() => requireSound(read(TEXT), [])).toThrow(/^r\/recipe\.yaml:12: .*nam: unknown field, and 1 more/);
  });
});
