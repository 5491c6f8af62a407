import type { OutgoingHttpHeaders } from 'node:http';
import { proxyAuthorization } from './tunnel-agent.ts';

/** Where a request's connection goes, and how the request names its target there. */
export interface Route {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** Prefix of every path. */
  readonly base: string;
  readonly headers: OutgoingHttpHeaders;
  readonly tunnel?: URL;
}

/** A plain HTTP server behind a proxy is named in full to the proxy; a TLS server is reached through a tunnel. */
export function routeTo(server: URL, proxy: URL | undefined): Route {
  const secure = server.protocol === 'https:';
  const path = server.pathname.replace(/\/+$/, '');
  const direct: Route = { secure, ...address(server), base: path, headers: { host: server.host } };
  if (proxy === undefined) return direct;
  if (secure) return { ...direct, tunnel: proxy };
  return {
    secure: false,
    ...address(proxy),
    base: `${server.origin}${path}`,
    headers: { host: server.host, ...proxyAuthorization(proxy) },
  };
}

function address(url: URL): { readonly host: string; readonly port: number } {
  const fallback = url.protocol === 'https:' ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? fallback : Number(url.port) };
}
