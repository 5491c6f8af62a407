import { BlockList, isIP } from 'node:net';

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy for a server: the kubeconfig's own, otherwise what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say. */
export function proxyFor(server: string, proxyUrl: string | undefined, env: Env): URL | undefined {
  if (proxyUrl !== undefined) return new URL(proxyUrl);
  const url = new URL(server);
  const named = variable(env, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (named === undefined || isDirect(url, variable(env, 'NO_PROXY') ?? '')) return undefined;
  const text = named.includes('://') ? named : `http://${named}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function variable(env: Env, name: string): string | undefined {
  const value = env[name] ?? env[name.toLowerCase()];
  return value === '' ? undefined : value;
}

/** Go's rules: loopback never goes through a proxy; entries are names (with subdomains), addresses or ranges, with an optional port. */
function isDirect(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || isLoopback(host)) return true;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

function isLoopback(host: string): boolean {
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inRange(entry, host);
  const { name, onlyPort } = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(host) !== 0) return name === host;
  if (name.startsWith('*.')) return host.endsWith(name.slice(1));
  if (name.startsWith('.')) return host.endsWith(name);
  return host === name || host.endsWith(`.${name}`);
}

function splitPort(entry: string): { readonly name: string; readonly onlyPort: string | undefined } {
  if (isIP(entry) !== 0) return { name: entry, onlyPort: undefined };
  const match = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry);
  return { name: match?.[1] ?? entry, onlyPort: match?.[2] };
}

function inRange(entry: string, host: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}
