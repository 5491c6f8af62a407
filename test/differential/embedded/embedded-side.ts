import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createEmbeddedApi } from '../../../src/embedded/api/index.ts';
import type { Serving } from '../../../src/embedded/http/call.ts';
import { handle } from '../../../src/embedded/http/handle.ts';
import { protobufDecoder } from '../../../src/embedded/http/protobuf.ts';
import { seededRandom } from '../../../src/embedded/time/seeded.ts';
import { at } from '../../../src/lib/json.ts';
import type { Clock } from '../../../src/ports/system.ts';
import type { Side, WireAnswer, WireRequest } from './request.ts';

const TOKEN = 'token';
export const USER_AGENT = 'differential/1.0';

/** The embedded API server through its whole HTTP layer, without a socket. Each request is a second after the last one. */
export function createEmbeddedSide(): Side {
  const time = { now: Date.parse('2030-01-01T00:00:00Z') };
  const clock: Clock = {
    now: () => time.now,
    steady: () => time.now,
    after: () => ({ cancel: () => undefined }),
    random: () => 0,
  };
  const api = createEmbeddedApi({ clock, random: seededRandom(1) });
  const serving: Serving = {
    api,
    clock,
    token: TOKEN,
    url: 'https://127.0.0.1',
    closing: new AbortController().signal,
    decodeProtobuf: protobufDecoder(),
  };
  const exchange = async (request: WireRequest, response: FakeResponse): Promise<void> => {
    time.now += 1000;
    await handle(incoming(request), response as unknown as ServerResponse, serving);
  };
  return {
    async send(request): Promise<WireAnswer> {
      const response = new FakeResponse();
      await exchange(request, response);
      return response.answer();
    },
    async events(collection, resourceVersion, last): Promise<readonly unknown[]> {
      const path = `${collection}?watch=true&resourceVersion=${resourceVersion}`;
      const response = new FakeResponse();
      await exchange({ method: 'GET', path, type: '', body: undefined }, response);
      response.close();
      const events = response.lines();
      const end = events.findIndex((event) => at(event, 'object', 'metadata', 'name') === last);
      return end === -1 ? events : events.slice(0, end);
    },
  };
}

function incoming({ method, path, type, body }: WireRequest): IncomingMessage {
  const stream = Readable.from(body === undefined ? [] : [Buffer.from(body)]);
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': type,
    accept: 'application/json',
    'user-agent': USER_AGENT,
  };
  return Object.assign(stream, { method, url: path, headers }) as unknown as IncomingMessage;
}

/** As much of a response as the HTTP layer uses. */
class FakeResponse {
  statusCode = 200;
  headersSent = false;
  #body = '';
  #warnings: readonly string[] = [];
  readonly #onClose: (() => void)[] = [];

  setHeader(name: string, value: unknown): void {
    if (name === 'Warning') this.#warnings = value as readonly string[];
  }

  writeHead(status: number): void {
    this.statusCode = status;
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  write(text: string): void {
    this.#body += text;
  }

  end(text = ''): void {
    this.headersSent = true;
    this.#body += text;
  }

  on(event: string, listener: () => void): void {
    if (event === 'close') this.#onClose.push(listener);
  }

  close(): void {
    for (const listener of this.#onClose) listener();
  }

  lines(): readonly unknown[] {
    return this.#body
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  }

  answer(): WireAnswer {
    return { status: this.statusCode, body: parsed(this.#body), warnings: this.#warnings };
  }
}

function parsed(text: string): unknown {
  return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
}
