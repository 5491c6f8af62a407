import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFixtureChart } from '../../../test/build/fixture-chart.ts';
import { desiredRelease, releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { FluxScene } from '../../../test/fakes/flux-scene.ts';
import { readVanishing, writeVanishing } from './vanishing-jobs.ts';

const job = (name: string, spec: string): string =>
  `---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec: {${spec}}\n`;
const MANIFEST = job('stays', 'backoffLimit: 0') + job('goes', 'ttlSecondsAfterFinished: 0');
const GOES = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop-ns', name: 'goes', mayVanish: true };

describe('F49 the Jobs of a release that remove themselves', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-flux-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each([
    ['what was noted', writeVanishing(MANIFEST), [GOES]],
    ['another namespace', '[["batch/v1","other","goes"]]', [{ ...GOES, namespace: 'other' }]],
    ['nothing', undefined, []],
    ['what is no JSON', '[[', []],
    ['what is no list', '{"a":1}', []],
    ['what is no Job', '[["v1","","goes"],["batch/v1",""],7]', []],
  ])('are read from an annotation: %s', (_what, annotation, items) => {
    expect(readVanishing(annotation, 'shop-ns')).toEqual(items);
  });

  it('are known from the first write on, long before there is a record', async () => {
    const scene = new FluxScene(folder);
    scene.rendering = { exitCode: 0, stdout: MANIFEST, stderr: '' };
    const chart = await packFixtureChart(folder, { name: 'web' });
    const release = desiredRelease({ chart });
    await scene.submit({ kind: 'install', release, observed: { state: 'absent' } });
    expect(await scene.backend.inventory(TARGET, 'newest')).toEqual([GOES]);
    expect(await scene.backend.inventory(TARGET)).toEqual([]);
    scene.cluster.put(releaseSecret({ labels: {}, manifest: MANIFEST }));
    expect(await scene.backend.inventory(TARGET, 'newest')).toHaveLength(2);
  });
});
