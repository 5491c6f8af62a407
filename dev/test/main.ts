import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Counts, countRun, type Report, sumCounts, summaryLine } from './summary.ts';

/** Runs the projects named on the command line one after the other; the last line sums their tests. */
const projects = process.argv.slice(2);
const scratch = await mkdtemp(join(tmpdir(), 'kubepkg-test-'));
try {
  const total = sumCounts(await runAll(projects, scratch));
  for (const trouble of total.troubles) console.error(trouble);
  if (total.skipped > 0) console.log(`${String(total.skipped)} skipped`);
  console.log(summaryLine(total));
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function runAll(names: readonly string[], folder: string): Promise<readonly Counts[]> {
  const counts: Counts[] = [];
  for (const project of names) {
    const file = join(folder, `${project}.json`);
    const exitCode = await runVitest(project, file);
    counts.push(countRun({ project, exitCode, report: await readReport(file) }));
  }
  return counts;
}

function runVitest(project: string, outputFile: string): Promise<number> {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${outputFile}`];
  const child = spawn(process.execPath, [vitest, 'run', '--project', project, ...reporters], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.once('SIGTERM', pass);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGTERM', pass);
      resolve(code ?? 128);
    });
  });
}

async function readReport(file: string): Promise<Report | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text === '' ? undefined : (JSON.parse(text) as Report);
}
