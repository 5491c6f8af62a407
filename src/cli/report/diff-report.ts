import { nameOf } from '../../api/kube.ts';
import type { Comparison, ComponentChange } from '../look/comparison.ts';
import type { Paint } from '../text/paint.ts';
import { sanitize } from '../text/sanitize.ts';

const WORDS = { created: 'is added', changed: 'differs', deleted: 'is not there', unchanged: 'is the same' } as const;

/** As `diff -u` has it, an object after the other. */
export function diffLines({ before, after, changes }: Comparison, paint: Paint): readonly string[] {
  const head = [paint('bold', `--- ${sanitize(before)}`), paint('bold', `+++ ${sanitize(after)}`)];
  return [...head, ...changes.flatMap((change) => changeLines(change, paint))];
}

function changeLines({ component, change: { ref, kind, text } }: ComponentChange, paint: Paint): readonly string[] {
  const title =
    component === undefined ? [] : [paint('bold', `# ${component}: ${sanitize(nameOf(ref))} ${WORDS[kind]}`)];
  const lines = sanitize(text).replace(/\n$/, '').split('\n');
  return [...title, ...lines.map((line) => paintLine(line, paint))];
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('@@')) return paint('cyan', line);
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}
