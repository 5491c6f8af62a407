import { describe, expect, it } from 'vitest';
import { formatQuantity, parseQuantity, roundUpToMilli } from './quantity.ts';

function canonical(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return quantity === undefined ? undefined : formatQuantity(quantity);
}

describe('an amount has one way to be written', () => {
  it.each([
    ['1', '1'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['1024Mi', '1Gi'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1127'],
    ['0.0001Ki', '102400u'],
    ['1000M', '1G'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['1500e3', '1500e3'],
    ['5e-3', '5e-3'],
    ['1E', '1E'],
    ['-1', '-1'],
    ['+5', '5'],
    ['.5', '500m'],
    ['5.', '5'],
    ['0', '0'],
    ['0.0000000001', '1n'],
    ['100000u', '100m'],
  ])('%s is %s', (text, written) => {
    expect(canonical(text)).toBe(written);
  });

  it.each(['', 'lots', '1 Gi', '1GiB', '1.2.3', 'm', '1mi', '--1'])('%s is none', (text) => {
    expect(canonical(text)).toBeUndefined();
  });

  it('is rounded away from zero where thousandths are kept', () => {
    const rounded = ['0.1m', '-0.1m', '1.5m'].map((text) => parseQuantity(text)).flatMap((one) => one ?? []);
    expect(rounded.map(roundUpToMilli).map(formatQuantity)).toEqual(['1m', '-1m', '2m']);
  });
});
