import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { releaseSecret } from '../../test/build/helm-release.ts';
import { decodeRecord } from './record.ts';

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
});
