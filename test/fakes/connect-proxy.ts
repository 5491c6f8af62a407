import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy on loopback: CONNECT for TLS, full URLs for plain HTTP. */
export class ConnectProxy {
  readonly url: string;
  readonly seen: { readonly line: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** Status that CONNECT is refused with, once set. */
  refuseWith: number | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    server.on('connect', (call, client: Socket) => {
      this.seen.push({ line: `CONNECT ${call.url ?? ''}`, headers: call.headers });
      this.#tunnel(call.url ?? '', client);
    });
    server.on('request', (call, response) => {
      this.seen.push({ line: `${call.method ?? ''} ${call.url ?? ''}`, headers: call.headers });
      const onward = request(call.url ?? '', { method: call.method, headers: call.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      call.pipe(onward);
    });
  }

  static async start(): Promise<ConnectProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ConnectProxy(server);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #tunnel(target: string, client: Socket): void {
    if (this.refuseWith !== undefined) {
      client.end(`HTTP/1.1 ${String(this.refuseWith)} Refused\r\n\r\n`);
      return;
    }
    const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(target) ?? [];
    const server = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(server).pipe(client);
    });
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
  }
}
