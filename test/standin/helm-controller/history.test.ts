import { describe, expect, it } from 'vitest';
import { previousOf, truncated, withDelivery, withObserved } from './history.ts';
import type { Snapshot } from './status.ts';

function entry(version: number, status: string, action?: string): Snapshot {
  const none = { digest: '', name: 'app', namespace: 'ns', chartName: 'web', chartVersion: '1.0.0', configDigest: '' };
  const times = { firstDeployed: '', lastDeployed: '' };
  return { apiVersion: 'v2', ...none, ...times, version, status, ...(action === undefined ? {} : { action }) };
}

function texts(history: readonly Snapshot[]): readonly string[] {
  return history.map(({ version, status, action }) => [`v${String(version)}`, status, action].join(' ').trim());
}

const FAILED = entry(4, 'failed', 'upgrade');
const LONG = [entry(5, 'deployed', 'upgrade'), FAILED, entry(3, 'superseded'), entry(2, 'superseded')];

describe('the history of a HelmRelease', () => {
  it('[07, 34] is cut to the newest, the one it replaced, and what failed between', () => {
    expect(texts(truncated(LONG))).toEqual(['v5 deployed upgrade', 'v4 failed upgrade', 'v3 superseded']);
  });

  it('is cut to five when nothing has ever worked before', () => {
    const failed = [7, 6, 5, 4, 3, 2].map((version) => entry(version, 'failed'));
    expect(truncated(failed)).toHaveLength(5);
  });

  it('goes back to the newest that has worked', () => {
    expect(previousOf([FAILED, entry(3, 'failed'), entry(2, 'deployed')])?.version).toBe(2);
    expect(previousOf([FAILED])).toBeUndefined();
  });

  it('[02] takes the action from what an upgrade was made of', () => {
    const history = withDelivery(
      [entry(1, 'deployed', 'install')],
      entry(2, 'deployed', 'upgrade'),
      entry(1, 'superseded'),
    );
    expect(texts(history)).toEqual(['v2 deployed upgrade', 'v1 superseded']);
  });

  it('[32] has what a rollback wrote, each in its place', () => {
    const history = withObserved(
      [FAILED, entry(1, 'deployed')],
      [entry(5, 'failed', 'rollback'), entry(4, 'failed', 'rollback')],
    );
    expect(texts(history)).toEqual(['v5 failed rollback', 'v4 failed rollback', 'v1 deployed']);
  });
});
