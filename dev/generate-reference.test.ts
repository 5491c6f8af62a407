import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../src/api/errors.ts';
import { EVENT_REASONS } from '../src/api/event-reasons.ts';
import { CONDITION_TYPES, READY_REASONS } from '../src/api/reasons.ts';
import { expectGolden } from '../test/golden/expect-golden.ts';
import { referencePages } from './generate-reference.ts';

const pages = referencePages();

function textOf(path: string): string {
  return pages.find((page) => page.path === path)?.text ?? '';
}

describe('the reference pages', () => {
  it.each(pages.map((page) => [page.path, page.text] as const))('%s is what the code says', (path, text) => {
    expectGolden(path, text);
  });

  it.each(pages.map((page) => [page.path, page.text] as const))('%s has tables without stray cells', (_, text) => {
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    const widths = rows.map((row) => row.split(/(?<!\\)\|/).length);
    expect(new Set(widths).size).toBeLessThanOrEqual(3);
    expect(rows.every((row) => row.endsWith(' |'))).toBe(true);
  });

  it('name every code, every reason and every condition', () => {
    const errors = textOf('docs/reference/errors.md');
    const conditions = textOf('docs/reference/conditions.md');
    expect(Object.keys(ERROR_CODES).filter((code) => !errors.includes(`\`${code}\``))).toEqual([]);
    const words = [...Object.keys(READY_REASONS), ...CONDITION_TYPES];
    expect(words.filter((word) => !conditions.includes(`\`${word}\``))).toEqual([]);
    const events = textOf('docs/reference/events.md');
    expect(Object.keys(EVENT_REASONS).filter((reason) => !events.includes(`\`${reason}\``))).toEqual([]);
  });

  it.each([
    ['| `spec.upgrade.timeout` | duration | `10m` |'],
    ['| `spec.variants[].components[].chart.version` | string, _required_ |  |'],
    ['| `spec.components.NAME.values` | any object |  |'],
    ['| `spec.crdPolicy` | `Retain` or `Delete` |  |'],
    ['| `spec.revisionHistoryLimit` | integer ≥ 1 | `10` |'],
    ['- `spec.variants[].requires[]`: exactly one of package and capability is needed.'],
  ])('api.md says %s', (line) => {
    expect(textOf('docs/reference/api.md')).toContain(line);
  });
});
