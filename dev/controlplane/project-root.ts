import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UserError } from './user-error.ts';

const MODULE_FOLDER = join('dev', 'controlplane');

/**
 * The checkout that holds the Go module files, stages and supervisor. Looked up from the working directory because
 * the bundled tool does not live beside them.
 */
export function findProjectRoot(start: string = process.cwd()): string {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (isProjectRoot(folder)) return folder;
    if (folder === dirname(folder)) break;
  }
  throw new UserError(
    `No kubepkg checkout found in ${resolve(start)} or above it.`,
    'Run this from a checkout of the kubepkg repository, or pass its folder as projectRoot.',
  );
}

export function controlPlaneFile(root: string, ...names: readonly string[]): string {
  return join(root, MODULE_FOLDER, ...names);
}

function isProjectRoot(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest) || !existsSync(controlPlaneFile(folder, 'supervisor.mjs'))) return false;
  const parsed: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'name' in parsed && parsed.name === 'kubepkg';
}
