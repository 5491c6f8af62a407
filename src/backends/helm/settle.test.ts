import { describe, expect, it } from 'vitest';
import { releaseSecret } from '../../../test/build/helm-release.ts';
import { decodeRecord, encodeRecord } from '../../helm/record.ts';
import { settled } from './settle.ts';

describe('F72 a settled record', () => {
  it('keeps label and content together when it is rewritten', () => {
    const secret = releaseSecret({ status: 'pending-upgrade' });
    const rewritten = encodeRecord(secret, settled(decodeRecord(secret)));
    expect(rewritten.metadata.labels).toEqual({ ...secret.metadata.labels, status: 'failed' });
    expect(decodeRecord(rewritten).status).toBe('failed');
  });

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
