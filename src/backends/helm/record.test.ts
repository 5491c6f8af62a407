import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { releaseSecret } from '../../../test/build/helm-release.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { settled } from './settle.ts';

/** A record of helm 4.1.4 as it lies in a Secret, made with a chart of one ConfigMap. */
function withData(release: string): ReturnType<typeof releaseSecret> {
  return { ...releaseSecret(), data: { release } };
}

describe('a release record', () => {
  it('is read as it was written', () => {
    const secret = releaseSecret({
      revision: 3,
      status: 'failed',
      manifest: 'kind: X',
      config: { a: 1 },
      description: 'why',
    });
    expect(decodeRecord(secret)).toMatchObject({
      name: 'web',
      namespace: 'shop-ns',
      version: 3,
      status: 'failed',
      description: 'why',
      manifest: 'kind: X',
      config: { a: 1 },
    });
  });

  it('from before helm compressed them is read, too', () => {
    const plain = Buffer.from(JSON.stringify({ name: 'old', version: 1 })).toString('base64');
    expect(decodeRecord(withData(Buffer.from(plain).toString('base64'))).name).toBe('old');
  });

  it.each([
    ['nothing', ''],
    ['no JSON', Buffer.from(gzipSync('secret text').toString('base64')).toString('base64')],
    ['no object', Buffer.from(gzipSync('[1]').toString('base64')).toString('base64')],
    ['a broken archive', Buffer.from(gzipSync('{}').subarray(0, 12).toString('base64')).toString('base64')],
  ])('I10 that holds %s is refused without quoting it', (_, release) => {
    const read = (): unknown => decodeRecord(withData(release));
    expect(read).toThrow(expect.objectContaining({ code: 'HelmFailed' }));
    expect(read).not.toThrow(/secret text/);
  });

  it('keeps label and content together when it is rewritten', () => {
    const secret = releaseSecret({ status: 'pending-upgrade' });
    const rewritten = encodeRecord(secret, settled(decodeRecord(secret)));
    expect(rewritten.metadata.labels).toEqual({ ...secret.metadata.labels, status: 'failed' });
    expect(decodeRecord(rewritten).status).toBe('failed');
  });
});

describe('F72 a settled record', () => {
  it('has failed, says why, and is the same otherwise', () => {
    const record = decodeRecord(releaseSecret({ status: 'pending-install', config: { a: 1 } }));
    const { info, ...rest } = settled(record);
    expect(rest).toEqual({ ...record.raw, info: undefined });
    expect(info).toEqual({
      status: 'failed',
      description: 'interrupted: the process that began it ended before it was done (was pending-install)',
      first_deployed: '2026-01-01T00:00:00Z',
    });
  });
});
