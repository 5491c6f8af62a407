import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from '../../../lib/json.ts';
import type { JsonMap } from '../../model/object.ts';
import { resourcesOfCrd } from '../../schema/index.ts';
import { builtInResources, tableColumns, tableRow } from '../index.ts';
import { humanDuration } from './human-duration.ts';
import { firstAt } from './json-path.ts';

interface Row {
  readonly cells: readonly unknown[];
  readonly object: JsonMap;
}

const resources = builtInResources();
const rows = JSON.parse(readFileSync(new URL('../testdata/tables.json', import.meta.url), 'utf8')) as Row[];

/** These depend on when they were asked for. */
const AGES = ['Age', 'Last Seen', 'First Seen', 'Duration', 'Last Schedule'];

describe('a table shows what that of a real API server shows', () => {
  const cases = rows.map((row) => ({
    name: `${String(row.object['kind'])} ${String(at(row.object, 'metadata', 'name'))}`,
    ...row,
  }));

  it.each(cases)('$name', ({ object, cells }) => {
    const resource = resources.find(({ kind, group, version }) => {
      const groupVersion = group === '' ? version : `${group}/${version}`;
      return kind === object['kind'] && groupVersion === object['apiVersion'];
    });
    if (resource === undefined) throw new Error(`${String(object['kind'])} is not served.`);
    const ours = tableRow(resource, object, Date.now());
    const names = tableColumns(resource).map(({ name }) => name);
    const compared = (row: readonly unknown[]) => row.filter((_, index) => !AGES.includes(names[index] ?? ''));
    // Some kinds have more cells than columns there.
    expect(compared(ours)).toEqual(compared(cells.slice(0, names.length)));
  });
});

describe('an age', () => {
  it.each([
    [-5, '<invalid>'],
    [-0.5, '0s'],
    [119, '119s'],
    [120, '2m'],
    [185, '3m5s'],
    [600, '10m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 300, '3h5m'],
    [9 * 3600, '9h'],
    [50 * 3600, '2d2h'],
    [10 * 86_400, '10d'],
    [800 * 86_400, '2y70d'],
    [9 * 365 * 86_400, '9y'],
  ])('of %s seconds is %s', (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text);
  });
});

describe('a column of a custom kind', () => {
  const object = {
    metadata: { annotations: { 'a.b/c': 'x' } },
    spec: { size: 3, list: [{ name: 'a' }, { name: 'b', value: 5 }] },
    status: { conditions: [{ type: 'Other' }, { type: 'Ready', status: 'True' }] },
  };

  it.each([
    ['.spec.size', 3],
    ['spec.size', 3],
    ['{.spec.size}', 3],
    ['.spec.list[0].name', 'a'],
    ['.spec.list[-1].value', 5],
    ['.spec.list[*].name', 'a'],
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    [".status.conditions[?(@.type == 'Ready')].status", 'True'],
    ['.metadata.annotations.a\\.b/c', 'x'],
    [".metadata.annotations['a.b/c']", 'x'],
    ['.spec.nothing', undefined],
    ['.spec.size.inner', undefined],
  ])('finds %s', (path, found) => {
    expect(firstAt(object, path)).toEqual(found);
  });

  it('shows values of its own type only', () => {
    const columns = ['string', 'integer', 'boolean', 'date'].map((type) => ({
      name: type,
      type,
      jsonPath: '.spec.value',
    }));
    const [resource] = resourcesOfCrd({
      spec: { names: {}, versions: [{ name: 'v1', served: true, additionalPrinterColumns: columns }] },
    });
    if (resource === undefined) throw new Error('No version is served.');
    const shown = (value: unknown) => tableRow(resource, { metadata: { name: 'a' }, spec: { value } }, 60_000);
    expect(shown('text')).toEqual(['a', 'text', null, null, '<invalid>']);
    expect(shown(1.5)).toEqual(['a', '1.5', 1, null, null]);
    expect(shown(true)).toEqual(['a', 'true', null, true, null]);
    expect(shown('1970-01-01T00:00:00Z')).toEqual(['a', '1970-01-01T00:00:00Z', null, null, '60s']);
    expect(shown(['x'])).toEqual(['a', '["x"]', null, null, null]);
    expect(shown(undefined)).toEqual(['a', null, null, null, null]);
  });
});
