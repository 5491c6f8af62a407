import type { IncomingMessage } from 'node:http';
import type { RegistryContent } from './content.ts';
import { RegistryError } from './registry-error.ts';
import type { Uploads } from './uploads.ts';

/** One request, and what it works on. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly content: RegistryContent;
  readonly uploads: Uploads;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** All of it, or a refusal before more than that is kept. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Else the connection would be gone before the refusal is written.
  const incoming = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > limit) throw new RegistryError('SIZE_INVALID', { limit });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
