import type { Mutant } from '../mutant.ts';

const cel = 'src/lib/cel/cel.ts';
const expression = 'src/domain/readiness/expression.ts';
const healthCheckExprsTest = 'src/domain/readiness/health-check-exprs.test.ts';
const healthCheckExprs = 'src/domain/readiness/health-check-exprs.ts';
const checkExpressions = 'src/domain/resolve/check-expressions.ts';
const checkExpressionsTest = 'src/domain/resolve/check-expressions.test.ts';

/** Faults in expressions, and in what an answer means. */
export const CEL: readonly Mutant[] = [
  {
    id: 'cel-missing-field-is-an-error',
    promise: 'P8',
    file: cel,
    search: "if (result.reason === 'missing') return { kind: 'missing', path: result.message };",
    replace: '',
    killedBy: {
      file: 'src/lib/cel/cel.test.ts',
      test: 'an expression F16 tells a field that is not there from an error: a variable',
    },
  },
  {
    id: 'cel-error-is-false',
    promise: 'P8',
    file: expression,
    search: "if (outcome.kind !== 'value') return outcome;",
    replace: "if (outcome.kind !== 'value') return { kind: 'false' };",
    killedBy: {
      file: healthCheckExprsTest,
      test: 'a CEL health check P8 gives the verdict of Flux: a fault in failed ends it',
    },
  },
  {
    id: 'cel-not-a-bool-is-true',
    promise: 'P8',
    file: expression,
    search: "return { kind: 'error', message: 'its result is neither true nor false' };",
    replace: "return { kind: 'true' };",
    killedBy: { file: 'src/domain/readiness/ready-when.test.ts', test: 'an expression of readyWhen P7 no bool' },
  },
  {
    id: 'cel-current-is-asked-first',
    promise: 'P8',
    file: healthCheckExprs,
    search: "['inProgress', 'failed', 'current']",
    replace: "['current', 'failed', 'inProgress']",
    killedBy: {
      file: healthCheckExprsTest,
      test: 'a CEL health check P8 gives the verdict of Flux: inProgress before failed',
    },
  },
  {
    id: 'cel-failed-before-in-progress',
    promise: 'P8',
    file: healthCheckExprs,
    search: "['inProgress', 'failed', 'current']",
    replace: "['failed', 'inProgress', 'current']",
    killedBy: {
      file: healthCheckExprsTest,
      test: 'a CEL health check P8 gives the verdict of Flux: inProgress before failed',
    },
  },
  {
    id: 'cel-old-status-counts',
    promise: 'P8',
    file: healthCheckExprs,
    search: 'if (stale !== undefined) return stale;',
    replace: '',
    killedBy: { file: healthCheckExprsTest, test: 'a CEL health check P8 gives the verdict of Flux: an old status' },
  },
  {
    id: 'cel-version-of-the-api-counts',
    promise: 'P8',
    file: healthCheckExprs,
    search: 'groupOf(expr.apiVersion) === groupOf(ref.apiVersion)',
    replace: 'expr.apiVersion === ref.apiVersion',
    killedBy: {
      file: healthCheckExprsTest,
      test: 'a CEL health check P8 is about objects by group and kind: another version',
    },
  },
  {
    id: 'cel-is-not-compiled-at-plan-time',
    promise: 'P8',
    file: 'src/domain/resolve/resolve-package.ts',
    search: 'findInvalidExpression(desired) ??\n',
    replace: '',
    killedBy: {
      file: 'src/domain/resolve/resolve-package.test.ts',
      test: "what stands against it 'P8 an expression that does not compile'",
    },
  },
  {
    id: 'cel-types-are-not-checked',
    promise: 'P8',
    file: checkExpressions,
    search: 'const compilation = compileCel(expression, { variables });',
    replace: 'const compilation = compileCel(expression);',
    killedBy: {
      file: checkExpressionsTest,
      test: 'expressions of a package P8 are refused with the place: a slip in the name of a variable',
    },
  },
  {
    id: 'cel-hooks-are-not-checked',
    promise: 'P8',
    file: checkExpressions,
    search: '[...desired.components, ...desired.hooks]',
    replace: 'desired.components',
    killedBy: { file: checkExpressionsTest, test: 'expressions of a package P8 are looked at in hooks, too' },
  },
  {
    id: 'cel-result-may-be-anything',
    promise: 'P8',
    file: cel,
    search: "if (type.name === result.name || (mayBeUnknown && type.name === 'dyn')) return undefined;",
    replace: 'return undefined;',
    killedBy: {
      file: checkExpressionsTest,
      test: 'expressions of a package P8 are refused with the place: a result that is no bool',
    },
  },
  {
    id: 'cel-words-as-fields-in-our-rules',
    promise: 'P5',
    file: 'src/api/schema.ts',
    search: 'has(self.${escapeName(field)})',
    replace: 'has(self.${field})',
    killedBy: {
      file: 'src/api/crd.test.ts',
      test: 'packagesources.kubepkg.dev has no rule that API servers before 1.32 refuse, for a field named like a word of CEL',
    },
  },
];
