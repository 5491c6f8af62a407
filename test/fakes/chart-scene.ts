import { once } from 'node:events';
import { type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createChartServer } from '../../src/adapters/charts/chart-server.ts';
import type { ChartShelf } from '../../src/ports/artifacts.ts';
import { VirtualClock } from './clock.ts';
import { RecordingLog } from './recording-log.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A chart server that listens on loopback for the time of one test. */
export class ChartScene {
  readonly clock: VirtualClock;
  readonly log: RecordingLog;
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, clock: VirtualClock, log: RecordingLog) {
    this.#server = server;
    this.clock = clock;
    this.log = log;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(charts: ChartShelf, connections?: number): Promise<ChartScene> {
    const clock = new VirtualClock();
    const log = new RecordingLog();
    const server = createChartServer({ charts, clock, log, ...(connections === undefined ? {} : { connections }) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return new ChartScene(server, clock, log);
  }

  /** The path goes out exactly as it is written, and nothing is sent over a connection that was used before. */
  ask(path: string, { method = 'GET', headers = {} }: Asking = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, agent: false, path, method, headers };
      const asked = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
        });
      });
      asked.on('error', reject);
      asked.end();
    });
  }

  /** A client that says only what the test lets it say, and takes nothing. */
  async dial(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1');
    socket.pause();
    socket.on('error', () => socket.destroy());
    const accepted = once(this.#server, 'connection');
    onTestFinished(() => {
      socket.destroy();
    });
    await Promise.all([once(socket, 'connect'), accepted]);
    return socket;
  }

  /** Resolves when the server sees a request. */
  async requested(): Promise<void> {
    await once(this.#server, 'request');
  }
}
