const MAX_UINT64 = 2 ** 64;
const MAX_INT64 = 2 ** 63;

/** A number as Go writes it: whole where it fits into 64 bits, else with an exponent from a million on. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && value >= -MAX_INT64 && value < MAX_UINT64) return BigInt(value).toString();
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return decimal(mantissa, power);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function decimal(mantissa: string, power: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replaceAll(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  return `${sign}${digits.slice(0, power + 1)}.${digits.slice(power + 1)}`;
}
