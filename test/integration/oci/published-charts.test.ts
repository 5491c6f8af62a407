import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { entriesOf } from '../../../src/adapters/oci/helm-index.ts';
import { sha256 } from '../../../src/lib/digest.ts';
import type { PublishedChartRef } from '../../../src/ports/artifacts.ts';
import { chartFiles } from '../../build/archives.ts';
import { describeRegistries, type HelmWorld } from './helm-world.ts';

const HOOK = 'kind: Job\nmetadata:\n  annotations:\n    "helm.sh/hook": post-upgrade\n';

/** Packs and pushes a folder of the world with helm; returns the archive's digest. */
async function publish(world: HelmWorld, folder: string, name: string): Promise<string> {
  const packed = await world.helm('package', folder, '--destination', world.folder);
  const archive = packed.trim().replace(/^.*: /, '');
  await world.helm('push', archive, `oci://${world.registry.host}/${name}`);
  return `sha256:${sha256(await readFile(archive))}`;
}

function refTo(world: HelmWorld, name: string, more: Partial<PublishedChartRef> = {}): PublishedChartRef {
  return { kind: 'chart', repository: `oci://${world.registry.host}/${name}`, name: 'web', version: '1.2.3', ...more };
}

describeRegistries('a chart that helm pushed', (it) => {
  it('made by helm create comes with the digest of what was pushed', async ({ world }) => {
    await world.helm('create', 'web');
    const digest = await publish(world, 'web', 'published/created');
    const chart = await world.source().fetch(refTo(world, 'published/created', { version: '0.1.0' }));
    expect(chart).toMatchObject({ digest, name: 'web', version: '0.1.0', hasPostHooks: false });
    expect(await world.helm('template', 'shop', chart.path)).toContain('name: shop-web');
  });

  it('F85 keeps its build metadata', async ({ world }) => {
    await world.write('web', chartFiles({ version: '1.2.3+up4' }));
    const digest = await publish(world, 'web', 'published/metadata');
    const chart = await world.source().fetch(refTo(world, 'published/metadata', { version: '1.2.3+up4' }));
    expect(chart).toMatchObject({ digest, version: '1.2.3+up4' });
  });

  it('with a digest comes by it, though its tag was moved', async ({ world }) => {
    await world.write('web', chartFiles());
    const digest = await publish(world, 'web', 'published/moved');
    await world.write('web', { 'values.yaml': 'replicas: 7\n' });
    const moved = await publish(world, 'web', 'published/moved');
    expect(await world.source().fetch(refTo(world, 'published/moved', { digest }))).toMatchObject({ digest });
    expect(await world.source().fetch(refTo(world, 'published/moved'))).toMatchObject({ digest: moved });
  });

  it('tells of the post-upgrade hooks of a packed subchart', async ({ world }) => {
    await world.write('db', chartFiles({ name: 'db', files: { 'templates/job.yaml': HOOK } }));
    const dependency = 'dependencies:\n- name: db\n  version: 1.2.3\n  repository: file://../db\n';
    await world.write(
      'web',
      chartFiles({ files: { 'Chart.yaml': `apiVersion: v2\nname: web\nversion: 1.2.3\n${dependency}` } }),
    );
    await world.helm('dependency', 'update', 'web');
    await publish(world, 'web', 'published/hooks');
    expect(await world.source().fetch(refTo(world, 'published/hooks'))).toMatchObject({ hasPostHooks: true });
  });

  it('that is not there is not found', async ({ world }) => {
    const fetching = world.source().fetch(refTo(world, 'published/nothing'));
    await expect(fetching).rejects.toMatchObject({ code: 'ArtifactNotFound', class: 'transient' });
  });

  it('comes from an index that helm made, too', async ({ world }) => {
    await world.write('repository/web', chartFiles());
    const repository = join(world.folder, 'repository');
    await world.helm('package', join(repository, 'web'), '--destination', repository);
    await world.helm('repo', 'index', repository);
    const index = await readFile(join(repository, 'index.yaml'), 'utf8');
    const digest = sha256(await readFile(join(repository, 'web-1.2.3.tgz')));
    expect(entriesOf(index, 'web', 'chart web')).toMatchObject([{ version: '1.2.3', digest, urls: ['web-1.2.3.tgz'] }]);
  });
});
