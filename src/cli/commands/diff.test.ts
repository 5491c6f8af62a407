import { beforeEach, describe, expect, it } from 'vitest';
import { upgrading } from '../../../test/build/looking-scene.ts';
import type { LookingWorld } from '../../../test/build/looking-world.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { KubepkgError } from '../../api/errors.ts';

async function json(world: LookingWorld, ...words: readonly string[]): Promise<string> {
  world.cli.stdout.text = '';
  await world.run('diff', 'shop', ...words, '-o', 'json');
  return world.cli.stdout.text;
}

describe('kubepkg diff', () => {
  let world: LookingWorld;
  beforeEach(() => {
    world = upgrading();
  });

  it('compares the last two revisions, secrets hidden and yet told apart', async () => {
    expect(await world.run('diff', 'shop')).toBe(0);
    expect(world.out).toMatch(/^--- shop revision 1 \(1\.0\.0\)\n\+\+\+ shop revision 2 \(1\.1\.0\)\n@@/);
    for (const line of [
      '-        color: (hidden, before)',
      '+        color: red',
      '-  version: 1.0.0',
      '+  version: 1.1.0',
    ]) {
      expect(world.out.split('\n')).toContain(line);
    }
    expect(world.out).toContain('password: (hidden, before)');
    expect(world.out).toContain('password: (hidden, after)');
    expect(world.out).toContain('domain: (hidden');
    expect(world.out).not.toMatch(/hunter|x\.example\.org|valuesDigest/);
  });

  it('ends with 1 only when that is asked for', async () => {
    expect(await world.run('diff', 'shop', '--exit-code')).toBe(1);
    expect(await world.run('diff', 'shop', 'store', '--exit-code')).toBe(0);
    expect(world.err).toBe('no difference between shop revision 1 (1.0.0) and shop revision 2 (1.1.0)\n');
    expect(world.out).toBe('');
  });

  it('shows values as they are when that is asked for, also as data', async () => {
    await world.run('diff', 'shop', 'app', '--show-secrets', '-o', 'json');
    const { changes } = JSON.parse(world.out) as { changes: readonly { fields: readonly unknown[] }[] };
    expect(changes[0]?.fields).toContainEqual({
      field: 'spec.components.app.values.db.password',
      before: 'hunter11',
      after: 'hunter22',
    });
  });

  it('names the revisions that it compared', async () => {
    await world.run('diff', 'shop', '-o', 'name');
    expect(world.out).toBe('packagerevision.kubepkg.dev/shop-1\npackagerevision.kubepkg.dev/shop-2\n');
  });

  it('compares what was delivered, object by object', async () => {
    await world.run('diff', 'shop', '--manifests');
    expect(world.out).toContain('# app: Deployment shop/app differs\n');
    expect(world.out).toContain('-          image: app:1\n+          image: app:2\n');
    expect(world.out).not.toContain('Secret');
  });

  it('says of a chart of a package tree only what differs in it', async () => {
    const chart = (version: string) => ({
      kind: 'tree' as const,
      url: `oci://registry.example.org/shop:${version}`,
      path: 'charts/x',
      treeDigest: `sha256:tree-${version}`,
    });
    const members = (version: string) => [
      aRevisionComponent('store', { chart: chart(version), chartDigest: 'sha256:same' }),
      aRevisionComponent('app', { chart: chart(version), chartDigest: `sha256:app-${version}` }),
    ];
    world.revision(3, { components: members('1.2.0') });
    world.revision(4, { components: members('1.3.0') });
    await world.run('diff', 'shop');
    const changed = world.out.split('\n').filter((line) => /^[-+] /.test(line));
    expect(changed.map((line) => line.replace(/^(.) +/, '$1 '))).toEqual([
      '- url: oci://registry.example.org/shop:1.2.0',
      '+ url: oci://registry.example.org/shop:1.3.0',
      '- chartDigest: sha256:app-1.2.0',
      '+ chartDigest: sha256:app-1.3.0',
    ]);
  });

  it('does not take for removed what it could not read', async () => {
    world.cluster.remove({ apiVersion: 'v1', kind: 'Secret', name: 'sh.helm.release.v1.app.v2', namespace: 'shop' });
    await world.run('diff', 'shop', '--manifests');
    expect(world.out).toBe('');
    expect(world.err).toContain('is not kept any more');
  });

  it.each([
    ['what was delivered, with what runs', ['store', '--live'], 'Secret'],
    ['what runs', ['store', '--live'], 'read Deployment'],
    ['what was delivered', ['store', '--manifests'], 'Secret'],
    ['values', ['app'], 'kubepkg-values-shop-2'],
  ])('P18 never says that nothing differs where it could not be compared: %s', async (_what, words, hidden) => {
    world.cluster.before = ({ line }) => {
      if (line.includes(hidden)) throw new KubepkgError('ApiForbidden', 'you may not');
    };
    expect(await world.run('diff', 'shop', ...words, '--exit-code')).toBe(4);
    expect(world.err).not.toMatch(/^no difference/m);
    expect(world.err).toContain('cannot be read');
    expect(await world.run('diff', 'shop', ...words)).toBe(0);
    const { unread } = JSON.parse(await json(world, ...words)) as { readonly unread: readonly string[] };
    expect(unread).toContainEqual(expect.stringContaining('you may not'));
  });

  it('does not take values for removed that it could not read', async () => {
    world.cluster.before = ({ line }) => {
      if (line.includes('kubepkg-values-shop-2')) throw new KubepkgError('ApiForbidden', 'you may not');
    };
    await world.run('diff', 'shop', 'app');
    expect(world.out).not.toMatch(/^-.*(color|password)/m);
  });

  it('says in data that everything could be compared', async () => {
    expect(JSON.parse(await json(world, 'store'))).toMatchObject({ changes: [], unread: [] });
  });

  it('finds drift, and nothing that a server or controller adds', async () => {
    world.put(
      'apps/v1',
      'Deployment',
      { name: 'store', namespace: 'shop', uid: 'x', annotations: { added: 'yes' } },
      {
        spec: {
          replicas: 3,
          progressDeadlineSeconds: 600,
          selector: { matchLabels: { app: 'store' } },
          template: {
            metadata: { labels: { app: 'store', 'pod-template-hash': 'x' } },
            spec: {
              containers: [
                { name: 'sidecar', image: 'injected:1' },
                { name: 'main', image: 'store:2', ports: [{ containerPort: 8080, protocol: 'TCP' }], env: [] },
              ],
            },
          },
        },
      },
    );
    expect(await world.run('diff', 'shop', 'store', '--live')).toBe(0);
    expect(world.out.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
      '--- shop revision 2 (1.1.0)',
      '+++ what runs',
      '-          image: store:1',
      '+          image: store:2',
    ]);
  });

  it('says what is gone', async () => {
    await world.run('diff', 'shop', 'app', '--live', '-o', 'name');
    expect(world.out).toContain('secret/db\n');
    await world.run('diff', 'shop', 'app', '--live');
    expect(world.out).toContain('# app: Secret shop/db is not there\n');
    expect(world.out).not.toContain('hunter');
  });

  it.each([
    [['--live', '--from', '1'], 'it compares what a revision delivered with what runs'],
    [['--from', '2', '--to', '2'], 'give two of them'],
    [['--to', '1'], 'kubepkg diff shop --live'],
    [['--live', '--show-secrets'], 'kubectl get secret'],
    [['--from', '7'], 'kept are 1, 2'],
  ])('refuses %j', async (argv, hint) => {
    expect(await world.run('diff', 'shop', ...argv)).toBe(2);
    expect(world.err).toContain(hint);
  });
});
