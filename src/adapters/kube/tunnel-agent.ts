import { type ClientRequest, request as httpRequest } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';
import { KubepkgError } from '../../api/errors.ts';

const CONNECT_TIMEOUT_MS = 30_000;

type OnConnection = (error: Error | null, socket: Duplex) => void;

/** TLS to the server through an HTTP proxy's CONNECT. */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(options: AgentOptions, proxy: URL) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: ConnectionOptions, callback?: OnConnection): undefined {
    // Node calls back with an error alone; its type asks for a socket as well.
    const report = callback as ((error: Error | null, socket?: Duplex) => void) | undefined;
    openTunnel(this.#proxy, `${bracketed(options.host ?? '')}:${String(options.port ?? 443)}`).then(
      (socket) => report?.(null, connect({ ...options, socket })),
      (error: unknown) => report?.(error as Error),
    );
  }
}

function openTunnel(proxy: URL, target: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const call = connectRequest(proxy, target);
    const refuse = (cause: string): void => {
      reject(
        new KubepkgError('ApiUnreachable', `the proxy ${proxy.host} opens no connection to ${target}: ${cause}`, {
          hint: 'correct proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY',
        }),
      );
      call.destroy();
    };
    call.setTimeout(CONNECT_TIMEOUT_MS, () => {
      refuse('no answer');
    });
    call.on('error', (error) => {
      refuse(error.message);
    });
    call.on('connect', (response, socket) => {
      call.setTimeout(0);
      if (response.statusCode === 200) resolve(socket);
      else refuse(`HTTP ${String(response.statusCode ?? 0)}`);
    });
    call.on('response', (response) => {
      refuse(`HTTP ${String(response.statusCode ?? 0)}`);
    });
    call.end();
  });
}

function connectRequest(proxy: URL, target: string): ClientRequest {
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return send({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port === '' ? undefined : Number(proxy.port),
    method: 'CONNECT',
    path: target,
    agent: false,
    headers: { host: target, ...proxyAuthorization(proxy) },
  });
}

export function proxyAuthorization(proxy: URL): Readonly<Record<string, string>> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
