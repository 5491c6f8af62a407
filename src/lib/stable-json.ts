/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space. Keys whose value is
 * undefined are left out; what JSON cannot carry is refused, since it would make two digests of one thing.
 */
export function stableJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return stableString(value);
  if (typeof value === 'number') return stableNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => stableJson(item)).join(',')}]`;
  if (typeof value === 'object') return stableObject(value);
  throw new TypeError(`canonical JSON cannot carry a ${typeof value}`);
}

function stableString(value: string): string {
  if (/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(value)) {
    throw new TypeError('canonical JSON cannot carry a lone surrogate');
  }
  return JSON.stringify(value);
}

function stableNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('canonical JSON cannot carry a non-finite number');
  return JSON.stringify(value === 0 ? 0 : value);
}

function stableObject(value: object): string {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${stableString(key)}:${stableJson(item)}`).join(',')}}`;
}
