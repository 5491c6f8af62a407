import { describe, expect, it } from 'vitest';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { expectAfter } from '../operator/expect-after.ts';
import { at } from '../../../src/lib/json.ts';
import { inNamespace, messageOf, phases, publish, says } from '../operator/packages.ts';
import { condition, hasReason, isReady } from '../operator/world.ts';
import { BUILT, DOTTED, EXPIRING } from './published-charts.ts';
import type { Stage } from './stage.ts';

/** How often the same version gets other values; Argo CD compares by version alone, and so has to prove it. */
const TRIES = { helm: 5, flux: 5, argocd: 100 } as const;

export function chartCases({ world, tree, published }: Stage): void {
  const { backend, cluster } = world;
  const { registry, repository, guarded } = published;

  function component(name: string, chart: SourceComponent['chart'], namespace: string): SourceComponent {
    return { name, ...(chart === undefined ? {} : { chart }), install: { namespace } };
  }

  async function chartOf(namespace: string, name: string): Promise<unknown> {
    return at(await cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }), 'data', 'chart');
  }

  describe('a published chart', () => {
    it('F84 F85 may have a dot in its name and build metadata in its version, in a registry and in a repository', async () => {
      const components = [
        component('dotted-oci', { repository: registry, ...DOTTED }, 'published'),
        component('dotted-http', { repository: repository.url, ...DOTTED }, 'published'),
        component('built-oci', { repository: registry, ...BUILT }, 'published'),
        component('built-http', { repository: repository.url, ...BUILT }, 'published'),
      ];
      await publish(world, 'published', { tree, components });
      await world.applyPackage('published');
      await world.untilPackage('published', isReady);
      for (const { name } of components) {
        // Flux puts the digest of an OCI artifact in the place of build metadata.
        const chart = name.startsWith('dotted') ? /^internal\.my-chart 1\.0\.0(\+|$)/ : /^built 1\.2\.3\+/;
        expect(await chartOf('published', name), name).toMatch(chart);
        expect(await backend.deliveriesOf({ namespace: 'published', name }), name).toEqual([1]);
      }
    });

    it('F89 may be in any folder of a registry, and has no slash in its name', async () => {
      const folder = registry.replace(/\/[^/]+$/, '');
      const components = [
        component('slashed', { repository: folder, ...DOTTED, name: `charts/${DOTTED.name}` }, 'slashed'),
      ];
      await publish(world, 'slashed', { tree, components });
      await world.applyPackage('slashed');
      const pkg = await world.untilPackage('slashed', hasReason('InvalidConfiguration'));
      expect(messageOf(pkg)).toContain(`charts/${DOTTED.name}`);
      expect(await backend.tracesIn('slashed')).toEqual([]);
    });

    it('F88 R5 whose repository takes no credentials for a while is waited for, wherever that strikes', async () => {
      guarded.refused = 'everybody';
      await publish(world, 'expiring', {
        tree,
        components: [component('expiring', { repository: guarded.url, ...EXPIRING }, 'expiring')],
      });
      await world.applyPackage('expiring');
      await world.untilPackage('expiring', hasReason('FetchFailed'));
      guarded.refused = 'controllers';
      if (backend.controller !== undefined) {
        const waiting = await world.untilPackage('expiring', says(/component expiring .*(401|nauthorized)/));
        expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
        expect(guarded.refusals).toBeGreaterThan(0);
      }
      guarded.refused = 'nobody';
      await world.untilPackage('expiring', isReady);
      expect(phases(await world.revisions('expiring'))).toEqual(['Applied']);
    });
  });

  describe('a change of values at the same version', () => {
    it('R4 is never ready on evidence of the values before', { timeout: 600_000 }, async () => {
      const mark = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'values', name: 'mark' };
      await publish(world, 'values', { tree, components: [inNamespace('values')('mark')] });
      for (let round = 1; round <= TRIES[backend.name]; round += 1) {
        await world.applyPackage('values', { components: { mark: { values: { mark: String(round) } } } });
        const pkg = await world.untilPackage('values', isReady);
        const written = await cluster.read(mark);
        expect(written, String(round)).toMatchObject({ data: { mark: String(round) } });
        expectAfter(pkg, written);
      }
      const failed = (await world.revisions('values')).filter(({ status }) => status?.phase === 'Failed');
      expect(failed).toEqual([]);
    });
  });
}
