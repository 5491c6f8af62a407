import { describe, expect, it } from 'vitest';
import { KubepkgError } from '../api/errors.ts';
import { attempt, ifPossible } from './plan-attempt.ts';

describe('what a plan asks', () => {
  const refused = new KubepkgError('ApiForbidden', 'no');

  it('may be refused, which is noted', async () => {
    const noted: unknown[] = [];
    const answer = await ifPossible(
      () => Promise.reject(refused),
      'otherwise',
      (error) => noted.push(error),
    );
    expect([answer, noted]).toEqual(['otherwise', [refused]]);
    expect(await ifPossible(() => Promise.resolve('read'), 'otherwise')).toBe('read');
    expect(await attempt(() => Promise.reject(refused))).toEqual({ error: refused });
  });

  it.each([
    ['of kubepkg', new KubepkgError('Internal', 'a fault')],
    ['of the program', new TypeError('a fault')],
  ])('shows a fault %s as a fault', async (_whose, fault) => {
    await expect(attempt(() => Promise.reject(fault))).rejects.toBe(fault);
    await expect(ifPossible(() => Promise.reject(fault), undefined)).rejects.toBe(fault);
  });
});
