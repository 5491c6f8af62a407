import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CASES } from './case-list.ts';
import { filesUnder } from './source-tree.ts';

/** A promise, a case or an invariant at the head of the name of a test, of a row, or of a group of them. */
const HEAD = /(['"`])(?:\d{1,2} )?((?:[FPRI]\d{1,2}a? )+)/g;
/** Files that hold tests, or cases for a suite that several backends or clusters share. */
const TESTS = /(\.test|-cases)\.ts$/;
const REAL = /^test\/(e2e|conformance)\//;
/** Run with each backend. */
const TABLE = /^test\/e2e\/promises\//;

/** Tests by the ids in their names. */
function filesById(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    for (const [, , ids = ''] of readFileSync(path, 'utf8').matchAll(HEAD)) {
      for (const id of ids.trim().split(' ')) found.set(id, [...(found.get(id) ?? []), path]);
    }
  }
  return found;
}

const tests = ['src', 'test'].flatMap(filesUnder).filter((path) => TESTS.test(path));
const everywhere = filesById(tests);
const onRealControlPlane = filesById(tests.filter((path) => REAL.test(path)));
const withEachBackend = filesById(tests.filter((path) => TABLE.test(path)));

describe('what was promised and what was once reported', () => {
  it.each(CASES.filter(({ waitsFor }) => waitsFor === undefined))('$id is kept by a test: $title', ({ id }) => {
    expect(everywhere.get(id) ?? []).not.toEqual([]);
  });

  it('no test is named after a case of the field that the list does not have', () => {
    const listed = new Set(CASES.map(({ id }) => id));
    const named = [...everywhere.keys()].filter((id) => /^[FR]\d/.test(id));
    expect(named.filter((id) => !listed.has(id))).toEqual([]);
  });

  it('the list has each case once', () => {
    expect(CASES.map(({ id }) => id)).toEqual([...new Set(CASES.map(({ id }) => id))]);
  });

  it('each promise but the preview has a test on the real control plane, with each backend', () => {
    const promises = Array.from({ length: 22 }, (_none, index) => `P${String(index + 1)}`);
    expect(promises.filter((id) => id !== 'P18' && !onRealControlPlane.has(id))).toEqual([]);
    expect(promises.filter((id) => id !== 'P18' && !withEachBackend.has(id))).toEqual([]);
  });

  it('each backend is put to the table of promises', () => {
    const put = ['helm', 'flux', 'argocd'].filter((backend) => tests.includes(`test/e2e/promises/${backend}.test.ts`));
    expect(put).toEqual(['helm', 'flux', 'argocd']);
  });
});
