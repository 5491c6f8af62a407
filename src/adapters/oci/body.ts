import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { KubepkgError } from '../../api/errors.ts';
import { onDisk } from './disk.ts';
import { asTransportError, type HttpRequest, type HttpResponse } from './transport.ts';

export interface Downloaded {
  /** `sha256:…` of what was written. */
  readonly digest: string;
  readonly sizeBytes: number;
}

/** A body that belongs into memory: manifests, tokens, error texts. */
export async function readSmallBody(response: HttpResponse, request: HttpRequest, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of limited(response, request, limit)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Streams a body into a file while hashing it; what is too large is given up on the way. */
export async function downloadBody(
  response: HttpResponse,
  request: HttpRequest,
  target: { readonly path: string; readonly limit: number },
): Promise<Downloaded> {
  const { path, limit } = target;
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await onDisk(path, () => open(path, 'w'));
  try {
    for await (const chunk of limited(response, request, limit)) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      await onDisk(path, () => file.writeFile(chunk));
    }
  } finally {
    await file.close();
  }
  return { digest: `sha256:${hash.digest('hex')}`, sizeBytes };
}

async function* limited(response: HttpResponse, request: HttpRequest, limit: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > limit) throw tooLarge(request, limit);
      yield chunk;
    }
  } catch (error) {
    throw asTransportError(error, request);
  }
}

function tooLarge(request: HttpRequest, limit: number): KubepkgError {
  const mebibytes = String(Math.round(limit / 1024 / 1024));
  return new KubepkgError('ArchiveTooLarge', `${request.subject}: more than the ${mebibytes} MiB that are allowed`, {
    hint: 'make the artifact smaller: large files do not belong into charts',
  });
}
