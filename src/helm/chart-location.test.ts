import { describe, expect, it } from 'vitest';
import { KubepkgError } from '../api/errors.ts';
import type { ChartRef, FetchedChart, PinnedChartRef } from '../ports/artifacts.ts';
import { createChartLocator } from './chart-location.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const MANIFEST = `sha256:${'b'.repeat(64)}`;
const CHARTS = 'http://charts.kubepkg-system.svc:8082/charts';
const SERVED = { kind: 'http', repository: `${CHARTS}/sha256-${'a'.repeat(64)}`, name: 'web', version: '1.2.3+up4' };

function chart(ref: ChartRef): FetchedChart {
  return { ref, digest: DIGEST, path: '/x.tgz', name: 'web', version: '1.2.3+up4', sizeBytes: 1, hasPostHooks: false };
}

function published(repository: string): ChartRef {
  return { kind: 'chart', repository, name: 'web', version: '1.2.3+up4', digest: DIGEST };
}

const FROM_TREE: ChartRef = {
  kind: 'tree',
  url: 'oci://registry.test/trees/shop:1.0.0',
  root: '',
  path: 'web',
  libraries: [],
  valuesFiles: [],
};

interface Question {
  readonly ref: ChartRef;
  readonly chartsUrl?: string | undefined;
  readonly manifestDigest?: (ref: PinnedChartRef) => Promise<string>;
}

function locate({ ref, chartsUrl, manifestDigest = () => Promise.resolve(MANIFEST) }: Question) {
  return createChartLocator({ manifestDigest, chartsUrl }).locate(chart(ref), new AbortController().signal);
}

function refusedWith(code: 'DigestMismatch' | 'ArtifactNotFound' | 'RegistryUnreachable') {
  return () => Promise.reject(new KubepkgError(code, 'no'));
}

describe('what a controller can pull nowhere', () => {
  it.each([
    ['a chart of a tree that nobody serves', FROM_TREE, undefined, 'Unsupported'],
    ['a chart of a tree that the operator serves', FROM_TREE, CHARTS, undefined],
    ['a published chart', published('oci://registry.test/charts'), undefined, undefined],
  ])('R14 is known at once: %s', (_what, ref, chartsUrl, code) => {
    const manifestDigest = () => Promise.resolve(MANIFEST);
    expect(createChartLocator({ manifestDigest, chartsUrl }).refuses(chart(ref))?.code).toBe(code);
  });
});

describe('where a controller pulls a chart from', () => {
  it.each(['oci://registry.test/charts', 'oci://registry.test/charts/'])(
    'F85 a chart in %s stays there, by the digest of its manifest',
    async (repository) => {
      const asked: PinnedChartRef[] = [];
      const manifestDigest = (ref: PinnedChartRef) => {
        asked.push(ref);
        return Promise.resolve(MANIFEST);
      };
      expect(await locate({ ref: published(repository), chartsUrl: CHARTS, manifestDigest })).toEqual({
        kind: 'oci',
        repository: 'oci://registry.test/charts/web',
        version: '1.2.3+up4',
        manifestDigest: MANIFEST,
      });
      expect(asked).toMatchObject([{ digest: DIGEST, version: '1.2.3+up4' }]);
    },
  );

  it('a chart in a web repository stays there', async () => {
    const repository = 'https://charts.test/stable';
    expect(await locate({ ref: published(repository) })).toEqual({ ...SERVED, repository });
  });

  it.each([
    ['comes from a package tree', FROM_TREE, CHARTS],
    ['was made of a release record', published(''), CHARTS],
    ['is served below an address that ends with a slash', FROM_TREE, `${CHARTS}/`],
  ])('a chart that %s is pulled from the operator, by its digest', async (_what, ref, chartsUrl) => {
    expect(await locate({ ref, chartsUrl })).toEqual(SERVED);
  });

  it.each([
    ['a package tree', FROM_TREE],
    ['a release record', published('')],
  ])('a chart of %s is refused where the operator serves none, naming the flag', async (_what, ref) => {
    await expect(locate({ ref })).rejects.toMatchObject({
      code: 'Unsupported',
      hint: expect.stringContaining('--charts-url') as string,
    });
  });

  it.each(['DigestMismatch', 'ArtifactNotFound'] as const)(
    'R14 a chart whose registry answers %s is pulled from the operator, or refused as the registry did',
    async (code) => {
      const question = { ref: published('oci://registry.test/charts'), manifestDigest: refusedWith(code) };
      expect(await locate({ ...question, chartsUrl: CHARTS })).toEqual(SERVED);
      await expect(locate(question)).rejects.toMatchObject({ code });
    },
  );

  it('a registry that does not answer is waited for', async () => {
    const question = { ref: published('oci://registry.test/charts'), chartsUrl: CHARTS };
    const manifestDigest = refusedWith('RegistryUnreachable');
    await expect(locate({ ...question, manifestDigest })).rejects.toMatchObject({ code: 'RegistryUnreachable' });
  });

  it('the signal of the caller reaches the registry', async () => {
    const abort = new AbortController();
    const manifestDigest = (_ref: PinnedChartRef, signal: AbortSignal) => {
      abort.abort(new Error('enough'));
      return Promise.reject(signal.reason as Error);
    };
    const locator = createChartLocator({ manifestDigest, chartsUrl: CHARTS });
    const located = locator.locate(chart(published('oci://registry.test/charts')), abort.signal);
    await expect(located).rejects.toThrow('enough');
  });
});
