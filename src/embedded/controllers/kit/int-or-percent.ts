/** A number, or a share of the whole as `25%`. */
export function scaledValue(value: unknown, whole: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return 0;
  const exact = (Number(percent) * whole) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
