import { createHash } from 'node:crypto';
import { RegistryError } from './registry-error.ts';

const LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha512: 128 };

export function isContentDigest(text: string): boolean {
  const [algorithm = '', hex = '', more] = text.split(':');
  return more === undefined && LENGTHS[algorithm] === hex.length && /^[0-9a-f]+$/.test(hex);
}

/** As it is, or refused. */
export function contentDigest(text: string): string {
  if (isContentDigest(text)) return text;
  throw new RegistryError('DIGEST_INVALID', `${JSON.stringify(text)} is no sha256 or sha512 digest`);
}

/** Refuses bytes of another digest. */
export function verifyContent(digest: string, bytes: Buffer): void {
  const actual = digestLike(digest, bytes);
  if (actual !== digest) throw new RegistryError('DIGEST_INVALID', { digest, content: actual });
}

/** The digest of bytes, by the algorithm of another. */
function digestLike(digest: string, bytes: Buffer): string {
  const algorithm = digest.slice(0, digest.indexOf(':'));
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}
