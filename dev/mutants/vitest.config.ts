import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { type Mutant, plant } from './mutant.ts';
import { reportTo } from './reporter.ts';
import { UNMUTATED } from './verdict.ts';

/** Set by run.ts. */
const mutants = JSON.parse(process.env['KUBEPKG_MUTANTS'] ?? '[]') as readonly Mutant[];

/** Serves the file with the fault in it; the file on the disk stays as it is. */
function overlay(mutant: Mutant): Plugin {
  const path = resolve(mutant.file);
  return {
    name: 'planted-fault',
    enforce: 'pre',
    load: (id) => (id.split('?')[0] === path ? plant(readFileSync(path, 'utf8'), mutant) : undefined),
  };
}

const shared = { pool: 'threads', testTimeout: 20_000, root: process.cwd() } as const;

export default defineConfig({
  test: {
    ...shared,
    maxWorkers: 2,
    passWithNoTests: true,
    reporters: [reportTo(process.env['KUBEPKG_MUTANTS_REPORT'] ?? '')],
    projects: [
      { test: { ...shared, name: UNMUTATED, include: [...new Set(mutants.map(({ killedBy }) => killedBy.file))] } },
      ...mutants.map((mutant) => ({
        plugins: [overlay(mutant)],
        test: { ...shared, name: mutant.id, include: [mutant.killedBy.file] },
      })),
    ],
  },
});
