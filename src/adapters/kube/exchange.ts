import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '../../ports/system.ts';
import { networkError, timeoutError } from './network-errors.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer whose body is still coming. */
export interface HttpStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly message: IncomingMessage;
  /** Closes the connection; no error is reported afterwards. */
  abort(): void;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  /** Until the head, or the whole body, has come. */
  readonly timeoutMs: number;
  /** For messages: `at https://…`. */
  readonly where: string;
}

/** Sends the request and waits for the head of the answer. */
export async function exchangeHead(
  call: ClientRequest,
  body: string | undefined,
  options: ExchangeOptions,
): Promise<HttpStream> {
  const message = await withDeadline(call, options, awaitHead(call, body));
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    message,
    abort: () => {
      call.destroy();
    },
  };
}

/** Sends the request and reads the whole answer. */
export async function exchange(
  call: ClientRequest,
  body: string | undefined,
  options: ExchangeOptions,
): Promise<HttpResponse> {
  return withDeadline(
    call,
    options,
    awaitHead(call, body).then((message) => readAll(message, options.where)),
  );
}

export async function readAll(message: IncomingMessage, where: string): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    throw networkError(where, error);
  }
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function awaitHead(call: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    call.on('error', reject);
    call.on('response', resolve);
    call.end(body);
  });
}

async function withDeadline<T>(call: ClientRequest, options: ExchangeOptions, work: Promise<T>): Promise<T> {
  const { clock, timeoutMs, where } = options;
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => {
      reject(timeoutError(where, timeoutMs));
      call.destroy();
    });
    work.then(resolve, reject).finally(() => {
      timer.cancel();
    });
  });
}
