import { describe, expect, it } from 'vitest';
import { aPackage, aRevision } from '../../test/build/objects.ts';
import { shopWorld } from '../../test/build/shop-world.ts';
import { CliWorld } from '../../test/fakes/cli-world.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { LABEL } from '../api/names.ts';
import { parseYamlDocuments } from '../lib/yaml.ts';

function object(value: unknown): KubeObject {
  return value as KubeObject;
}

function withPackages(...names: readonly string[]): CliWorld {
  const world = new CliWorld();
  for (const name of names) world.cluster.set(object(aPackage({}, { name })));
  return world;
}

describe('a command line that cannot be understood', () => {
  it.each([
    ['a command that does not exist', ['instal'], 'did you mean install?'],
    ['help on a command that does not exist', ['help', 'instal'], 'did you mean install?'],
    ['a flag that does not exist', ['list', '--outptu', 'json'], 'did you mean --output?'],
    ['a global flag that does not exist', ['--contxt', 'x', 'list'], 'did you mean --context?'],
    ['a version where none can be chosen', ['install', 'shop', '--version', '1'], 'NAME@VERSION'],
    ['a format that does not exist', ['list', '-o', 'jsn'], 'did you mean json?'],
    ['a format that is like none', ['list', '-o', 'x'], 'see kubepkg list --help'],
    ['an argument that is missing', ['status'], 'see kubepkg status --help'],
    ['an argument too many', ['list', 'all'], 'see kubepkg list --help'],
    ['a flag without its value', ['list', '--context'], 'see kubepkg list --help'],
    ['a package name that is none', ['status', 'Shop'], 'names have at most 63'],
    ['a shell that is not supported', ['completion', 'tcsh'], 'see kubepkg completion --help'],
    ['an API group that is none', ['crds', '--api-group', 'x'], 'write a domain name'],
    ['workers that are no number', ['operator', '--package-workers', 'many'], 'from 1 to 1000'],
    ['a values Secret without a namespace', ['operator', '--values-secret', 'values'], 'NAMESPACE/NAME'],
    ['a label without a value', ['operator', '--namespace-label', 'team'], 'KEY=VALUE'],
    ['a label that none can have', ['operator', '--namespace-label', 'a/b/c=d e'], 'KEY=VALUE'],
    ['an address that is none', ['operator', '--metrics-bind-address', '8080'], 'write :PORT'],
    ['an address for charts that is none', ['operator', '--charts-bind-address', '8082'], 'write :PORT'],
    ['an address of charts that is none', ['operator', '--charts-url', 'charts.test/charts'], 'write http://'],
    [
      'an address of charts with a password',
      ['operator', '--charts-bind-address', ':1', '--charts-url', 'http://a:b@charts.test/charts'],
      'without credentials',
    ],
    [
      'an address where no charts are',
      ['operator', '--charts-bind-address', ':1', '--charts-url', 'http://charts.test'],
      'svc:8082/charts',
    ],
    [
      'charts that nobody serves',
      ['operator', '--charts-url', 'http://charts.test/charts'],
      'set --charts-bind-address',
    ],
    ['a pull Secret with a namespace', ['operator', '--flux-pull-secret', 'a/b'], 'lower-case letters'],
    ['a namespace that is none', ['operator', '--argo-namespace', 'Argo'], 'lower-case letters'],
    ['a project that is none', ['operator', '--argo-project', ''], 'lower-case letters'],
    ['a backend that does not exist', ['operator', '--backend', 'fluxcd'], 'did you mean flux?'],
    ['a boolean that is none', ['operator', '--leader-elect', 'perhaps'], 'write true or false'],
    ['watching data', ['status', 'shop', '-w', '-o', 'json'], 'kubectl get package shop --watch'],
  ])('%s ends with 2, one error and one hint', async (_what, argv, hint) => {
    const world = new CliWorld();
    expect(await world.run(...argv)).toBe(2);
    const [error, second, ...rest] = world.stderr.text.trimEnd().split('\n');
    expect(error).toMatch(/^error: \S/);
    expect(second).toMatch(/^hint: /);
    expect(second).toContain(hint);
    expect(rest).toEqual([]);
    expect(world.stdout.text).toBe('');
  });

  it.each([
    [['instal'], 'there is no command instal'],
    [['help', 'nothing'], 'there is no command nothing'],
    [['--contxt', 'x', 'list'], 'kubepkg list has no flag --contxt'],
    [['status', 'shop', '-q'], 'kubepkg status has no flag -q'],
    [['list', '-o', 'jsn'], '--output cannot be "jsn": it is one of table, wide, json, yaml, name'],
    [['diff', 'shop', '--from', 'x'], '--from cannot be "x"'],
    [['get', 'manifst', 'shop'], '<what> cannot be "manifst": it is one of manifest, values, chart, notes'],
    [['status'], 'kubepkg status needs <package>: name of the package'],
    [['get'], 'kubepkg get needs one of manifest, values, chart, notes'],
    [['status', 'shop', 'db'], 'kubepkg status takes only <package>, and nothing is to be done with "db"'],
    [['list', 'all'], 'kubepkg list takes no arguments, and nothing is to be done with "all"'],
    [['list', '--context'], '--context <name> lacks its value'],
    [['render', 'shop'], 'kubepkg render needs -f, --file <file>'],
  ])('%j is answered in our own words', async (argv, text) => {
    const world = new CliWorld();
    await world.run(...argv);
    expect(world.stderr.text.split('\n')[0]).toBe(`error: ${text}`);
  });

  it.each([[['--help']], [['help', 'install']], [['install', '--help']], [[]], [['--version']]])(
    'asking for help is no mistake: %j',
    async (argv) => {
      const world = new CliWorld();
      expect(await world.run(...argv)).toBe(0);
      expect(world.stdout.text).not.toBe('');
      expect(world.stderr.text).toBe('');
    },
  );

  it('help on a command names the global flags', async () => {
    const world = new CliWorld();
    await world.run('list', '--help');
    expect(world.stdout.text).toContain('--kubeconfig');
  });
});

describe('an error', () => {
  it.each([
    ['ApiUnreachable', 4],
    ['ApiForbidden', 4],
    ['KubeconfigInvalid', 4],
    ['InvalidConfiguration', 5],
    ['ApiInvalid', 5],
    ['InvalidInput', 2],
    ['DeadlineExceeded', 3],
    ['Internal', 1],
  ] as const)('of code %s ends with %i', async (code, exitCode) => {
    const world = new CliWorld();
    world.cluster.failure = new KubepkgError(code, 'no');
    expect(await world.run('list')).toBe(exitCode);
  });

  it('of the user never shows a stack, not even with -v', async () => {
    const world = new CliWorld();
    world.connectFailure = new KubepkgError('ApiUnreachable', 'cannot reach it', {
      hint: 'look',
      cause: new Error('x'),
    });
    expect(await world.run('list', '-v')).toBe(4);
    expect(world.stderr.text).toBe('error: cannot reach it\nhint: look\n');
  });

  it('of ours shows its stack with -v alone', async () => {
    const [quiet, verbose] = [new CliWorld(), new CliWorld()];
    for (const world of [quiet, verbose]) world.serverVersion = () => Promise.reject(new Error('x'));
    quiet.cluster.failure = verbose.cluster.failure = new KubepkgError('Internal', 'boom', {
      cause: new TypeError('boom'),
    });
    await quiet.run('list');
    await verbose.run('-v', 'list');
    expect(quiet.stderr.text).not.toContain('    at ');
    expect(verbose.stderr.text).toContain('    at ');
  });

  it('cannot move the cursor', async () => {
    const world = new CliWorld();
    world.cluster.failure = new KubepkgError('ApiServerError', 'first\n\u001b[2Jsecond');
    await world.run('list');
    expect(world.stderr.text).toBe('error: first [2Jsecond\n');
  });
});

describe('colours', () => {
  it.each([
    ['there are some on a terminal', ['list'], {}, true],
    ['there are none with --no-color', ['list', '--no-color'], {}, false],
    ['there are none with NO_COLOR', ['list'], { NO_COLOR: '1' }, false],
    ['there are none on a dumb terminal', ['list'], { TERM: 'dumb' }, false],
  ])('%s', async (_what, argv, env, coloured) => {
    const world = withPackages('shop');
    Object.assign(world.env, env);
    world.stdout.isTerminal = true;
    await world.run(...argv);
    expect(world.stdout.text.includes('\u001b[')).toBe(coloured);
  });

  it('there are none in a pipe, unless FORCE_COLOR is set', async () => {
    const [plain, forced] = [withPackages('shop'), withPackages('shop')];
    forced.env['FORCE_COLOR'] = '1';
    await plain.run('list');
    await forced.run('list');
    expect([plain, forced].map(({ stdout }) => stdout.text.includes('\u001b['))).toEqual([false, true]);
  });
});

describe('kubepkg list', () => {
  it('prints a table, and a list of objects as data without the bookkeeping of field managers', async () => {
    const world = withPackages('web', 'db');
    world.cluster.set(object(aPackage({}, { name: 'x', managedFields: [{ manager: 'm' }] })));
    expect(await world.run('list')).toBe(0);
    expect(world.stdout.text.split('\n')[1]).toMatch(/^db /);
    world.stdout.text = '';
    expect(await world.run('list', '-o', 'json')).toBe(0);
    const list = JSON.parse(world.stdout.text) as { kind: string; items: { metadata: object }[] };
    expect([list.kind, list.items.length]).toEqual(['List', 3]);
    expect(world.stdout.text).not.toContain('managedFields');
  });

  it('says on stderr that there are none', async () => {
    const world = shopWorld();
    expect(await world.run('list')).toBe(0);
    expect(world.stdout.text).toBe('');
    expect(world.stderr.text).toBe('no packages are installed\n');
  });

  it('hands on which cluster is meant', async () => {
    const world = withPackages('web');
    await world.run('--kubeconfig', 'file', 'list', '--context', 'test');
    expect(world.connections).toEqual([{ kubeconfig: 'file', context: 'test' }]);
  });

  it('tells how to install the CRDs when they are missing', async () => {
    const world = new CliWorld();
    world.cluster.missingKinds.add('Package');
    expect(await world.run('list')).toBe(4);
    expect(world.stderr.text).toContain('kubepkg crds | kubectl apply --server-side -f -');
  });
});

describe('kubepkg status', () => {
  function withRevision(): CliWorld {
    const world = withPackages('shop');
    const revision = aRevision({ status: { phase: 'Applied' } });
    world.cluster.set(object({ ...revision, metadata: { ...revision.metadata, labels: { [LABEL.package]: 'shop' } } }));
    return world;
  }

  it('prints the package, its components and its history', async () => {
    const world = withRevision();
    expect(await world.run('status', 'shop')).toBe(0);
    expect(world.stdout.text).toMatch(/^shop .*\n[^]*├─ store {2}Pending\n└─ app[^]*REVISION[^]*Applied/);
  });

  it('prints the package and its revisions as data', async () => {
    const world = withRevision();
    expect(await world.run('status', 'shop', '-o', 'yaml')).toBe(0);
    const [list] = parseYamlDocuments(world.stdout.text, 'stdout') as unknown as [{ items: { kind: string }[] }];
    expect(list.items.map(({ kind }) => kind)).toEqual(['Package', 'PackageRevision']);
  });

  it('suggests the package that was meant', async () => {
    const world = withPackages('shop', 'other');
    expect(await world.run('status', 'shpo')).toBe(2);
    expect(world.stderr.text).toContain('did you mean shop?');
  });

  it('goes on with --watch until the package is gone', async () => {
    const world = withRevision();
    const done = world.run('status', 'shop', '-w');
    await world.stdout.shows('revision 1 (1.0.0) Applied');
    world.cluster.remove({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'shop' });
    expect(await done).toBe(0);
    expect(world.cluster.watchers).toBe(0);
  });

  it('ends with 130 when --watch is interrupted, and leaves the terminal as it was', async () => {
    const world = withRevision();
    world.stdout.isTerminal = true;
    const done = world.run('status', 'shop', '-w');
    await world.stdout.shows('COMPONENT');
    world.interrupt();
    expect(await done).toBe(130);
    expect(world.stdout.text.endsWith('\u001b[?25h')).toBe(true);
    expect(world.clock.pending()).toEqual([]);
  });
});

describe('kubepkg crds', () => {
  it('prints one document for each kind, under the group that is asked for', async () => {
    const world = new CliWorld();
    expect(await world.run('crds', '--api-group', 'packages.example.org')).toBe(0);
    const crds = parseYamlDocuments(world.stdout.text, 'stdout') as unknown as { spec: { group: string } }[];
    expect(new Set(crds.map(({ spec }) => spec.group))).toEqual(new Set(['packages.example.org']));
    expect(crds.length).toBeGreaterThanOrEqual(4);
  });

  it('prints a List as JSON', async () => {
    const world = new CliWorld();
    await world.run('crds', '-o', 'json');
    expect(JSON.parse(world.stdout.text)).toMatchObject({ kind: 'List' });
  });
});

describe('kubepkg push', () => {
  it('prints the reference that pins the tree', async () => {
    const world = new CliWorld();
    const flags = [
      '--plain-http',
      '--source',
      'https://example.org',
      '--revision',
      'abc',
      '--registry-ca-file',
      'ca.pem',
    ];
    expect(await world.run('push', 'tree', 'oci://registry.test/shop:1.0.0', ...flags)).toBe(0);
    expect(world.stdout.text).toBe(`oci://registry.test/shop:1.0.0@sha256:${'0'.repeat(64)}\n`);
    expect(world.pushes).toEqual([
      {
        directory: 'tree',
        reference: 'oci://registry.test/shop:1.0.0',
        plainHttp: true,
        registryConfig: undefined,
        caFile: 'ca.pem',
        source: 'https://example.org',
        revision: 'abc',
        force: false,
      },
    ]);
    await world.run('push', 'tree', 'oci://registry.test/shop:1.0.0', '--force');
    expect(world.pushes[1]?.force).toBe(true);
  });

  it('takes the former name of --registry-ca-file, and does not offer it', async () => {
    const world = new CliWorld();
    await world.run('push', 'tree', 'oci://registry.test/shop:1.0.0', '--ca-file', 'ca.pem');
    expect(world.pushes[0]?.caFile).toBe('ca.pem');
    await world.run('push', '--help');
    expect(world.stdout.text).not.toContain(' --ca-file');
  });

  it('prints reference and digest as data', async () => {
    const world = new CliWorld();
    await world.run('push', 'tree', 'registry.test/shop:1.0.0', '-o', 'json');
    expect(JSON.parse(world.stdout.text)).toMatchObject({ digest: `sha256:${'0'.repeat(64)}` });
  });
});

describe('kubepkg version', () => {
  it('prints both versions', async () => {
    const world = new CliWorld();
    expect(await world.run('version')).toBe(0);
    expect(world.stdout.text).toBe('kubepkg 1.2.3\nKubernetes v1.36.3\n');
  });

  it('asks no server with --client', async () => {
    const world = new CliWorld();
    await world.run('version', '--client', '-o', 'json');
    expect(JSON.parse(world.stdout.text)).toMatchObject({ client: { version: '1.2.3' } });
    expect(world.connections).toEqual([]);
  });

  it('is content with its own when the server does not answer in time', async () => {
    const world = new CliWorld();
    world.serverVersion = () => new Promise(() => undefined);
    const done = world.run('version');
    await world.clock.armed(3000);
    await world.clock.advance(3000);
    expect(await done).toBe(0);
    expect(world.stdout.text).toBe('kubepkg 1.2.3\n');
    expect(world.stderr.text).toBe('Kubernetes: no answer within 3s\n');
  });
});
