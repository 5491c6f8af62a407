import type { Examination, ExaminedVariant, RecipeInput } from '../../compose/authoring.ts';
import type { PlanFacts, PredictedFinding } from '../../domain/plan/predictions/facts.ts';
import { broughtCrds } from '../../domain/plan/predictions/crds.ts';
import { PREDICTIONS } from '../../domain/plan/predictions/predictions.ts';
import { type Severity, SEVERITIES } from '../../domain/plan/finding.ts';
import { removedApi } from '../../domain/plan/predictions/removed-apis.ts';
import { checkRecipe, findPlugins, findUseless } from '../../domain/resolve/recipe/check-recipe.ts';
import { DEFAULT_VARIANT } from '../../api/package.ts';
import { findLooseImages } from './images.ts';
import type { PlacedProblem, RecipeFile } from './recipe-file.ts';

/** The predictions that need no cluster, and how much they matter to an author. */
const OFFLINE: Readonly<Record<string, Severity>> = {
  ValuesInvalid: 'error',
  HookValuesRefused: 'error',
  RenderFailed: 'error',
  ReleaseTooLarge: 'error',
  CRDNotDeclared: 'error',
  ReleaseNearLimit: 'warning',
  NoReadiness: 'warning',
  SafeWithHooks: 'warning',
  TrueOfNothing: 'warning',
};

/** What is wrong with the recipe itself, in the words of its fields. */
export function recipeFindings({ input, problems, placeOf }: RecipeFile): readonly PredictedFinding[] {
  if (input === undefined) return problems.map(problemFinding);
  const own = [...checkRecipe(input.recipe), ...findPlugins(input.recipe)];
  const errors = own.map((problem) => problemFinding({ ...problem, place: placeOf(problem.path) }));
  const useless = findUseless(input.recipe).map((problem) => {
    return {
      ...problemFinding({ ...problem, place: placeOf(problem.path) }),
      code: 'Useless',
      severity: 'warning' as const,
    };
  });
  return [...errors, ...useless, ...unverified(input, placeOf), ...selfFindings(input, placeOf)];
}

function problemFinding({ place, path, message, remedy }: PlacedProblem): PredictedFinding {
  return {
    code: 'RecipeInvalid',
    severity: 'error',
    subject: place,
    message: path === '' ? message : `${path}: ${message}`,
    remedy: remedy ?? 'correct the field',
  };
}

function unverified({ recipe }: RecipeInput, placeOf: RecipeFile['placeOf']): readonly PredictedFinding[] {
  if (recipe.spec.verify === undefined) return [];
  return [
    {
      code: 'NotVerified',
      severity: 'warning',
      subject: placeOf('spec.verify'),
      message: 'spec.verify: kubepkg does not check signatures; digests and checksums are checked',
      remedy: 'check the signatures with cosign and helm before you build, then build with --no-verify',
    },
  ];
}

function selfFindings({ recipe }: RecipeInput, placeOf: RecipeFile['placeOf']): readonly PredictedFinding[] {
  const { metadata, spec } = recipe;
  const { variants = [] } = spec.package;
  const findings: PredictedFinding[] = [];
  variants.forEach(({ requires = [], dependsOn = [] }, index) => {
    if (![...requires.map((each) => each.package), ...dependsOn].includes(metadata.name)) return;
    const path = `spec.package.variants[${String(index)}].requires`;
    const message = `${path}: the package requires itself`;
    const remedy = 'leave that requirement out';
    findings.push({ code: 'RequiresItself', severity: 'error', subject: placeOf(path), message, remedy });
  });
  if (!variants.some(({ name }) => name === DEFAULT_VARIANT)) {
    findings.push({
      code: 'NoDefaultVariant',
      severity: 'warning',
      subject: placeOf('spec.package.variants'),
      message: `spec.package.variants: none is called ${DEFAULT_VARIANT}, which is what a Package asks for`,
      remedy: `call one ${DEFAULT_VARIANT}`,
    });
  }
  return findings;
}

/** What building and rendering it has shown, the worst first. */
export function examinationFindings({ variants, failure }: Examination): readonly PredictedFinding[] {
  const failed: readonly PredictedFinding[] =
    failure === undefined
      ? []
      : [
          {
            code: failure.code,
            severity: 'error',
            subject: 'build',
            message: failure.message,
            remedy: failure.hint ?? 'correct the recipe, or what it is made from',
          },
        ];
  const all = [...failed, ...variants.flatMap(variantFindings), ...(failure === undefined ? unusedCrds(variants) : [])];
  return inOrder(withoutRepeated(all));
}

function variantFindings(examined: ExaminedVariant): readonly PredictedFinding[] {
  if ('problem' in examined) {
    const { variant, problem } = examined;
    const remedy = 'correct the variant in spec.package';
    const subject = `variant ${variant}`;
    return [{ code: 'InvalidConfiguration', severity: 'error', subject, message: problem, remedy }];
  }
  const { facts } = examined;
  const foreseen = PREDICTIONS.flatMap(({ id, find }) => {
    const severity = OFFLINE[id];
    return severity === undefined ? [] : find(facts).map((each) => ({ code: id, severity, ...each }));
  });
  return [...foreseen, ...removedApis(facts), ...ownNamespaces(facts), ...refusals(facts), ...findLooseImages(facts)];
}

function removedApis({ components }: PlanFacts): readonly PredictedFinding[] {
  return components.flatMap(({ component, objects }) =>
    objects.flatMap(({ after }) => {
      const removed = removedApi(after);
      if (removed === undefined) return [];
      const { apiVersion, kind, metadata } = after;
      return [
        {
          code: 'ApiVersionRemoved',
          severity: 'error' as const,
          subject: `component ${component.name}: ${kind} ${metadata.name}`,
          message: `Kubernetes serves ${kind} of ${apiVersion} no more since 1.${String(removed.since)}`,
          remedy: `write it as ${removed.replacement}`,
        },
      ];
    }),
  );
}

/** Helm refuses to install over a namespace that kubepkg has made for it. */
function ownNamespaces({ components }: PlanFacts): readonly PredictedFinding[] {
  const made = new Set(components.map(({ component }) => component.namespace));
  return components.flatMap(({ component, objects }) =>
    objects
      .filter(({ after }) => after.apiVersion === 'v1' && after.kind === 'Namespace' && made.has(after.metadata.name))
      .map(({ after }) => ({
        code: 'NamespaceInChart',
        severity: 'error' as const,
        subject: `component ${component.name}: Namespace ${after.metadata.name}`,
        message: 'kubepkg makes the namespaces of components itself, and helm refuses one that is there',
        remedy:
          'leave it out of the chart: exclude: [{kind: Namespace}] for manifests, values or an overlay for a chart',
      })),
  );
}

const TOLD: readonly string[] = ['ValuesInvalid', 'RenderFailed', 'ChartInvalid', 'InvalidConfiguration'];

/** Those that no prediction tells. */
function refusals({ components }: PlanFacts): readonly PredictedFinding[] {
  return components.flatMap(({ component, refusal }) =>
    refusal === undefined || TOLD.includes(refusal.code)
      ? []
      : [
          {
            code: refusal.code,
            severity: 'error' as const,
            subject: `component ${component.name}`,
            message: refusal.message,
            remedy: 'correct the chart, or the component',
          },
        ],
  );
}

/** CRDs that the package claims and no variant brings: another package could not bring them either. */
function unusedCrds(variants: readonly ExaminedVariant[]): readonly PredictedFinding[] {
  const all = variants.flatMap((each) => ('facts' in each ? [each.facts] : []));
  const isWhole =
    all.length === variants.length &&
    all.every(({ components }) => components.every(({ refusal }) => refusal === undefined));
  if (!isWhole) return [];
  const brought = new Set(all.flatMap(({ components }) => components.flatMap(broughtCrds)).map(nameOfCrd));
  const declared = all[0]?.package.crds ?? [];
  return declared
    .filter((name) => !brought.has(name))
    .map((name) => ({
      code: 'CRDNotBrought',
      severity: 'warning',
      subject: 'spec.package.crds',
      message: `${name} is declared, and no chart brings it with the default values`,
      remedy: 'take it from the list, unless the package makes it while it runs',
    }));
}

function nameOfCrd({ metadata }: { readonly metadata: { readonly name: string } }): string {
  return metadata.name;
}

function withoutRepeated(findings: readonly PredictedFinding[]): readonly PredictedFinding[] {
  return [...new Map(findings.map((each) => [`${each.code} ${each.subject} ${each.message}`, each])).values()];
}

export function inOrder(findings: readonly PredictedFinding[]): readonly PredictedFinding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}
