import { gunzipSync, gzipSync } from 'node:zlib';
import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../api/kube.ts';
import { asNumber, asString, at, isRecord } from '../lib/json.ts';

/** Far above what fits into a Secret when packed; a bomb in a foreign record must not take the memory. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

/** A release as helm records it; what kubepkg does not read is kept as it came. */
export interface ReleaseRecord {
  readonly name: string;
  readonly namespace: string;
  readonly version: number;
  readonly status: string;
  readonly description: string;
  readonly manifest: string;
  /** The user values. */
  readonly config: unknown;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Reads `data.release`: base64 (beside the Secret's own) of gzip of JSON. */
export function decodeRecord(secret: KubeObject): ReleaseRecord {
  const raw = unpack(secret);
  return {
    name: asString(raw['name']) ?? '',
    namespace: asString(raw['namespace']) ?? '',
    version: asNumber(raw['version']) ?? 0,
    status: asString(at(raw, 'info', 'status')) ?? '',
    description: asString(at(raw, 'info', 'description')) ?? '',
    manifest: asString(raw['manifest']) ?? '',
    config: raw['config'],
    raw,
  };
}

/** The Secret with this record in it and with the label that follows the record's status. */
export function encodeRecord(secret: KubeObject, raw: Readonly<Record<string, unknown>>): KubeObject {
  const packed = gzipSync(Buffer.from(JSON.stringify(raw)), { level: 9 }).toString('base64');
  const status = asString(at(raw, 'info', 'status'));
  const labels = { ...secret.metadata.labels, ...(status === undefined ? {} : { status }) };
  return {
    ...secret,
    metadata: { ...secret.metadata, labels },
    data: { release: Buffer.from(packed).toString('base64') },
  };
}

function unpack(secret: KubeObject): Readonly<Record<string, unknown>> {
  try {
    const packed = Buffer.from(asString(at(secret, 'data', 'release')) ?? '', 'base64').toString('latin1');
    const bytes = Buffer.from(packed, 'base64');
    // Records from before helm compressed them are plain JSON.
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const json = isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }) : bytes;
    const raw: unknown = JSON.parse(json.toString('utf8'));
    if (isRecord(raw)) return raw;
  } catch (error) {
    throw unreadable(secret, error);
  }
  throw unreadable(secret, undefined);
}

function unreadable(secret: KubeObject, cause: unknown): KubepkgError {
  // The cause may quote the record, and that holds the values.
  const kind = cause instanceof Error ? ` (${cause.name})` : '';
  return new KubepkgError('HelmFailed', `${nameOf(refOf(secret))} holds no readable release record${kind}`, {
    hint: 'remove the damaged record, or restore it',
  });
}
