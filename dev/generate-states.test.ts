import { describe, expect, it } from 'vitest';
import { STEPS } from '../src/domain/decide/steps.ts';
import { COMPONENT_STATES } from '../src/domain/release/classify-component.ts';
import { expectGolden } from '../test/golden/expect-golden.ts';
import { statesPage } from './generate-states.ts';

describe('the page of states', () => {
  it('docs/reference/states.md is what the code says', () => {
    expectGolden('docs/reference/states.md', statesPage());
  });

  it.each(COMPONENT_STATES)('has one row for %s, with its step', (state) => {
    const rows = statesPage()
      .split('\n')
      .filter((line) => line.startsWith(`| \`${state}\` | \`${STEPS[state].step}\` |`));
    expect(rows).toHaveLength(1);
  });

  it('names for each step the states that lead to it', () => {
    const text = statesPage();
    expect(text).toContain('| `retry` | `retryable` |');
    expect(text).toContain('| `unlock` | `locked` |');
    expect(text.split('\n').filter((line) => line.startsWith('|') && !line.endsWith(' |'))).toEqual([]);
  });
});
