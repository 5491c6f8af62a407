import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFixtureChart } from '../../../test/build/fixture-chart.ts';
import { desiredRelease } from '../../../test/build/helm-release.ts';
import { FluxScene } from '../../../test/fakes/flux-scene.ts';
import type { FetchedChart } from '../../ports/artifacts.ts';
import type { DesiredRelease, ReleaseObservation, SubmitOutcome } from '../../ports/backend.ts';

describe('the last look before Flux is told', () => {
  let folder: string;
  let scene: FluxScene;
  let chart: FetchedChart;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-flux-'));
    scene = new FluxScene(folder);
    chart = await packFixtureChart(folder, { name: 'web' });
    expect(await submit('install', { state: 'absent' })).toEqual({ kind: 'accepted' });
  });
  afterEach(() => rm(folder, { recursive: true }));

  function submit(
    kind: 'install' | 'upgrade',
    observed: ReleaseObservation,
    shape: Partial<DesiredRelease> = {},
  ): Promise<SubmitOutcome> {
    return scene.submit({ kind, release: desiredRelease({ chart, token: 'token-1', ...shape }), observed });
  }

  it('F03 does not resume what somebody suspends while the chart is examined', async () => {
    const observed = await scene.present();
    scene.cluster.before = ({ line }) => {
      if (!line.startsWith('create Secret')) return;
      scene.cluster.put({ ...scene.helmRelease, spec: { interval: '1h', suspend: true } });
    };
    const outcome = await submit('upgrade', observed, { token: 'token-2', values: { color: 'green' } });
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ApiConflict' } });
    expect(scene.helmRelease['spec']).toEqual({ interval: '1h', suspend: true });
  });
});
