import { parseAddress } from './address.ts';
import { escapedPath, unescapePercent } from './percent.ts';

/** The parts of a URL as Go's net/url knows them. */
export interface Url {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  /** Encoded. */
  readonly path: string;
  readonly query: string;
}

type Parsed = Url | { readonly mistake: string };

/** A mistake ends the reading. */
function wrong(text: string, mistake: string): Parsed {
  return { mistake: `parse ${JSON.stringify(text)}: ${mistake}` };
}

/** As ParseRequestURI accepts it: with a scheme, or as a path from the root. A fragment is cut off only then. */
export function parseUrl(text: string): Parsed {
  const whole = parseRequest(text, text);
  if ('mistake' in whole) return whole;
  const hash = text.indexOf('#');
  return hash < 0 ? whole : parseRequest(text.slice(0, hash), text);
}

/** Whether a text is one; its fragment is not looked at by itself. */
export function requestMistake(text: string): string | undefined {
  const parsed = parseRequest(text, text);
  return 'mistake' in parsed ? parsed.mistake : undefined;
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;

function parseRequest(text: string, whole: string): Parsed {
  if (text === '') return wrong(whole, 'empty url');
  if (/[\u0000-\u001f\u007f]/.test(text)) return wrong(whole, 'net/url: invalid control character in URL');
  if (text.startsWith(':')) return wrong(whole, 'missing protocol scheme');
  const scheme = SCHEME.exec(text)?.[1] ?? '';
  const rest = scheme === '' ? text : text.slice(scheme.length + 1);
  const [before, query = ''] = splitOnce(rest, '?');
  return parseHierarchy(before, { scheme: scheme.toLowerCase(), query, whole });
}

function splitOnce(text: string, separator: string): readonly [before: string, after?: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

interface Known {
  readonly scheme: string;
  readonly query: string;
  readonly whole: string;
}

function parseHierarchy(text: string, { scheme, query, whole }: Known): Parsed {
  const empty = { scheme, user: '', host: '', path: '', query };
  if (text === '*' && scheme === '') return { ...empty, path: '*' };
  if (!text.startsWith('/')) return scheme === '' ? wrong(whole, 'invalid URI for request') : empty;
  const authority = authorityOf(text, scheme);
  const path = escapedPath(authority === undefined ? text : text.slice(authority.length + 2));
  if (path === undefined) return wrong(whole, 'invalid URL escape');
  if (authority === undefined) return { ...empty, path };
  const parsed = parseAuthority(authority, scheme);
  return 'mistake' in parsed ? wrong(whole, parsed.mistake) : { ...empty, ...parsed, path };
}

function authorityOf(text: string, scheme: string): string | undefined {
  return scheme === '' ? undefined : /^\/\/([^/]*)/.exec(text)?.[1];
}

function parseAuthority(authority: string, scheme: string): Pick<Url, 'user' | 'host'> | { readonly mistake: string } {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  const host = hostOf(authority.slice(at + 1), scheme);
  if (typeof host !== 'string') return host;
  return isUser(user) ? { user, host } : { mistake: 'net/url: invalid userinfo' };
}

function isUser(user: string): boolean {
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) && unescapePercent(user) !== undefined;
}

const PORT = /^(?::\d*)?$/;

function hostOf(written: string, scheme: string): string | { readonly mistake: string } {
  if (written.lastIndexOf('[') > 0) return { mistake: 'invalid IP-literal' };
  if (written.startsWith('[')) return bracketedHost(written);
  const first = written.indexOf(':');
  const colon = scheme === 'http' || scheme === 'https' ? first : written.lastIndexOf(':');
  const port = colon < 0 ? '' : written.slice(colon);
  if (!PORT.test(port)) return { mistake: `invalid port ${JSON.stringify(port)} after host` };
  return plainHost(written);
}

/** Only bytes beyond ASCII, and the percent sign, may be written with a percent sign. */
function plainHost(written: string): string | { readonly mistake: string } {
  const bytes = unescapePercent(written);
  if (bytes === undefined || /%(?!25)[0-7]/.test(written)) return { mistake: 'invalid URL escape' };
  const strange = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(written);
  if (strange !== null) return { mistake: `invalid character ${JSON.stringify(strange[0])} in host name` };
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function bracketedHost(written: string): string | { readonly mistake: string } {
  const close = written.lastIndexOf(']');
  if (close < 0) return { mistake: "missing ']' in host" };
  const port = written.slice(close + 1);
  if (!PORT.test(port)) return { mistake: `invalid port ${JSON.stringify(port)} after host` };
  const [address, zone] = splitOnce(written.slice(1, close), '%25');
  if (parseAddress(address)?.bits !== 128) return { mistake: 'invalid host' };
  return `[${zone === undefined ? address : `${address}%${zone}`}]${port}`;
}
