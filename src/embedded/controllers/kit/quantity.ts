const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity such as `250m`, `1.5` or `64Mi` stands for; 0 for what is none. */
export function parseQuantity(value: unknown): number {
  if (typeof value === 'number') return value;
  const match = typeof value === 'string' ? /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(value) : null;
  if (match === null) return 0;
  return Number(match[1]) * (FACTORS[match[2] ?? ''] ?? 0);
}
