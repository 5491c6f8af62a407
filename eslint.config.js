import tseslint from 'typescript-eslint';
import { house } from './dev/lint/plugin.mjs';

const LIMITS = {
  complexity: ['error', { max: 10, variant: 'modified' }],
  'max-depth': ['error', 3],
  'max-lines': ['error', 450],
  'max-lines-per-function': ['error', { max: 80, skipBlankLines: false, skipComments: false, IIFEs: true }],
  '@typescript-eslint/max-params': ['error', { max: 3 }],
};

const MODULE_MOCKS = ['mock', 'doMock', 'unmock', 'doUnmock', 'hoisted'].map((property) => ({
  object: 'vi',
  property,
  message: 'Hand the unit a fake or a failing wrapper from test/fakes instead of replacing its modules.',
}));

const SWITCHED_OFF_TESTS = ['it', 'test', 'describe'].flatMap((object) =>
  ['only', 'skip', 'todo', 'fails'].map((property) => ({ object, property, message: 'Every test runs, always.' })),
);

const NO_DEFAULT_EXPORT = [
  { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
  { selector: "ExportSpecifier[exported.name='default']", message: 'Export by name.' },
];

const NO_ENUM = { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' };

const PURE = [
  { selector: ':function[async=true]', message: 'Decisions are synchronous: gather first, then decide.' },
  { selector: 'AwaitExpression', message: 'Decisions are synchronous: gather first, then decide.' },
  { selector: "NewExpression[callee.name='Promise']", message: 'Decisions are synchronous.' },
  { selector: "NewExpression[callee.name='Date']", message: 'Decisions take `now` as a number; lib/ converts times.' },
];

const IMPURE_GLOBALS = ['Date', 'process', 'console', 'performance', 'fetch', 'crypto', 'globalThis', 'queueMicrotask'];

const TEST_FILES = ['**/*.test.ts', 'test/**/*.ts'];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.cache/', 'bench/out/', 'node_modules/'] },
  {
    linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' },
  },
  {
    name: 'every file',
    files: ['**/*.ts', '**/*.mjs', '**/*.js'],
    plugins: { house, '@typescript-eslint': tseslint.plugin },
    languageOptions: { parser: tseslint.parser },
    rules: {
      ...LIMITS,
      eqeqeq: 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'anywhere' }],
      'no-restricted-syntax': ['error', NO_ENUM, ...NO_DEFAULT_EXPORT],
      'no-param-reassign': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'house/explained-suppression': 'error',
      'house/no-module-state': 'error',
      'house/no-swallowed-error': 'error',
    },
  },
  {
    name: 'typed files',
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/prefer-readonly': 'error',
      // There are no enums to compare or assign.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_' }],
    },
  },
  {
    name: 'the product',
    files: ['src/**/*.ts'],
    rules: { 'house/floors': 'error', 'house/no-clock': 'error' },
  },
  {
    name: 'decisions',
    files: ['src/domain/**/*.ts'],
    ignores: TEST_FILES,
    rules: {
      'no-restricted-syntax': ['error', NO_ENUM, ...NO_DEFAULT_EXPORT, ...PURE],
      'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
    },
  },
  {
    name: 'where time is made',
    files: ['src/adapters/clock/**/*.ts'],
    rules: { 'house/no-clock': 'off' },
  },
  {
    name: 'tests',
    files: TEST_FILES,
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/max-params': 'off',
      'house/no-clock': ['error', { allowReads: true }],
      'no-restricted-properties': ['error', ...MODULE_MOCKS, ...SWITCHED_OFF_TESTS],
    },
  },
  {
    name: 'configuration, which its readers want by default export',
    files: ['**/*.config.ts', '*.config.js', '.*.mjs'],
    rules: { 'no-restricted-syntax': ['error', NO_ENUM] },
  },
);
