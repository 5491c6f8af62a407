import type { Answer, Exchange } from './exchange.ts';
import { RegistryError } from './registry-error.ts';

/** In the order of code units, `n` at a time after `last`. */
export function serveTags(name: string, { method, query, content }: Exchange): Answer {
  if (method !== 'GET') throw new RegistryError('UNSUPPORTED');
  const limit = limitOf(query.get('n'));
  const last = query.get('last') ?? '';
  const rest = content.tags(name).filter((tag) => tag > last);
  const tags = rest.slice(0, limit);
  const next = `</v2/${name}/tags/list?n=${String(limit)}&last=${tags.at(-1) ?? ''}>; rel="next"`;
  const headers = {
    'content-type': 'application/json',
    ...(tags.length > 0 && tags.length < rest.length ? { link: next } : {}),
  };
  return { status: 200, headers, body: JSON.stringify({ name, tags }) };
}

function limitOf(n: string | null): number {
  if (n === null || n === '') return Infinity;
  if (/^\d+$/.test(n)) return Number(n);
  throw new RegistryError('PAGINATION_NUMBER_INVALID', { n });
}
