import { describe, expect, it } from 'vitest';
import { CapturedOutput } from '../../test/fakes/cli-world.ts';
import { KubepkgError } from '../api/errors.ts';
import { reportFailure } from './failure.ts';
import { plainPaint } from './text/paint.ts';
import { writeSentences } from './write-sentences.ts';

const MESSAGE = 'package shop: UpgradeFailed: component app failed: not ready at its deadline';

describe('what is said to a person', () => {
  it.each([
    [true, 5],
    [false, 2],
  ])('of an error is parted between words on a terminal of 40 columns alone: %s', (isTerminal, count) => {
    const output = Object.assign(new CapturedOutput(), { isTerminal, columns: 40 });
    const error = new KubepkgError('ApiInvalid', MESSAGE, { hint: 'correct the cause, then install again' });
    reportFailure(output, error, { paint: plainPaint, verbose: false });
    const lines = output.text.trimEnd().split('\n');
    expect(lines).toHaveLength(count);
    expect(lines.every((line) => line.length <= 40)).toBe(isTerminal);
    expect(lines.join(' ')).toBe(`error: ${MESSAGE} hint: correct the cause, then install again`);
  });

  it('stays as far in as it began, and is otherwise not touched', () => {
    const output = Object.assign(new CapturedOutput(), { isTerminal: true, columns: 20 });
    writeSentences(output, ['A   B', '  release shop/store goes']);
    expect(output.text).toBe('A   B\n  release shop/store\n  goes\n');
  });
});
