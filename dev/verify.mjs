import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';

const bin = (name) => `node_modules/.bin/${name}`;

/** In order of what a mistake costs to find: quick ones first. */
const STEPS = [
  ['build', 'node', 'dev/build.mjs'],
  ['format', bin('biome'), 'check', '.'],
  ['types', 'node', 'node_modules/typescript7/bin/tsc', '-p', '.', '--noEmit'],
  ['floors and cycles', bin('depcruise'), '--config', '.dependency-cruiser.mjs', '--output-type', 'err', 'src', 'dev'],
  ['nothing unused', bin('knip'), '--no-config-hints'],
  ['nothing that only tests use', bin('knip'), '--production', '--include', 'files,dependencies', '--no-config-hints'],
  ['lint', bin('eslint'), '--cache', '--cache-location', '.cache/eslint', '--max-warnings', '0', '.'],
  ['unit tests, architecture, generated files', 'node', 'dist/dev/test.js', 'unit'],
];

const failed = await verify();
console.log(failed.length === 0 ? 'verified' : `failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function verify() {
  const before = await treeState();
  const failures = [];
  for (const [title, command, ...args] of STEPS) {
    if (!(await runStep(title, command, args))) failures.push(title);
  }
  if ((await treeState()) !== before) failures.push('the working tree stays as it was');
  const { output } = await run('node', ['dist/dev/limits.js']);
  console.log(output.trimEnd());
  return failures;
}

async function runStep(title, command, args) {
  const started = Date.now();
  const { code, output } = await run(command, args);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? '✓' : '✗'} ${title} (${seconds} s)`);
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

/** Changes when a step writes into the tree: what is committed must be what the tools would make. */
async function treeState() {
  const parts = await Promise.all([run('git', ['status', '--porcelain']), run('git', ['diff'])]);
  return createHash('sha256')
    .update(parts.map(({ output }) => output).join('\n'))
    .digest('hex');
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (text) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 128, output }));
  });
}
