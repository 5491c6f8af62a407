import type { IncomingMessage, ServerResponse } from 'node:http';
import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../../ports/system.ts';
import type { EmbeddedApi } from '../model/api.ts';
import type { Traffic } from '../model/traffic.ts';
import { refusalAnswer, sendAnswer } from './answer.ts';
import { handle } from './handle.ts';
import { protobufDecoder } from './protobuf.ts';

export interface ApiServerOptions {
  readonly api: EmbeddedApi;
  readonly clock: Clock;
  /** PEM: what the server shows, and who signed it. */
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string };
  /** The one bearer token that is let in. */
  readonly token: string;
  /** Told of everything that clients do. */
  readonly traffic?: Traffic;
  /** 0 or absent: any that is free. */
  readonly port?: number;
}

/** The embedded API on the loopback interface. */
export interface ApiServer {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** Ends every watch and every connection. */
  close(): Promise<void>;
}

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { tls, token } = options;
  const server = createServer({ key: tls.key, cert: tls.cert, ALPNProtocols: ['http/1.1'] });
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(server, options.port ?? 0);
  const url = `https://127.0.0.1:${String(port)}`;
  const closing = new AbortController();
  // One for each open watch.
  setMaxListeners(0, closing.signal);
  const serving = { ...options, url, closing: closing.signal, decodeProtobuf: protobufDecoder() };
  server.on('request', (request, response) => {
    answer(request, response, serving);
  });
  return { url, ca: tls.ca, token, close: () => close(server, sockets, closing) };
}

function answer(request: IncomingMessage, response: ServerResponse, serving: Parameters<typeof handle>[2]): void {
  handle(request, response, serving).catch((error: unknown) => {
    if (response.headersSent) response.destroy();
    else sendAnswer(response, refusalAnswer(error));
  });
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      // A server that listens on a port has an address with one.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server, sockets: ReadonlySet<Socket>, closing: AbortController): Promise<void> {
  closing.abort();
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    for (const socket of sockets) socket.destroy();
  });
}
