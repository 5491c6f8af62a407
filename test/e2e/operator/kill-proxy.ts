import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createAuthority } from '../../../src/lib/tls/certificate.ts';

/** What a process behind the proxy asked the API server to change; dry runs are none. */
export interface Write {
  readonly at: number;
  readonly by: 'helm' | 'kubepkg';
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface KillPoint {
  /** Before the API server hears of the write, or when it has carried it out and nobody has been told. */
  readonly moment: 'before' | 'after';
  readonly matches: (write: Write) => boolean;
}

export interface KillProxyOptions {
  /** The API server, and the authority of its certificate. */
  readonly server: { readonly url: string; readonly ca: string };
  /** Of the user that is let through. */
  readonly token: string;
  /** Where the kubeconfig is put. */
  readonly dir: string;
}

interface Trap {
  readonly point: KillPoint;
  readonly kill: () => Promise<unknown>;
  readonly sprung: () => void;
}

/**
 * Stands between the operator, its helms and the API server, and sees each request: so they can be killed exactly
 * before or after one of them took effect, without anything built into the program.
 */
export class KillProxy {
  readonly kubeconfig: string;
  readonly writes: Write[] = [];
  readonly #target: URL;
  readonly #server: Server;
  readonly #agent: Agent;
  #trap: Trap | undefined;

  private constructor(options: KillProxyOptions, server: Server) {
    this.kubeconfig = join(options.dir, 'through-proxy.json');
    this.#target = new URL(options.server.url);
    this.#agent = new Agent({ ca: options.server.ca, keepAlive: true });
    this.#server = server;
  }

  static async start(options: KillProxyOptions): Promise<KillProxy> {
    const authority = createAuthority('kill-proxy-authority', Date.now());
    const { key, certificate: cert } = authority.issue('kill-proxy');
    const server = createServer({ key, cert });
    const proxy = new KillProxy(options, server);
    server.on('request', (incoming: IncomingMessage, answer: ServerResponse) => {
      proxy.#handle(incoming, answer).catch(() => {
        // As for any client whose server went away: it hears so, and tries again.
        answer.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const address = { url: `https://127.0.0.1:${String(port)}`, ca: authority.certificate };
    await writeFile(proxy.kubeconfig, kubeconfigOf(address, options.token), { mode: 0o600 });
    return proxy;
  }

  /** Kills when the first write of that kind comes by; resolves once that was done. */
  killAt(point: KillPoint, kill: () => Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      this.#trap = { point, kill, sprung: resolve };
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    if (method === 'GET') {
      await this.#forward(incoming, answer);
      return;
    }
    const body = await buffer(incoming);
    const by = headers['user-agent']?.startsWith('kubepkg') === true ? 'kubepkg' : 'helm';
    const trap = this.#seen({ at: Date.now(), by, method, path, body: body.toString('latin1') });
    if (trap?.point.moment !== 'before') await this.#forward(incoming, answer, { body, trap });
    if (trap === undefined) return;
    await trap.kill();
    answer.destroy();
    trap.sprung();
  }

  #seen(write: Write): Trap | undefined {
    if (/[?&]dryRun=/.test(write.path)) return undefined;
    this.writes.push(write);
    const trap = this.#trap;
    if (trap?.point.matches(write) !== true) return undefined;
    this.#trap = undefined;
    return trap;
  }

  /** Resolves once the answer has begun; behind a trap once it is complete, and nobody gets it. */
  #forward(
    incoming: IncomingMessage,
    answer: ServerResponse,
    { body, trap }: { readonly body?: Buffer; readonly trap?: Trap | undefined } = {},
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const { method, url: path, headers } = incoming;
      const { hostname: host, port } = this.#target;
      const outgoing = request({ host, port, method, path, headers, agent: this.#agent });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        if (trap !== undefined) {
          response.on('end', resolve).on('error', reject).resume();
          return;
        }
        answer.writeHead(response.statusCode ?? 502, withoutHop(response.headers));
        answer.flushHeaders();
        response.on('error', () => answer.destroy()).pipe(answer);
        resolve();
      });
      // A watch ends when whoever asked for it is gone.
      if (trap === undefined) answer.on('close', () => outgoing.destroy());
      outgoing.end(body);
    });
  }
}

function withoutHop({ connection: _hop, 'transfer-encoding': _chunks, ...headers }: IncomingMessage['headers']) {
  return headers;
}

function kubeconfigOf({ url, ca }: { readonly url: string; readonly ca: string }, token: string): string {
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'proxy',
    clusters: [{ name: 'proxy', cluster }],
    users: [{ name: 'kubepkg', user: { token } }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'kubepkg' } }],
  });
}
