import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { sha256 } from '../../../src/lib/digest.ts';

/** Whose credentials have expired. */
export type Refused = 'nobody' | 'controllers' | 'everybody';

export interface Archive {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

/** A Helm repository on the loopback, with an index and archives. */
export class ChartRepository {
  refused: Refused = 'nobody';
  /** How often somebody was refused who is not the operator. */
  refusals = 0;
  readonly #server: Server;
  readonly #files = new Map<string, Buffer>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response);
    });
  }

  static async start(archives: readonly Archive[]): Promise<ChartRepository> {
    const repository = new ChartRepository();
    await new Promise<void>((resolve) => repository.#server.listen(0, '127.0.0.1', resolve));
    const entries: Record<string, object[]> = {};
    for (const { name, version, file } of archives) {
      const bytes = await readFile(file);
      const path = encodeURIComponent(basename(file));
      repository.#files.set(`/${path}`, bytes);
      const entry = { apiVersion: 'v2', name, version, digest: sha256(bytes), urls: [path] };
      entries[name] = [...(entries[name] ?? []), entry];
    }
    const index = { apiVersion: 'v1', generated: '2026-01-01T00:00:00Z', entries };
    repository.#files.set('/index.yaml', Buffer.from(JSON.stringify(index)));
    return repository;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const isOperator = headers['user-agent']?.startsWith('kubepkg') === true;
    const isRefused = this.refused === 'everybody' || (this.refused === 'controllers' && !isOperator);
    const bytes = this.#files.get(url);
    if (isRefused && !isOperator) this.refusals += 1;
    if (isRefused) response.writeHead(401, { 'www-authenticate': 'Basic realm="charts"' }).end();
    else if (bytes === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  }
}
