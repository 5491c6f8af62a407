import { describe, expect, it } from 'vitest';
import { upgrading } from '../../../test/build/looking-scene.ts';
import { deploymentManifest, LookingWorld } from '../../../test/build/looking-world.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { KubepkgError } from '../../api/errors.ts';
import { digestOf } from '../../lib/digest.ts';

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

/** Says the value of its Secret in other places too, and others that names and addresses tell. */
const LEAKING = `---
apiVersion: v1
kind: Secret
metadata: {name: db, annotations: {checksum: hunter22}}
stringData: {password: hunter22}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  url: postgres://app:hunter22@db
  host: hunter22-host
  other: aHVudGVyMjI=
  adminPassword: sesame1
  conf: |
    mirror: ftp://me:pw@mirror
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  automountServiceAccountToken: true
  volumes: [{name: tls, secret: {secretName: web-tls}}]
  containers:
    - name: web
      env: [{name: DB_PASSWORD, value: sesame2}, {name: USER, value: hunter22}]
`;

/** A values change that failed: its values stay in the Package. */
function rolledBack(): LookingWorld {
  const values = { store: { replicas: -3 }, app: { color: 'red', tls: { key: { token: 'abcd' } } } };
  const world = new LookingWorld({
    components: { store: { values: values.store }, app: { values: values.app } },
  });
  world.revision(1, { values: { store: {}, app: { color: 'red' } } });
  return world;
}

describe('kubepkg get', () => {
  it('prints a manifest as it was delivered, Secrets with their keys alone', async () => {
    const world = upgrading();
    await world.run('get', 'manifest', 'shop', 'app', '--revision', '1');
    expect(world.out).toMatch(
      /^# component app: release shop\/app, release revision 1 \(deployed\)\n---\n# Source: app/,
    );
    expect(world.out).toContain('image: app:1');
    expect(world.out).toContain('password: (hidden)');
    await world.run('get', 'manifest', 'shop', 'app', '--show-secrets');
    expect(world.out).toContain('password: hunter22');
  });

  it('P16 misses no manifest of a hook that has succeeded, whose release is gone, unless it is asked for', async () => {
    const world = upgrading();
    const done = { name: 'migrate', state: 'Ready', attempt: 1, backendRevision: 1 } as const;
    const components = [{ name: 'app', state: 'Ready', attempt: 1, backendRevision: 1 }] as const;
    world.revision(3, {
      components: [aRevisionComponent('app')],
      spec: { hooks: [aRevisionComponent('migrate')] },
      status: { phase: 'Applied', hooks: [done], components: [...components] },
    });
    for (const words of [
      ['get', 'manifest', 'shop'],
      ['diff', 'shop', '--live'],
    ]) {
      await world.run(...words);
      expect([words, world.err]).toEqual([words, '']);
    }
    await world.run('get', 'manifest', 'shop', 'migrate');
    expect(world.err).toContain('a hook that has succeeded is uninstalled');
    expect(world.err).toContain('hint: the release of a hook is removed after it has succeeded');
  });

  it.each([
    ['name', 'deployment.apps/app\nsecret/db\n'],
    [
      'table',
      'COMPONENT   KIND         APIVERSION   NAMESPACE   NAME\napp         Deployment   apps/v1      shop        app\napp         Secret       v1           shop        db\n',
    ],
  ])('prints a manifest as %s', async (format, text) => {
    const world = upgrading();
    await world.run('get', 'manifest', 'shop', 'app', '-o', format);
    expect(world.out).toBe(text);
  });

  it('hides Secrets in data too', async () => {
    const world = upgrading();
    await world.run('get', 'manifest', 'shop', '-o', 'json');
    expect(world.out).toContain('"password": "(hidden)"');
    expect(world.out).not.toContain('hunter');
  });

  it('hides the value of a Secret wherever a manifest repeats it', async () => {
    const world = upgrading();
    world.record('store', 2, `${deploymentManifest('store', 'store:1')}---\n# uses hunter22\n${configMap('uses')}`);
    world.record('app', 2, LEAKING, 'Log in as admin with hunter22 at https://admin:pw@x.example.org/login');
    for (const format of ['yaml', 'json']) {
      await world.run('get', 'manifest', 'shop', '-o', format);
      expect(world.out).toContain('postgres://(hidden)@db');
      expect(world.out).toContain('(hidden)-host');
      expect(world.out).not.toMatch(/hunter|aHVudGVyMjI=|sesame|ftp:\/\/me:pw/);
    }
    expect(world.out).toContain('"secretName": "web-tls"');
    expect(world.out).toContain('"automountServiceAccountToken": true');
    // What other components keep in their Secrets is hidden as well.
    await world.run('get', 'manifest', 'shop', 'store');
    expect(world.out).toContain('# component store');
    expect(world.out).not.toContain('hunter22');
    await world.run('get', 'notes', 'shop');
    expect(world.out).toBe('Log in as admin with (hidden) at https://(hidden)@x.example.org/login\n');
    await world.run('get', 'notes', 'shop', '-o', 'json');
    expect(world.out).not.toContain('hunter22');
    await world.run('get', 'notes', 'shop', '--show-secrets');
    expect(world.out).toContain('with hunter22 at https://admin:pw@x');
    await world.run('get', 'manifest', 'shop', '--show-secrets');
    expect(world.out).toContain('sesame');
  });

  it('shows the rest when one document cannot be parsed, and reads what helm reads', async () => {
    const world = upgrading();
    world.record('store', 2, `---\n${configMap('broken')}data: [1, {hunter22\n`);
    world.record('app', 2, `---\n${configMap('twice')}data: {a: x, a: y}\nlimit: 9223372036854775807\n`);
    for (const argv of [
      ['get', 'manifest', 'shop', '-o', 'json'],
      ['get', 'manifest', 'shop'],
      ['diff', 'shop', '--live'],
    ]) {
      expect(await world.run(...argv)).toBe(0);
      expect(world.out).toContain('twice');
      expect(world.err).toMatch(
        /^warning: the manifest of component store cannot be read: ConfigMap shop\/broken cannot be parsed: line 5/m,
      );
      expect(world.err).not.toContain('hunter22');
    }
  });

  it('says what cannot be had, and shows the rest', async () => {
    const world = upgrading();
    const metadata = { name: 'sh.helm.release.v1.app.v1', namespace: 'shop' };
    world.cluster.remove({ apiVersion: 'v1', kind: 'Secret', ...metadata });
    expect(await world.run('get', 'manifest', 'shop', '--revision', '1')).toBe(0);
    expect(world.out).toContain('# component store');
    expect(world.err).toContain('the release record of revision 1 is not kept any more');
    expect(await world.run('get', 'manifest', 'shop', 'app', '--revision', '1')).toBe(2);
    expect(world.err).toContain('no manifest of revision 1 can be had');
  });

  it('says so where a backend keeps no manifests, and shows the objects as they are', async () => {
    const world = upgrading();
    world.revision(3, { spec: { backend: 'argocd' } });
    world.cluster.serve('argoproj.io/v1alpha1', 'Application');
    const resources = [{ group: 'apps', version: 'v1', kind: 'Deployment', name: 'app', namespace: 'shop' }];
    world.put('v1', 'Namespace', { name: 'gitops' });
    world.put(
      'argoproj.io/v1alpha1',
      'Application',
      {
        name: 'shop-app-87bf3caf',
        namespace: 'gitops',
        labels: { 'kubepkg.dev/package': 'shop' },
      },
      { status: { resources, sync: { status: 'Synced' } } },
    );
    expect(await world.run('get', 'manifest', 'shop', 'app')).toBe(0);
    expect(world.out).toMatch(/^# component app: as the objects are now: its backend keeps no manifests\n---\n/);
    expect(world.out).toMatch(/^kind: Deployment$/m);
    expect(world.out).not.toMatch(/^status:|resourceVersion|uid:/m);
    expect(await world.run('diff', 'shop', '--live')).toBe(0);
    expect(world.err).toContain('its backend keeps no manifests of what it delivered');
  });

  it('prints values as a file of them', async () => {
    const world = upgrading();
    await world.run('get', 'values', 'shop', 'app', '--revision', '1');
    expect(world.out).toBe('color: (hidden)\ndb:\n  password: (hidden)\ntls:\n  secretName: web-tls\n');
    await world.run('get', 'values', 'shop', 'app', '--revision', '1', '--show-secrets', '-o', 'json');
    expect(JSON.parse(world.out)).toMatchObject({ db: { password: 'hunter11' } });
  });

  it('prints the chart with its digest', async () => {
    const world = upgrading();
    const repository = 'oci://registry.example.org/charts';
    const chart = { kind: 'chart' as const, repository, name: 'web', version: '2.0.0' };
    world.revision(3, { components: [aRevisionComponent('app', { chart, chartDigest: 'sha256:abc' })] });
    await world.run('get', 'chart', 'shop');
    expect(world.out.split('\n')[1]).toBe('app         oci://registry.example.org/charts/web 2.0.0   sha256:abc');
  });

  it('prints notes', async () => {
    const world = upgrading();
    await world.run('get', 'notes', 'shop');
    expect(world.out).toBe('Visit us at http://x.example.org\n');
  });

  it.each([
    [['get', 'manifest', 'shop', '--revision', '9'], 'kept are 1, 2'],
    [['get', 'manifest', 'shop', 'ap'], 'did you mean app?'],
    [['get', 'manifests', 'shop'], 'did you mean manifest?'],
    [['get', 'notes', 'shop', '-o', 'table'], 'write -o json|yaml'],
    [['get', 'manifest', 'shpo'], 'did you mean shop?'],
    [['get', 'values', 'shop', '--revision', 'two'], 'write a whole number from 1 on'],
  ])('refuses %j', async (argv, hint) => {
    const world = upgrading();
    expect(await world.run(...argv)).toBe(2);
    expect(world.err).toContain(hint);
  });
});

describe('kubepkg values', () => {
  it('lists values with where they are from, what may be secret hidden', async () => {
    const world = upgrading();
    await world.run('values', 'shop');
    expect(world.out).toBe(
      [
        'COMPONENT   KEY              FROM       VALUE',
        "store       -                -          none but the chart's own",
        'app         color            Package    red',
        'app         db.password      Package    (hidden)',
        'app         tls.secretName   Package    web-tls',
        'app         domain           platform   (hidden)',
        '',
      ].join('\n'),
    );
    expect(world.err).toContain('--show-secrets');
  });

  it("hides values that the Package says otherwise by now: they may be the platform's", async () => {
    const world = upgrading();
    await world.run('get', 'values', 'shop', 'app', '--revision', '1', '-o', 'table');
    expect(world.out).toMatch(/color +since changed +\(hidden\)/);
    expect(world.out).toMatch(/tls\.secretName +Package +web-tls/);
    await world.run('get', 'values', 'shop', 'app', '--revision', '1', '-o', 'table', '--show-secrets');
    expect(world.out).toMatch(/color +since changed +blue/);
  });

  it('ends with 4 when none may be read', async () => {
    const world = upgrading();
    world.cluster.before = ({ line }) => {
      if (line.startsWith('read Secret')) throw new KubepkgError('ApiForbidden', 'secrets is forbidden');
    };
    expect(await world.run('values', 'shop')).toBe(4);
    expect(world.err).toContain('secrets is forbidden');
  });

  it('P12 shows what the Package wants and no applied revision has, here and as data', async () => {
    const world = rolledBack();
    await world.run('values', 'shop');
    expect(world.out.split('\n').slice(1, 5)).toEqual([
      "store       -               -              none but the chart's own",
      'store       replicas        not in force   -3',
      'app         color           Package        red',
      'app         tls.key.token   not in force   (hidden)',
    ]);
    expect(world.err).toContain('kubepkg values shop --wanted');
    await world.run('values', 'shop', 'store', '-o', 'json');
    expect(JSON.parse(world.out)).toEqual({});
    expect(world.err).toContain('the Package wants other values of store,');
    await world.run('values', 'shop', '--wanted', '-o', 'json');
    const wanted = { store: { replicas: -3 }, app: { color: 'red', tls: { key: { token: '(hidden)' } } } };
    expect(JSON.parse(world.out)).toEqual(wanted);
    await world.run('get', 'values', 'shop', 'store', '--revision', '1');
    expect(world.err).not.toContain('not in force');
  });

  it('P14 shows what kubepkg tells a hook as its own words, and nothing else of the hook', async () => {
    const world = upgrading();
    const valuesRef = { namespace: 'kubepkg-system', name: 'kubepkg-values-shop-3', key: 'migrate' };
    const values = { kubepkg: { fromVersion: '1.0.0', toVersion: '1.1.0', other: 'x' } };
    world.revision(3, {
      components: [aRevisionComponent('migrate')],
      values: { migrate: values },
      spec: { hooks: [aRevisionComponent('migrate', { valuesRef, valuesDigest: digestOf(values) })], components: [] },
    });
    await world.run('values', 'shop');
    expect(world.out.split('\n').slice(1)).toEqual([
      'migrate     kubepkg.fromVersion   kubepkg    1.0.0',
      'migrate     kubepkg.toVersion     kubepkg    1.1.0',
      'migrate     kubepkg.other         platform   (hidden)',
      '',
    ]);
  });
});
