import { contentDigest, isContentDigest, verifyContent } from './content-digest.ts';
import { type Answer, type Exchange, readBody } from './exchange.ts';
import { RegistryError } from './registry-error.ts';
import { isRepositoryName } from './route.ts';
import type { Upload } from './uploads.ts';

/** It is kept in memory while it comes in. */
const BLOB_LIMIT = 512 * 1024 * 1024;

/** `POST blobs/uploads/`: a mount, content in one request, or the begin of an upload. */
export async function beginUpload(name: string, exchange: Exchange): Promise<Answer> {
  const { query, content, uploads, method } = exchange;
  if (method !== 'POST') throw new RegistryError('UNSUPPORTED');
  const mount = query.get('mount') ?? '';
  const from = query.get('from') ?? '';
  if (isContentDigest(mount) && isRepositoryName(from) && content.mountBlob(name, from, mount)) {
    return createdBlob(name, mount);
  }
  if (query.has('digest')) return completeUpload(uploads.begin(name), exchange);
  return progressOf(uploads.begin(name), 202);
}

export async function continueUpload(name: string, id: string, exchange: Exchange): Promise<Answer> {
  const { method, uploads, request } = exchange;
  const upload = uploads.find(name, id);
  switch (method) {
    case 'GET':
    case 'HEAD':
      return progressOf(upload, 204);
    case 'DELETE':
      uploads.end(upload);
      return { status: 204 };
    case 'PATCH':
      refuseGap(request.headers, upload);
      return progressOf(await receive(upload, exchange), 202);
    case 'PUT':
      refuseGap(request.headers, upload);
      return completeUpload(upload, exchange);
    default:
      throw new RegistryError('UNSUPPORTED');
  }
}

/** Nobody can read it before its digest was verified; afterwards the upload is over, however it ended. */
async function completeUpload(begun: Upload, exchange: Exchange): Promise<Answer> {
  const { query, content, uploads } = exchange;
  const digest = contentDigest(query.get('digest') ?? '');
  const { name, bytes } = await receive(begun, exchange);
  uploads.end(begun);
  verifyContent(digest, bytes);
  content.putBlob(name, digest, bytes);
  return createdBlob(name, digest);
}

async function receive(upload: Upload, { request, uploads }: Exchange): Promise<Upload> {
  const chunk = await readBody(request, BLOB_LIMIT - upload.bytes.length);
  const length = upload.bytes.length;
  // Somebody else may have sent a chunk meanwhile.
  if (uploads.find(upload.name, upload.id).bytes.length !== length) throw new RegistryError('RANGE_INVALID');
  return uploads.append(upload, chunk);
}

function refuseGap(headers: Exchange['request']['headers'], { bytes }: Upload): void {
  const range = headers['content-range'];
  if (range === undefined) return;
  const [, first, last] = /^(?:bytes[ =])?(\d+)-(\d+)(?:\/.*)?$/.exec(range) ?? [];
  const length = headers['content-length'];
  const isNext = Number(first) === bytes.length;
  const isWhole = length === undefined || Number(length) === Number(last) - Number(first) + 1;
  if (!isNext || !isWhole) throw new RegistryError('RANGE_INVALID', { expected: bytes.length });
}

function progressOf({ name, id, bytes }: Upload, status: number): Answer {
  const headers = {
    location: `/v2/${name}/blobs/uploads/${id}`,
    range: `0-${String(Math.max(bytes.length - 1, 0))}`,
    'docker-upload-uuid': id,
  };
  return { status, headers };
}

function createdBlob(name: string, digest: string): Answer {
  return { status: 201, headers: { location: `/v2/${name}/blobs/${digest}`, 'docker-content-digest': digest } };
}
