import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Patience, patiently } from './network-faults.ts';
import type { CrdGroup, GoGroup } from './pins.ts';
import { candidatesOnPath, lastLines, runCommand, withDeathSignal } from './processes.ts';
import { controlPlaneFile } from './project-root.ts';
import { UserError } from './user-error.ts';

const SHOWN_LINES = 15;

export interface GoToolchain {
  readonly version: string;
  readonly target: string;
}

export async function findGo(env: NodeJS.ProcessEnv, needed: string): Promise<GoToolchain> {
  if (candidatesOnPath('go', env['PATH']).length === 0) {
    throw new UserError(
      `The program "go" is not on PATH, and ${needed} has to be built with it.`,
      'Install Go 1.26 or newer (https://go.dev/dl/), or put suitable binaries on PATH or in KUBEBUILDER_ASSETS.',
    );
  }
  const result = await runCommand('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { env });
  const [version, os, arch] = result.stdout.trim().split('\n');
  if (result.code !== 0 || version === undefined) {
    throw new UserError(`"go env" failed: ${lastLines(result.stderr, 3)}`, 'Check the Go installation.');
  }
  return { version, target: `${String(os)}-${String(arch)}` };
}

/** Changes with everything that changes what is made, so that an old entry is never taken for a new one. */
export async function goCacheKey(group: GoGroup | CrdGroup, go: GoToolchain, root: string): Promise<string> {
  const hash = createHash('sha256');
  const folder = controlPlaneFile(root, group.module);
  const sources = (await readdir(folder)).filter((name) => name.endsWith('.go')).sort();
  for (const file of ['go.mod', 'go.sum', ...sources]) hash.update(await readFile(join(folder, file)));
  const recipe = group.kind === 'go' ? goBuildArguments(group, '') : group.from;
  hash.update(JSON.stringify([recipe, go.version, go.target]));
  return hash.digest('hex').slice(0, 16);
}

function goBuildArguments(group: GoGroup, output: string): readonly string[] {
  return ['build', '-trimpath', `-ldflags=${group.ldflags}`, '-o', output, ...group.packages];
}

export async function buildGo(group: GoGroup, folder: string, where: BuildPlace): Promise<void> {
  await mkdir(folder, { recursive: true });
  // One package may be given any file name; several are named by Go, after their folders.
  const single = group.parts.length === 1 ? group.parts[0] : undefined;
  const output = single === undefined ? `${folder}/` : join(folder, single);
  await mustRunGo(goBuildArguments(group, output), group, where);
}

export interface BuildPlace {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly patience: Patience;
}

/** Runs Go in the group's module folder; returns what it wrote to standard output. */
export async function mustRunGo(
  args: readonly string[],
  group: GoGroup | CrdGroup,
  where: BuildPlace,
): Promise<string> {
  // What has been downloaded and built is not done again.
  const { code, output, stdout } = await patiently(() => runGo(args, group, where), where.patience);
  if (code === 0) return stdout;
  const tail = lastLines(output, SHOWN_LINES);
  throw new UserError(
    `go ${String(args[0])} of ${group.parts.join(', ')} ${group.version} failed:\n${indent(tail)}`,
    "Modules come through GOPROXY and need network access once; the disk needs about 6 GB for Go's caches, 13 GB with Argo CD and Flux. Mend the cause above and run it again: finished packages are not built twice.",
  );
}

function runGo(
  args: readonly string[],
  group: GoGroup | CrdGroup,
  where: BuildPlace,
): Promise<{ code: number; output: string; stdout: string }> {
  const [command = 'go', ...rest] = withDeathSignal(['go', ...args]);
  return new Promise((resolve) => {
    const child = spawn(command, rest, {
      cwd: controlPlaneFile(where.root, group.module),
      // A workspace file further up would replace the pinned modules.
      env: { ...where.env, GOWORK: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let stdout = '';
    const keep = (text: string): void => {
      output = (output + text).slice(-20_000);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      keep(text);
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => {
      resolve({ code: 127, output: error.message, stdout });
    });
    child.on('close', (code) => {
      resolve({ code: code ?? 128, output, stdout });
    });
  });
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
