import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay whose connections can be cut, as a failing network or load balancer cuts them. */
export class BreakableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isRefusing = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(targetPort: number): Promise<BreakableProxy> {
    const server = createServer();
    const proxy = new BreakableProxy(server);
    server.on('connection', (client) => {
      if (proxy.#isRefusing) {
        client.resetAndDestroy();
        return;
      }
      proxy.#relay(client, connect(targetPort, '127.0.0.1'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Whether new connections are reset as well; those that are open are cut when it begins. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
    if (isRefusing) this.cut();
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
