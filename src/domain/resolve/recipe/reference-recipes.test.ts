import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePackage, parsePackageSource } from '../../../api/parse.ts';
import { parseRecipe, type Recipe } from '../../../api/recipe.ts';
import { isJsonObject, type JsonObject, type JsonValue, at } from '../../../lib/json.ts';
import { parseYaml } from '../../../lib/yaml.ts';
import { resolvePackage } from '../resolve-package.ts';
import { checkRecipe, findPlugins } from './check-recipe.ts';
import { type PublishedChart, sourceOfRecipe } from './recipe-source.ts';

const FOLDER = new URL('../../../../test/fixtures/recipes/', import.meta.url);
const FILES = readdirSync(FOLDER);

interface Read {
  readonly recipe: Recipe;
  readonly written: JsonObject;
}

function read(file: string): Read {
  const value = parseYaml(readFileSync(new URL(file, FOLDER), 'utf8'), file);
  const parsed = parseRecipe(value);
  if (!parsed.ok) throw parsed.error;
  const written = at(value, 'spec', 'package') as JsonValue | undefined;
  return { recipe: parsed.value, written: isJsonObject(written) ? written : {} };
}

/** As if all its charts had been pushed. */
function publishedOf({ recipe }: Read): ReadonlyMap<string, PublishedChart> {
  const { name } = recipe.metadata;
  const repository = `oci://registry.example.org/packages/${name}`;
  const charts = Object.keys(recipe.spec.charts ?? {});
  return new Map(
    charts.map((chart) => [chart, { repository, name: chart, version: '1.0.0-1', digest: `sha256:${'a'.repeat(64)}` }]),
  );
}

describe('recipes of the form that the former implementation has', () => {
  it.each(FILES)('%s is read as it is, and nothing speaks against it', (file) => {
    const { recipe } = read(file);
    expect(checkRecipe(recipe)).toEqual([]);
  });

  it('programs of others are read, and refused where they would have to run', () => {
    expect(FILES.flatMap((file) => findPlugins(read(file).recipe)).map(({ path }) => path)).toEqual([
      'spec.sources.made.plugin',
      'spec.charts.made.steps[0]',
      'spec.charts.made.steps[1]',
    ]);
  });

  it.each(FILES)('%s becomes a PackageSource whose every variant can be installed', (file) => {
    const input = read(file);
    const publication = { kind: 'charts', charts: publishedOf(input) } as const;
    const source = parsePackageSource(sourceOfRecipe(input.recipe, input.written, publication), { strict: true });
    if (!source.ok) throw source.error;
    const { version, build } = input.recipe.spec;
    expect(source.value.spec).toMatchObject({ version, build });
    for (const { name: variant, components = [] } of source.value.spec.variants ?? []) {
      expect(components.every(({ chart, path }) => chart !== undefined && path === undefined)).toBe(true);
      const metadata = { name: input.recipe.metadata.name };
      const pkg = parsePackage({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', metadata, spec: { variant } });
      if (!pkg.ok) throw pkg.error;
      expect(resolvePackage(pkg.value, source.value, { defaultBackend: 'helm' })).toMatchObject({ kind: 'resolved' });
    }
  });
});
