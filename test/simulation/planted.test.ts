import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plant } from '../../dev/mutants/mutant.ts';
import { PLANTED } from './planted.ts';

describe('the faults that simulations have to find', () => {
  it('have unique ids', () => {
    expect(new Set(PLANTED.map(({ id }) => id)).size).toBe(PLANTED.length);
  });

  it.each(PLANTED)('$id can be planted', (fault) => {
    expect(plant(readFileSync(fault.file, 'utf8'), fault)).not.toBe('');
  });
});
