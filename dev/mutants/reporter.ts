import { appendFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { RunEvent } from './verdict.ts';

/** Writes each result at once, so that what was learnt stays known when a later test never ends. */
export function reportTo(file: string): Reporter {
  const tell = (event: RunEvent): void => appendFileSync(file, `${JSON.stringify(event)}\n`);
  return {
    onTestCaseResult: (test) =>
      tell({ kind: 'test', ...whereIs(test.module), name: test.fullName, state: stateOf(test) }),
    onTestModuleEnd: (module) =>
      tell({ kind: 'module', ...whereIs(module), errors: module.errors().map(({ message }) => message) }),
  };
}

function whereIs(module: TestModule): { project: string; file: string } {
  const file = relative(process.cwd(), module.moduleId).split(sep).join('/');
  return { project: module.project.name, file };
}

function stateOf(test: TestCase): string {
  return test.result().state;
}
