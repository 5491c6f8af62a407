import { describe, expect, it } from 'vitest';
import { ANNOTATION } from '../../api/names.ts';
import { askedFor, packageToApply } from './wanted-packages.ts';

describe('the mark of a package that nobody asked for', () => {
  it('stands beside what was applied before', () => {
    const base = {
      metadata: { name: 'base', labels: { a: '1' }, annotations: { note: 'x' } },
      spec: { suspend: true },
    };
    expect(packageToApply('base', base, { values: {}, dependency: 'required by shop' })).toMatchObject({
      metadata: {
        name: 'base',
        labels: { a: '1' },
        annotations: { note: 'x', [ANNOTATION.dependency]: 'required by shop' },
      },
      spec: { suspend: true },
    });
  });

  it('is not applied again by who asks for the package', () => {
    const applied = { metadata: { annotations: { note: 'x', [ANNOTATION.dependency]: 'required by shop' } }, spec: {} };
    expect(askedFor(applied)).toEqual({ metadata: { annotations: { note: 'x' } }, spec: {} });
  });

  it.each([[{}], [{ spec: {} }], [{ metadata: { labels: { a: '1' } } }]])('is not missed in %j', (applied) => {
    expect(askedFor(applied)).toEqual(applied);
  });
});
