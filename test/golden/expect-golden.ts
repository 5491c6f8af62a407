import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Compares a text with a file of the repository; with UPDATE_GOLDEN=1 the file is written instead. */
export function expectGolden(path: string, actual: string): void {
  const file = join(ROOT, path);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, actual);
  }
  expect(actual, `${path} is out of date: look at the difference, then run this test with UPDATE_GOLDEN=1`).toBe(
    readFileSync(file, 'utf8'),
  );
}
