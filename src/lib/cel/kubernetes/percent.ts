/** Percent-encoding as Go's net/url has it: on bytes, so that what is no UTF-8 comes through. */

/** Undefined where a `%` has no two hexadecimal digits after it. */
export function unescapePercent(text: string): Uint8Array | undefined {
  if (!/^(?:[^%]|%[0-9a-fA-F]{2})*$/.test(text)) return undefined;
  const pieces = text.split(/(%[0-9a-fA-F]{2})/).filter((piece) => piece !== '');
  const encoder = new TextEncoder();
  const parts = pieces.map((piece) =>
    piece.startsWith('%') ? Uint8Array.of(Number.parseInt(piece.slice(1), 16)) : encoder.encode(piece),
  );
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => {
    bytes.set(part, at);
    return at + part.length;
  }, 0);
  return bytes;
}

const PLAIN_IN_PATH = /[A-Za-z0-9\-_.~$&+,/:;=@]/;
/** What need not be written in this way, but may. */
const ALLOWED_PATH = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/;

function escapePath(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return PLAIN_IN_PATH.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** As it is written where that is a valid encoding, else encoded anew; undefined where it cannot be read. */
export function escapedPath(written: string): string | undefined {
  const bytes = unescapePercent(written);
  if (bytes === undefined) return undefined;
  return ALLOWED_PATH.test(written) ? written : escapePath(bytes);
}

/** The parameters of a query, in the order of their first values; what cannot be read is left out. */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split('&')) {
    const [key, value] = [part.replace(/=.*$/s, ''), /=(.*)$/s.exec(part)?.[1] ?? ''].map(unescapeQuery);
    if (part === '' || part.includes(';') || key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return values;
}

function unescapeQuery(text: string): string | undefined {
  const bytes = unescapePercent(text.replaceAll('+', ' '));
  return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
