import type { Recipe, RecipeChart } from '../../../api/recipe.ts';
import { formatPath, type Problem } from '../../../api/unknown-fields.ts';
import { didYouMeanHint } from '../../../lib/did-you-mean.ts';
import { parseVersion } from '../../../lib/semver/version.ts';
import { chartNameOf } from './recipe-source.ts';

/** It becomes the name of a file. */
const SOURCE_NAME = /^[A-Za-z0-9][-A-Za-z0-9._]*$/;
const CHART_NAME = /^[a-z0-9]([-a-z0-9._]*[a-z0-9])?$/;

/** What a recipe says that does not fit together, with nothing read but the recipe. */
export function checkRecipe({ spec }: Recipe): readonly Problem[] {
  const { sources = {}, charts = {} } = spec;
  return [
    ...checkVersion(spec.version),
    ...Object.keys(sources).flatMap((name) => checkName(['spec', 'sources', name], name, SOURCE_NAME)),
    ...Object.entries(charts).flatMap(([name, chart]) => [
      ...checkName(['spec', 'charts', name], name, CHART_NAME),
      ...checkChart(name, chart, spec),
    ]),
    ...checkPackage(spec),
  ];
}

/** Parts that this program reads, and does not carry out. */
export function findPlugins({ spec }: Recipe): readonly Problem[] {
  const { sources = {}, charts = {} } = spec;
  const named = [
    ...Object.entries(sources).flatMap(([name, { plugin }]) =>
      plugin === undefined ? [] : [{ path: ['spec', 'sources', name, 'plugin'], program: `kubepkg-source-${plugin}` }],
    ),
    ...Object.entries(charts).flatMap(([name, { steps = [] }]) =>
      steps.map(({ plugin }, index) => ({
        path: ['spec', 'charts', name, 'steps', index],
        program: `kubepkg-step-${plugin}`,
      })),
    ),
  ];
  return named.map(({ path, program }) => ({
    path: formatPath(path),
    message: `needs the program ${program}, and kubepkg runs no programs of others`,
    remedy: 'keep what it makes beside the recipe, and name it by dir or overlay',
  }));
}

/** What is of no use, and does no harm. */
export function findUseless({ spec }: Recipe): readonly Problem[] {
  return [...unusedCharts(spec.package, Object.keys(spec.charts ?? {})), ...hiddenVariants(spec.package)];
}

function checkVersion(version: string): readonly Problem[] {
  if (parseVersion(version, { strict: true }).kind === 'version') return [];
  return [{ path: 'spec.version', message: 'is no exact version', remedy: 'write one such as 1.2.3, without a v' }];
}

function checkName(path: readonly string[], name: string, form: RegExp): readonly Problem[] {
  if (form.test(name)) return [];
  return [{ path: formatPath(path), message: 'is no usable name', remedy: 'use lower case letters, digits and "-"' }];
}

function checkChart(name: string, chart: RecipeChart, { sources = {} }: Recipe['spec']): readonly Problem[] {
  const known = Object.keys(sources);
  const path = ['spec', 'charts', name];
  const unknown = chart.from.flatMap((source, index) =>
    known.includes(source) ? [] : [unknownName([...path, 'from', index], { what: 'source', name: source, known })],
  );
  const published = chart.from.findIndex((source) => sources[source]?.chart !== undefined);
  if (published < 0) return unknown;
  const rules: Problem[] = [];
  if (chart.from.length > 1) {
    const message = 'is a chart, which is used alone';
    rules.push({ path: formatPath([...path, 'from', published]), message, remedy: 'make a chart of each' });
  }
  if (chart.crdsDir === true) {
    const message = 'is for manifests only: the chart has its CRDs where it has them';
    rules.push({ path: formatPath([...path, 'crdsDir']), message, remedy: 'leave it out' });
  }
  return [...unknown, ...rules];
}

function unknownName(
  path: readonly (string | number)[],
  { what, name, known }: { readonly what: string; readonly name: string; readonly known: readonly string[] },
): Problem {
  const otherwise = known.length === 0 ? `the recipe has no ${what}s` : `known here: ${known.join(', ')}`;
  return {
    path: formatPath(path),
    message: `names ${what} ${name}, which does not exist`,
    remedy: didYouMeanHint(name, known, otherwise),
  };
}

function checkPackage({ charts = {}, package: source }: Recipe['spec']): readonly Problem[] {
  const built = Object.keys(charts);
  const given = { version: source.version, build: source.build || undefined, sourceRef: source.sourceRef };
  const filled = (['version', 'build', 'sourceRef'] as const).filter((field) => given[field] !== undefined);
  const components = (source.variants ?? []).flatMap(({ components: all = [] }, variant) =>
    all.flatMap((component, index) => {
      const path = ['spec', 'package', 'variants', variant, 'components', index];
      if (component.chart !== undefined) {
        const message = 'a recipe builds its charts';
        return [
          { path: formatPath([...path, 'chart']), message, remedy: 'make it a source, and name the chart by path' },
        ];
      }
      if (built.includes(chartNameOf(component.path ?? ''))) return [];
      return [unknownName([...path, 'path'], { what: 'chart', name: component.path ?? '', known: built })];
    }),
  );
  return [...filled.map(filledIn), ...components];
}

function filledIn(field: 'version' | 'build' | 'sourceRef'): Problem {
  const remedy = field === 'sourceRef' ? 'leave it out' : `leave it out: spec.${field} says it`;
  return { path: `spec.package.${field}`, message: 'is filled in by the build', remedy };
}

function unusedCharts({ variants = [] }: Recipe['spec']['package'], built: readonly string[]): readonly Problem[] {
  const used = new Set(
    variants.flatMap(({ components = [], libraries = [] }) =>
      [...components, ...libraries].map(({ path = '' }) => chartNameOf(path)),
    ),
  );
  return built.flatMap((name) =>
    used.has(name)
      ? []
      : [
          {
            path: formatPath(['spec', 'charts', name]),
            message: 'is built, and no component names it',
            remedy: `give a component path: ${name}, or leave the chart out`,
          },
        ],
  );
}

function hiddenVariants({ variants = [] }: Recipe['spec']['package']): readonly Problem[] {
  const names = variants.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            path: formatPath(['spec', 'package', 'variants', index, 'name']),
            message: `is ${name}, as that of an earlier one, which is taken`,
            remedy: 'give each variant a name of its own',
          },
        ],
  );
}
