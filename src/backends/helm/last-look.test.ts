import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFixtureChart } from '../../../test/build/fixture-chart.ts';
import {
  desiredRelease,
  OWN_LABELS,
  type RecordShape,
  releaseSecret,
  TARGET,
} from '../../../test/build/helm-release.ts';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import type { Backend } from '../../ports/backend.ts';
import type { CommandResult } from '../../ports/process.ts';
import { createHelmBackend } from './backend.ts';

const FAILED: RecordShape = { revision: 1, status: 'failed' };

describe('P21 a release whose delivery is prepared', () => {
  let cluster: MemoryCluster;
  let folder: string;
  /** What helm was started for. */
  let started: string[];

  beforeEach(async () => {
    cluster = new MemoryCluster();
    started = [];
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-deliver-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  function backend(): Backend {
    const run = ({ args }: { readonly args: readonly string[] }): Promise<CommandResult> => {
      const [command = ''] = args;
      if (command !== 'version') started.push(command);
      const stdout = command === 'version' ? 'v4.0.0' : '';
      return Promise.resolve({ exitCode: 0, stdout, stderr: '' });
    };
    const helm = { binary: 'helm', environment: {} };
    return createHelmBackend({ cluster, runner: { run }, helm, tempDir: folder });
  }

  /** `meanwhile`: the record that somebody writes once the delivery has looked at what there is. */
  async function deliver(before: RecordShape | undefined, meanwhile: RecordShape | undefined): Promise<string> {
    if (before !== undefined) cluster.put(releaseSecret(before));
    const chart = await packFixtureChart(folder, { name: 'web' });
    const observed = await backend().observe(TARGET);
    cluster.after = ({ line }) => {
      if (line !== 'list Secret') return;
      cluster.after = () => undefined;
      if (meanwhile !== undefined) cluster.put(releaseSecret(meanwhile));
    };
    const release = desiredRelease({ chart });
    const outcome = await backend().submit({ kind: 'install', release, observed }, new AbortController().signal);
    return outcome.kind === 'accepted' ? outcome.kind : `${outcome.kind} ${outcome.error.code}`;
  }

  it.each<[string, RecordShape | undefined, RecordShape]>([
    [
      'which another package has begun to install',
      undefined,
      {
        status: 'pending-install',
        labels: { ...OWN_LABELS, 'kubepkg.dev/package': 'front' },
      },
    ],
    ['which somebody has installed by hand', undefined, { labels: {} }],
    ['which somebody has begun to upgrade', FAILED, { revision: 2, status: 'pending-upgrade', labels: {} }],
    ['which somebody has failed to upgrade', FAILED, { revision: 2, status: 'failed', labels: {} }],
    ['whose own record went on', FAILED, { ...FAILED, status: 'uninstalling' }],
  ])('and %s meanwhile, is left alone', async (_, before, meanwhile) => {
    expect(await deliver(before, meanwhile)).toBe('failed ApiConflict');
    expect(started).toEqual([]);
  });

  it.each<[string, RecordShape | undefined]>([
    ['of which there is no record', undefined],
    ['whose record is that which was looked at', FAILED],
  ])('and %s still, is delivered', async (_, before) => {
    expect(await deliver(before, undefined)).toBe('accepted');
    expect(started).toHaveLength(1);
  });
});
