import { chmod, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** CommonJS packages inside an ES module bundle look for `require`. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** What developers get leaves its packages in node_modules; what users get holds them. */
const BUNDLES = [
  {
    outdir: 'dist/dev',
    packages: 'external',
    entries: {
      controlplane: 'dev/controlplane/main.ts',
      demo: 'dev/demo/main.ts',
      differential: 'dev/differential/main.ts',
      'extract-kinds': 'dev/embedded/main.ts',
      'extract-protobuf': 'dev/embedded/protobuf-fields.ts',
      limits: 'dev/limits/main.ts',
      mutants: 'dev/mutants/main.ts',
      bench: 'bench/main.ts',
      simulate: 'dev/simulate/main.ts',
      soak: 'dev/soak/main.ts',
      'simulate-proof': 'dev/simulate-proof/main.ts',
      test: 'dev/test/main.ts',
    },
  },
  { outdir: 'dist', packages: 'bundle', entries: { kubepkg: 'src/main.ts' } },
];

const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
try {
  for (const bundle of BUNDLES) await buildBundle(bundle);
} catch {
  // esbuild has said what is wrong.
  process.exit(1);
}

async function buildBundle({ outdir, packages, entries }) {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outdir,
    packages,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    legalComments: 'eof',
    banner: { js: BANNER },
    define: { __KUBEPKG_VERSION__: JSON.stringify(version) },
    metafile: true,
    logLevel: 'warning',
  });
  await removeOldChunks(outdir, Object.keys(result.metafile.outputs));
  for (const name of Object.keys(entries)) await makeExecutable(join(ROOT, outdir, `${name}.js`));
}

async function removeOldChunks(outdir, outputs) {
  const folder = join(ROOT, outdir, 'chunks');
  await mkdir(folder, { recursive: true });
  const current = new Set(outputs.map((file) => relative(folder, join(ROOT, file))));
  const old = (await readdir(folder)).filter((file) => !current.has(file));
  await Promise.all(old.map((file) => rm(join(folder, file))));
}

async function makeExecutable(file) {
  const text = await readFile(file, 'utf8');
  if (!text.startsWith('#!')) await writeFile(file, `#!/usr/bin/env node\n${text}`);
  await chmod(file, 0o755);
}
