import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import type { KeyAndCertificate } from '../../lib/tls/certificate.ts';

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

interface EitherOptions {
  readonly tls: KeyAndCertificate;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** The first byte of a TLS handshake; no HTTP method begins with it. */
const HANDSHAKE = 0x16;

/** TLS and plain HTTP at one port: helm 3 speaks nothing but plain HTTP to registries on the loopback. */
export async function listenForEither(listener: RequestListener, options: EitherOptions): Promise<Listening> {
  const { tls, host, port } = options;
  const plain = createHttpServer(listener);
  const secure = createHttpsServer({ key: tls.key, cert: tls.certificate }, listener);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Whoever hangs up before a word was said is nobody's concern; later the HTTP server listens to errors.
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      (first[0] === HANDSHAKE ? secure : plain).emit('connection', socket);
    });
  });
  return { port: await listen(server, host, port), close: () => close(server, sockets) };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    // The only error there is says that it does not listen any more.
    server.close(() => {
      resolve();
    });
    for (const socket of sockets) socket.destroy();
  });
}
