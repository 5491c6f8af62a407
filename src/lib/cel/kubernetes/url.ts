import { type Fault, fault } from '../faults.ts';
import { func, method, type Overload } from '../overload.ts';
import { BOOL, list, map, opaque, STRING } from '../types.ts';
import { type CelMap, type CelOpaque, listOf, mapOf } from '../values.ts';
import { parseUrl, requestMistake, type Url } from './parse-url.ts';
import { parseQuery } from './percent.ts';

interface CelUrl extends CelOpaque {
  readonly type: 'kubernetes.URL';
  readonly url: Url;
}

const URL_KIND = opaque<CelUrl>('kubernetes.URL');
const QUERY = map(STRING, list(STRING));

function urlOf(text: string): CelUrl | Fault {
  const url = parseUrl(text);
  if ('mistake' in url) return fault(`URL parse error during conversion from string: ${url.mistake}`);
  return { kind: 'opaque', type: 'kubernetes.URL', key: keyOf(url, text), url };
}

/** Scheme and path are compared as they are read, the rest as it is written. */
function keyOf({ scheme, user, host, path, query }: Url, text: string): string {
  const tail = path === '' && host === '' ? text.slice(scheme.length) : text.replace(/^[^#]*/s, '');
  return JSON.stringify([scheme, user, host, path, query, tail]);
}

function hostnameOf({ host }: Url): string {
  return host.startsWith('[') ? host.slice(1, host.lastIndexOf(']')) : host.replace(/:.*$/s, '');
}

function portOf({ host }: Url): string {
  return /:(\d*)$/.exec(host.slice(host.lastIndexOf(']') + 1))?.[1] ?? '';
}

function queryOf({ query }: Url): CelMap | Fault {
  const entries = [...parseQuery(query)].map(([key, values]) => [key, listOf(values)] as const);
  return mapOf(entries) ?? fault('a query has texts as keys');
}

export const URL_FUNCTIONS: readonly Overload[] = [
  func('url', [[STRING], URL_KIND], ([text]) => urlOf(text)),
  func('isURL', [[STRING], BOOL], ([text]) => requestMistake(text) === undefined),
  method('getScheme', [[URL_KIND], STRING], ([{ url }]) => url.scheme),
  method('getHost', [[URL_KIND], STRING], ([{ url }]) => url.host),
  method('getHostname', [[URL_KIND], STRING], ([{ url }]) => hostnameOf(url)),
  method('getPort', [[URL_KIND], STRING], ([{ url }]) => portOf(url)),
  method('getEscapedPath', [[URL_KIND], STRING], ([{ url }]) => url.path),
  method('getQuery', [[URL_KIND], QUERY], ([{ url }]) => queryOf(url)),
];
