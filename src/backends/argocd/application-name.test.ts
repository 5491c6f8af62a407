import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applicationName } from './application-name.ts';

const label = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom('a', 'b', 'z', '0', '9', '-'), minLength: 1, maxLength })
    .filter((text) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text));
const release = fc.record({
  namespace: label(63),
  releaseName: fc.array(label(16), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
});

describe('the name of an Application', () => {
  it('shows namespace and release', () => {
    expect(applicationName({ namespace: 'shop', releaseName: 'web' })).toMatch(/^shop-web-[0-9a-f]{8}$/);
  });

  it('R13 is another for releases that read alike', () => {
    const one = applicationName({ namespace: 'a', releaseName: 'b-c' });
    expect(applicationName({ namespace: 'a-b', releaseName: 'c' })).not.toBe(one);
    expect(applicationName({ namespace: 'a', releaseName: 'b.c' })).not.toBe(one);
  });

  it('F90 is another for long releases that differ at the end only', () => {
    const namespace = 'n'.repeat(63);
    const one = applicationName({ namespace, releaseName: `${'r'.repeat(52)}1` });
    expect(applicationName({ namespace, releaseName: `${'r'.repeat(52)}2` })).not.toBe(one);
  });

  it('R13 F90 fits into a label, is stable, and no two releases share one', () => {
    fc.assert(
      fc.property(fc.array(release, { minLength: 2, maxLength: 20 }), (releases) => {
        const keys = new Set(releases.map(({ namespace, releaseName }) => `${namespace}/${releaseName}`));
        const names = releases.map((each) => applicationName(each));
        for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
        expect(releases.map((each) => applicationName(each))).toEqual(names);
        expect(new Set(names).size).toBe(keys.size);
      }),
    );
  });
});
