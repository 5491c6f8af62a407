import { describe, expect, it } from 'vitest';
import { RecordingLog } from '../../test/fakes/recording-log.ts';
import { KubepkgError } from '../api/errors.ts';
import type { WatchEvent } from '../ports/cluster.ts';
import { logDisturbances } from './log-disturbances.ts';

describe('the log of disturbed watches', () => {
  it('says once what disturbs one, and when it works again', () => {
    const log = new RecordingLog();
    const listen = logDisturbances(log)({ apiVersion: 'v1', kind: 'Secret' });
    const disturbed = (code: 'ApiForbidden' | 'ApiUnreachable'): WatchEvent => ({
      type: 'disturbed',
      error: new KubepkgError(code, 'no'),
    });
    const synced: WatchEvent = { type: 'synced' };
    const story = [
      synced,
      disturbed('ApiForbidden'),
      disturbed('ApiForbidden'),
      disturbed('ApiUnreachable'),
      synced,
      synced,
    ];
    for (const event of story) listen?.(event);
    expect(log.entries.map(({ level, fields }) => [level, fields['code']])).toEqual([
      ['warn', 'ApiForbidden'],
      ['warn', 'ApiUnreachable'],
      ['info', undefined],
    ]);
  });

  it('is quiet about a kind that is not served yet', () => {
    const log = new RecordingLog();
    const error = new KubepkgError('KindNotServed', 'not yet');
    logDisturbances(log)({ apiVersion: 'example.org/v1', kind: 'Widget' })?.({ type: 'disturbed', error });
    expect(log.entries.map(({ level }) => level)).toEqual(['debug']);
  });
});
