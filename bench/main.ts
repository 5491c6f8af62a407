import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { OperatorWorld } from '../test/e2e/operator/world.ts';
import { measureIsolation } from './isolation.ts';

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<boolean> {
  say('starting a control plane and an operator …');
  const world = await OperatorWorld.start({ audit: false });
  try {
    await world.startOperator();
    const report = await measureIsolation(world, say);
    const head = `Node.js ${process.version}, ${String(cpus().length)} cores; compare the ratios, not the times`;
    const text = [head, ...report.lines].join('\n');
    await mkdir('bench/out', { recursive: true });
    await writeFile('bench/out/report.txt', `${text}\n`);
    process.stdout.write(`${text}\n`);
    return report.kept;
  } finally {
    await world.stop();
  }
}

process.exit((await main()) ? 0 : 1);
