import { contentDigest } from './content-digest.ts';
import type { Answer, Exchange } from './exchange.ts';
import { RegistryError } from './registry-error.ts';

export function serveBlob(name: string, reference: string, { method, content, request }: Exchange): Answer {
  const digest = contentDigest(reference);
  if (method === 'DELETE') {
    content.deleteBlob(name, digest);
    return { status: 202 };
  }
  if (method !== 'GET' && method !== 'HEAD') throw new RegistryError('UNSUPPORTED');
  const headers = {
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'docker-content-digest': digest,
    etag: `"${digest}"`,
  };
  return partOf(content.blob(name, digest), request.headers.range, headers);
}

function partOf(bytes: Buffer, range: string | undefined, headers: NonNullable<Answer['headers']>): Answer {
  const { length } = bytes;
  const part = rangeOf(range ?? '', length);
  if (part === undefined) return { status: 200, headers, body: bytes };
  const { from, to } = part;
  if (from > to) throw new RegistryError('RANGE_INVALID', { size: length });
  const placed = { ...headers, 'content-range': `bytes ${String(from)}-${String(to)}/${String(length)}` };
  return { status: 206, headers: placed, body: bytes.subarray(from, to + 1) };
}

/** Several ranges at once are answered with everything, as HTTP allows. */
function rangeOf(header: string, length: number): { readonly from: number; readonly to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  const end = length - 1;
  if (first !== '') return { from: Number(first), to: last === '' ? end : Math.min(Number(last), end) };
  return last === '' ? undefined : { from: Math.max(length - Number(last), 0), to: end };
}
