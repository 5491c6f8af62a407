import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { asKubepkgError } from '../../src/api/errors.ts';
import { parsePackage, parsePackageSource } from '../../src/api/parse.ts';
import { parseRecipe } from '../../src/api/recipe.ts';
import { CommanderError } from '../../src/cli/commander.ts';
import { buildProgram } from '../../src/cli/program/program.ts';
import { checkRecipe } from '../../src/domain/resolve/recipe/check-recipe.ts';
import { sourceOfRecipe } from '../../src/domain/resolve/recipe/recipe-source.ts';
import { resolvePackage } from '../../src/domain/resolve/resolve-package.ts';
import { parseScenario } from '../../src/embedded/scenario/index.ts';
import { asArray, asString, at, isJsonObject, type JsonObject, type JsonValue } from '../../src/lib/json.ts';
import { parseYamlDocuments, writeYaml } from '../../src/lib/yaml.ts';
import { commandsOf, GUIDES, type ShellCommand, type Snippet, snippetsOf } from '../build/snippets.ts';
import { CliWorld } from '../fakes/cli-world.ts';

const SNIPPETS = GUIDES.flatMap(snippetsOf);
const named = (snippets: readonly Snippet[]): readonly (readonly [string, Snippet])[] =>
  snippets.map((snippet) => [`${snippet.page}:${String(snippet.line)}`, snippet]);

/** What is shown and cannot be run: how it begins, and the test that has the same from the program, or why there is none. */
const OUTPUTS: readonly (readonly [page: string, begins: string, keptBy: string])[] = [
  ['README.md', '$ kubepkg install shop -f shop-1.2.0.yaml', 'a recording of make demo, which differs with each run'],
  [
    'docs/guides/cli.md',
    '2030-01-01T00:00:12Z  shop: revision 2 (1.1.0) begun',
    'src/cli/watch/await-packages.test.ts',
  ],
  ['docs/guides/cli.md', 'shop  Progressing  component app (2 of 2)', 'test/e2e/cli/looking.test.ts'],
  [
    'docs/guides/resolving.md',
    'ACTION    PACKAGE   FROM   TO      VARIANT   WHY\ninstall   base',
    'test/golden/resolving.test.ts',
  ],
  [
    'docs/guides/resolving.md',
    'ACTION    PACKAGE   FROM    TO      VARIANT   WHY\ninstall   shop',
    'test/golden/resolving.test.ts',
  ],
  ['docs/guides/resolving.md', 'error: no versions fit together: billing', 'test/golden/resolving.test.ts'],
  ['docs/guides/resolving.md', 'error: no versions fit together: shop', 'test/golden/resolving.test.ts'],
  ['docs/guides/resolving.md', 'error: no versions fit together: base', 'test/golden/resolving.test.ts'],
  [
    'docs/guides/resolving.md',
    'ACTION      PACKAGE   FROM    TO      VARIANT   WHY\ndowngrade',
    'test/golden/resolving.test.ts',
  ],
];

/** Programs of others, by their first words; test/e2e/docs/snippets.test.ts runs those that have an effect on a cluster. */
const OTHERS: readonly string[] = [
  'kubectl apply --server-side -f -',
  'kubectl create namespace kubepkg-system',
  'kubectl -n argocd delete application',
  'source',
];

describe('a block of a guide that shows output', () => {
  const outputs = SNIPPETS.filter(({ kind }) => kind === 'output');

  it.each(named(outputs))('%s is one of those that a test has, or has a reason', (_place, { page, text }) => {
    expect(OUTPUTS.filter(([path, begins]) => path === page && text.startsWith(begins))).toHaveLength(1);
  });

  it.each(OUTPUTS)('%s still has the one that begins with %s', (page, begins, keptBy) => {
    expect(outputs.filter((each) => each.page === page && each.text.startsWith(begins))).toHaveLength(1);
    if (keptBy.endsWith('.ts')) expect(existsSync(keptBy)).toBe(true);
  });
});

describe('a command of a guide', () => {
  const shell = SNIPPETS.filter(({ kind, text }) => kind === 'shell' || text.startsWith('$ kubepkg '));
  const commands = shell.flatMap((snippet) =>
    commandsOf(snippet.kind === 'shell' ? snippet : { ...snippet, text: snippet.text.split('\n')[0] ?? '' }),
  );
  const own = [...commands, ...scripts()].filter(({ words }) => words[0] === 'kubepkg');
  const rows = (some: readonly ShellCommand[]) =>
    some.map(({ words, place }) => [words.join(' '), place, words] as const);

  it('is looked for where there are some', () => {
    expect(own.length).toBeGreaterThan(50);
  });

  it.each(rows(own))(
    '%s (%s) is one that the program knows, with these arguments and flags',
    async (_line, _place, words) => {
      await expect(parse(words.slice(1))).resolves.toBeUndefined();
    },
  );

  it.each([['instal shop'], ['install shop --wiat'], ['rollback'], ['plan shop --fail-on often'], ['render shop']])(
    'kubepkg %s would be found out',
    async (line) => {
      await expect(parse(line.split(' '))).rejects.toThrow(CommanderError);
    },
  );

  it.each(rows(commands.filter(({ words }) => words[0] === 'make')))(
    '%s (%s) is a target of the Makefile',
    (_line, _place, words) => {
      expect(readFileSync('Makefile', 'utf8')).toMatch(new RegExp(`^${String(words[1])}:`, 'm'));
    },
  );

  it.each(rows(commands.filter(({ words }) => !['kubepkg', 'make'].includes(words[0] ?? ''))))(
    '%s (%s) is of another program, and listed here',
    (line) => {
      expect(OTHERS.filter((known) => line.startsWith(known))).toHaveLength(1);
    },
  );
});

/** What jobs of a CI system run, as YAML of a guide has it. */
function scripts(): readonly ShellCommand[] {
  return SNIPPETS.filter(({ kind }) => kind === 'yaml').flatMap((snippet) =>
    parseYamlDocuments(snippet.text, snippet.page)
      .flatMap(jobsIn)
      .flatMap((job) => asArray(at(job, 'script')))
      .flatMap((line) => commandsOf({ ...snippet, text: asString(line) ?? '' })),
  );
}

function jobsIn(document: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(document) || document['kind'] !== undefined) return [];
  return Object.values(document).filter((job) => at(job, 'script') !== undefined);
}

/** Throws what the program would say of a command line; nothing is run. */
async function parse(words: readonly string[]): Promise<void> {
  const program = buildProgram(new CliWorld().host(), () => Promise.resolve());
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  }
  await program.parseAsync([...words], { from: 'user' });
}

const SCENARIO = { apiVersion: 'rehearse.kubepkg.dev/v1', kind: 'Scenario', metadata: { name: 'part' } };

describe('YAML of a guide', () => {
  const blocks = SNIPPETS.filter(({ kind }) => kind === 'yaml');

  it.each(named(blocks))('%s is an object without a fault, whose every variant can be installed', (_place, snippet) => {
    const objects = parseYamlDocuments(filledIn(snippet.text), snippet.page).map((value) => whole(value, snippet));
    expect(objects).not.toEqual([]);
    for (const object of objects) expect(faultsOf(object)).toEqual([]);
  });

  it.each([
    ['a field that does not exist', '{kind: Package, spec: {versoin: "1"}}'],
    ['a constraint', '{kind: Package, spec: {upgrade: {timeout: soon}}}'],
    [
      'a dependency',
      '{kind: PackageSource, spec: {variants: [{name: default, components: [{name: a, chart: {repository: "oci://r.example.org/x", name: a, version: 1.0.0}, install: {namespace: a, dependsOn: [b]}}]}]}}',
    ],
    ['a kind', '{kind: Pakage, spec: {}}'],
    ['a scenario', '{kind: Scenario, podz: []}'],
  ])('%s that is wrong would be found out', (_what, text) => {
    const object = {
      apiVersion: 'kubepkg.dev/v1',
      metadata: { name: 'shop' },
      ...(parseYamlDocuments(text, '')[0] as JsonObject),
    };
    expect(faultsOf(object)).not.toEqual([]);
  });

  /** What a reader has to fill in. */
  function filledIn(text: string): string {
    return text.replaceAll('sha256:…', `sha256:${'a'.repeat(64)}`);
  }

  /** A part goes on with the object that the page has shown before it. */
  function whole(value: JsonValue, { page, line }: Snippet): JsonObject {
    if (!isJsonObject(value)) throw new Error(`${page}:${String(line)} is no object`);
    if (value['kind'] !== undefined || jobsIn(value).length > 0) return value;
    if (page.endsWith('rehearse-scenarios.md')) return { ...SCENARIO, ...value };
    const before = blocks
      .filter((each) => each.page === page && each.line < line)
      .flatMap((each) => parseYamlDocuments(filledIn(each.text), page))
      .findLast((each) => at(each, 'kind') === 'PackageSource');
    const spec = { ...(at(before, 'spec') as JsonObject), ...(value['spec'] as JsonObject) };
    return { ...(before as JsonObject), spec };
  }
});

/** What this program would say against an object; of another's kind only that it is one. */
function faultsOf(object: JsonObject): readonly string[] {
  if (jobsIn(object).length > 0) return [];
  const kind = asString(object['kind']) ?? '';
  switch (kind) {
    case 'Package': {
      const parsed = parsePackage(object as unknown as KubeObject, { strict: true });
      return parsed.ok ? [] : [parsed.error.message];
    }
    case 'PackageSource':
      return faultsOfSource(object);
    case 'Recipe':
      return faultsOfRecipe(object);
    case 'Scenario':
      return faultsOfScenario(object);
    case 'Service':
      return at(object, 'spec', 'ports') === undefined ? ['a Service has ports'] : [];
    default:
      return [`nobody checks a ${kind}`];
  }
}

function faultsOfScenario(object: JsonObject): readonly string[] {
  try {
    parseScenario(writeYaml(object), 'of the guide');
    return [];
  } catch (thrown) {
    return [asKubepkgError(thrown).message];
  }
}

function faultsOfRecipe(object: JsonObject): readonly string[] {
  const recipe = parseRecipe(object);
  if (!recipe.ok) return [recipe.error.message];
  const written = at(object, 'spec', 'package') as JsonObject;
  const tree = { kind: 'tree', url: 'oci://registry.example.org/built:1' } as const;
  const source = sourceOfRecipe(recipe.value, written, tree) as unknown as JsonObject;
  return [...checkRecipe(recipe.value).map(({ path, message }) => `${path}: ${message}`), ...faultsOfSource(source)];
}

function faultsOfSource(object: JsonObject): readonly string[] {
  const source = parsePackageSource(object as unknown as KubeObject, { strict: true });
  if (!source.ok) return [source.error.message];
  const { name } = source.value.metadata;
  return (source.value.spec.variants ?? []).flatMap(({ name: variant }) => {
    const pkg = parsePackage({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', metadata: { name }, spec: { variant } });
    if (!pkg.ok) return [pkg.error.message];
    const resolution = resolvePackage(pkg.value, source.value, { defaultBackend: 'helm' });
    return resolution.kind === 'unresolvable' ? [resolution.message] : [];
  });
}

describe('words of the guides outside of blocks', () => {
  const program = buildProgram(new CliWorld().host(), () => Promise.resolve());
  /** Flags of helm, kubectl, and the controllers of Flux. */
  const OF_OTHERS: readonly string[] = [
    '--help',
    '--server-side',
    '--repo',
    '--reset',
    '--default-service-account',
    '--watch-label-selector',
  ];
  const inline = GUIDES.flatMap((page) =>
    [
      ...readFileSync(page, 'utf8')
        .replaceAll(/^```[^]*?^```/gm, '')
        .matchAll(/`([^`\n]+)`/g),
    ].map(([, text = '']) => [page, text] as const),
  );

  it('name commands that exist', () => {
    const names = new Set(program.commands.map((command) => command.name()));
    const said = inline.flatMap(([page, text]) => {
      const name = /^kubepkg ([a-z]+)/.exec(text)?.[1];
      return name === undefined || names.has(name) ? [] : [`${page}: ${text}`];
    });
    expect(said).toEqual([]);
  });

  it('name flags that exist', () => {
    const known = new Set(
      [program, ...program.commands].flatMap(({ options }) => options.flatMap(({ long, short }) => [long, short])),
    );
    const said = inline.flatMap(([page, text]) =>
      [...text.matchAll(/(?<=^| )--[a-z][a-z-]*/g)].flatMap(([flag]) =>
        known.has(flag) || OF_OTHERS.includes(flag) ? [] : [`${page}: ${text}`],
      ),
    );
    expect(said).toEqual([]);
  });

  it('docs/guides/cli.md has each command in its table', () => {
    const table = readFileSync('docs/guides/cli.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `kubepkg '));
    const missing = program.commands.filter(
      (command) => !table.some((row) => row.includes(`\`kubepkg ${command.name()}`)),
    );
    expect(missing.map((command) => command.name())).toEqual([]);
  });
});
