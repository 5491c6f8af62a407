import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { longest, type Measure, measureFunctions, percentile } from './measure.ts';

/** Prints how long the product's files and functions are: the tail is where elegance is lost. */
const SHOWN = 10;

const sources = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const files = sources.map(({ path, text }) => ({ name: '', place: path, lines: text.split('\n').length - 1 }));
const functions = sources.flatMap(({ path, text }) => measureFunctions(path, text));

print('files', files);
print('functions', functions);

function print(what: string, measures: readonly Measure[]): void {
  const [median, p95] = [50, 95].map((percent) => percentile(measures, percent));
  console.log(`${String(measures.length)} ${what}: median ${String(median)} lines, p95 ${String(p95)}; the longest`);
  for (const { name, place, lines } of longest(measures, SHOWN)) {
    console.log(`  ${String(lines).padStart(4)}  ${place}${name === '' ? '' : `  ${name}`}`);
  }
}
