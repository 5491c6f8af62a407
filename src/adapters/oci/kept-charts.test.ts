import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { ociTest as it } from '../../../test/fakes/oci-world.ts';

const OTHER_DIGEST = `sha256:${'0'.repeat(64)}`;

describe('a chart that is kept', () => {
  it('is found by its digest alone, by another process too, without any network', async ({ world }) => {
    world.publishChart({ version: '1.2.3+up4' });
    const { ref, ...chart } = await world.source().fetch(world.chartRef({ version: '1.2.3+up4' }));
    await world.registry.stop();
    const source = world.source();
    expect(await source.find(chart.digest)).toEqual(chart);
    expect(await source.find(chart.digest)).toEqual(chart);
    expect(ref.digest).toBe(chart.digest);
  });

  it('is found when it was made of files', async ({ world }) => {
    const source = world.source();
    const { ref: _ref, ...chart } = await source.pack('web', { 'Chart.yaml': 'name: web\nversion: 1.0.0\n' });
    expect(await source.find(chart.digest)).toEqual(chart);
  });

  it('is not believed, though it was before, when its bytes are others now', async ({ world }) => {
    world.publishChart();
    const source = world.source();
    const chart = await source.fetch(world.chartRef());
    expect(await source.find(chart.digest)).toBeDefined();
    await writeFile(chart.path, 'damaged');
    expect(await source.find(chart.digest)).toBeUndefined();
  });

  it.for([OTHER_DIGEST, '', 'sha256:', 'sha256:../../x', `${OTHER_DIGEST}/../x`])(
    '%j gives none',
    async (digest, { world }) => {
      expect(await world.source().find(digest)).toBeUndefined();
    },
  );
});

describe('the digest of the manifest of a published chart', () => {
  it('F85 is that of the tag of its version', async ({ world }) => {
    const { manifest, layer } = world.publishChart({ version: '1.2.3+up4' });
    const ref = { ...world.chartRef({ version: '1.2.3+up4' }), digest: layer };
    expect(await world.source().manifestDigest(ref)).toBe(manifest);
    expect(world.registry.seen.map(({ path }) => path)).toEqual(['/v2/charts/web/manifests/1.2.3_up4']);
  });

  it('is refused when the version is another archive by now', async ({ world }) => {
    const { layer } = world.publishChart();
    world.publishChart({ files: { 'README.md': 'newer' } });
    const question = world.source().manifestDigest({ ...world.chartRef(), digest: layer });
    await expect(question).rejects.toMatchObject({ code: 'DigestMismatch' });
  });

  it('is refused when it is no chart', async ({ world }) => {
    const digest = world.publishTree({ 'web/Chart.yaml': 'name: web\nversion: 1.0.0\n' });
    const ref = world.chartRef({ repository: `oci://${world.registry.host}/trees`, name: 'shop', version: '1.0.0' });
    await expect(world.source().manifestDigest({ ...ref, digest })).rejects.toMatchObject({ code: 'ChartInvalid' });
  });

  it('is not found when the version is gone', async ({ world }) => {
    const question = world.source().manifestDigest({ ...world.chartRef(), digest: OTHER_DIGEST });
    await expect(question).rejects.toMatchObject({ code: 'ArtifactNotFound' });
  });

  it('ends with the reason of a caller who gives up', async ({ world }) => {
    const { layer } = world.publishChart();
    const abort = new AbortController();
    world.registry.misbehave(() => {
      abort.abort(new Error('enough'));
      return true;
    });
    const question = world.source().manifestDigest({ ...world.chartRef(), digest: layer }, abort.signal);
    await expect(question).rejects.toThrow('enough');
  });
});
