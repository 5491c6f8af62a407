import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const CLUSTER_TESTS = ['integration', 'conformance', 'e2e', 'controlplane', 'standin'].map(
  (name) => `test/${name}/**/*.test.ts`,
);
/** They bring a cluster along, and need but programs. */
const EMBEDDED_TESTS = [
  'test/conformance/embedded-*.test.ts',
  'test/e2e/embedded/**/*.test.ts',
  'test/e2e/promises/embedded.test.ts',
];
const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

export default defineConfig({
  define: { __KUBEPKG_VERSION__: JSON.stringify(manifest.version) },
  test: {
    allowOnly: false,
    maxWorkers: 2,
    retry: 0,
    teardownTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'dev/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: CLUSTER_TESTS,
          pool: 'threads',
          setupFiles: ['test/setup/fast-check.ts'],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'embedded',
          include: EMBEDDED_TESTS,
          pool: 'forks',
          globalSetup: ['test/setup/programs.ts'],
          setupFiles: ['test/setup/fast-check.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: CLUSTER_TESTS,
          exclude: EMBEDDED_TESTS,
          pool: 'forks',
          globalSetup: ['test/setup/control-plane.ts'],
          setupFiles: ['test/setup/fast-check.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
