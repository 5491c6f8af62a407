import { describe, expect, it } from 'vitest';
import { aComponent, aRevision, aRevisionComponent, aSource } from '../../../test/build/objects.ts';
import { CliWorld } from '../../../test/fakes/cli-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { Condition, KubeObject } from '../../api/kube.ts';
import { API_VERSION, LABEL } from '../../api/names.ts';
import type { PackageRevisionStatus } from '../../api/package-revision.ts';
import type { PackageSource } from '../../api/package-source.ts';
import { at } from '../../lib/json.ts';
import { writeYaml } from '../../lib/yaml.ts';

const REF = { apiVersion: API_VERSION, kind: 'Package', name: 'shop' };
const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };

function shopSource(spec: Partial<PackageSource['spec']> = {}): KubeObject {
  const variants = ['default', 'large'].map((name) => ({ name, components: [aComponent('store'), aComponent('app')] }));
  const { metadata: _, ...source } = aSource([], { variants, ...spec });
  return { ...source, metadata: { name: 'shop', generation: 1 } };
}

/** A cluster with an operator at work and one source. */
function shopWorld(): CliWorld {
  const world = new CliWorld();
  world.cluster.set(shopSource());
  const spec = { holderIdentity: 'operator-1', renewTime: '2029-12-31T23:59:55.000000Z', leaseDurationSeconds: 15 };
  world.cluster.set({ ...LEASE, metadata: { name: 'kubepkg-operator', namespace: 'kubepkg-system' }, spec });
  return world;
}

type Ready = readonly [Condition['status'], string, string?];

interface Report {
  readonly name?: string;
  readonly ready: Ready;
  readonly version?: string;
  readonly revision?: number;
  readonly generation?: number;
}

/** What the operator writes. */
function report(world: CliWorld, { name = 'shop', ready, version, revision, generation }: Report): void {
  const pkg = world.cluster.get({ ...REF, name });
  if (pkg === undefined) throw new Error(`there is no package ${name}`);
  const [status, reason, message = ''] = ready;
  const observedGeneration = generation ?? pkg.metadata.generation;
  const condition = {
    type: 'Ready',
    status,
    reason,
    message,
    observedGeneration,
    lastTransitionTime: '2030-01-01T00:00:00Z',
  };
  world.cluster.set({ ...pkg, status: { conditions: [condition], version, currentRevision: revision } });
}

function revise(world: CliWorld, number: number, version: string): void {
  const status: PackageRevisionStatus = {
    phase: 'Applying',
    components: [{ name: 'store', state: 'Submitted', attempt: 1 }],
  };
  const components = [aRevisionComponent('store'), aRevisionComponent('app')];
  const revision = aRevision({ number, version, components, status });
  const metadata = { ...revision.metadata, labels: { [LABEL.package]: 'shop' } };
  world.cluster.set({ ...revision, metadata } as unknown as KubeObject);
}

/** Answers every write of a package at once. */
function answering(world: CliWorld, ready: Ready): void {
  world.cluster.onWrite = ({ kind, metadata }) => {
    if (kind === 'Package') report(world, { name: metadata.name, ready, version: '1.0.0', revision: 1 });
  };
}

const WELL: Ready = ['True', 'ReconciliationSucceeded', 'all is well'];

describe('kubepkg install, before anything is written', () => {
  const file = (name: string, text: string) => (world: CliWorld) => world.files.set(name, text);
  const nothing = (): undefined => undefined;
  const source = writeYaml(shopSource());
  const misspelt = source.replace('variants:', 'varaints:');

  it.each([
    ['no package', [], nothing, 2, 'name a package'],
    ['a package twice', ['shop', 'shop@1.0.0'], nothing, 2, 'name each package once'],
    ['a name that is none', ['Shop'], nothing, 2, 'lower-case'],
    ['an empty constraint', ['shop@'], nothing, 2, 'shop@1.2.3'],
    ['a constraint that is none', ['shop@latest'], nothing, 2, 'shop@1.2.3'],
    ['a duration that is none', ['shop', '--timeout', '10'], nothing, 2, 'such as 30s'],
    ['a wait of no time', ['shop', '--wait-timeout', '0s'], nothing, 2, 'such as 30s'],
    ['values for nothing', ['shop', '--values', 'v.yaml'], nothing, 2, '--values COMPONENT=FILE'],
    ['values twice', ['shop', '--values', 'app=a', '--values', 'app=a'], file('a', 'x: 1'), 2, 'into one file'],
    ['values that are a list', ['shop', '--values', 'app=a'], file('a', '- 1'), 2, 'KEY: VALUE'],
    ['values for one of two', ['shop', 'other', '--values', 'app=a'], file('a', 'x: 1'), 2, 'by itself'],
    ['a variant for one of two', ['shop', 'other', '--variant', 'x'], nothing, 2, 'by itself'],
    ['a file that is not there', ['-f', 'gone.yaml'], nothing, 2, 'path of a file'],
    ['an empty file', ['-f', 'a'], file('a', '---\n'), 2, 'PackageSource or a Package'],
    ['a file that is no YAML', ['-f', 'a'], file('a', 'a: [1\nb: 2'), 2, 'correct the YAML'],
    ['stdin twice', ['-f', '-', '-f', '-'], nothing, 2, 'one file alone'],
    [
      'an object of another kind',
      ['-f', 'a'],
      file('a', 'apiVersion: v1\nkind: Secret\nmetadata: {name: x}'),
      2,
      'may hold',
    ],
    [
      'a kind with a mistake',
      ['-f', 'a'],
      file('a', 'kind: PackageSorce\nmetadata: {name: x}'),
      2,
      'did you mean PackageSource?',
    ],
    [
      'an object without metadata',
      ['-f', 'a'],
      file('a', 'apiVersion: kubepkg.dev/v1\nkind: Package'),
      2,
      'metadata.name',
    ],
    ['an unknown field', ['shop', '-f', 'a'], file('a', misspelt), 2, 'correct the file'],
    ['an object twice', ['shop', '-f', 'a'], file('a', `${source}---\n${source}`), 2, 'leave one'],
    ['a source that does not exist', ['other'], nothing, 2, 'kubepkg install other -f FILE'],
    ['a source with a mistake', ['shpo'], nothing, 2, 'did you mean shop?'],
    ['a variant with a mistake', ['shop', '--variant', 'lagre'], nothing, 2, 'did you mean large?'],
    ['a variant that does not exist', ['shop', '--variant', 'q'], nothing, 2, 'default, large'],
    ['a component with a mistake', ['shop', '--values', 'stoer=a'], file('a', 'x: 1'), 2, 'did you mean store?'],
    ['a version that the source does not have', ['shop@2.x'], nothing, 5, 'change the constraint'],
  ] as const)('refuses %s', async (_what, argv, prepare, exitCode, hint) => {
    const world = shopWorld();
    prepare(world);
    expect(await world.run('install', ...argv)).toBe(exitCode);
    expect(world.stderr.text).toMatch(/^error: .+\nhint: .+\n$/);
    expect(world.stderr.text).toContain(hint);
    expect(
      world.cluster.writes.filter(
        ({ verb, ...write }) => verb !== 'apply' || !('dryRun' in write && write.dryRun === true),
      ),
    ).toEqual([]);
  });

  it('P2 refuses components that depend on each other in a circle', async () => {
    const world = shopWorld();
    const components = [aComponent('a', { dependsOn: ['b'] }), aComponent('b', { dependsOn: ['a'] })];
    world.cluster.set(shopSource({ variants: [{ name: 'default', components }] }));
    expect(await world.run('install', 'shop')).toBe(5);
    expect(world.stderr.text).toContain('a → b → a');
  });

  it('names the field that was meant', async () => {
    const world = shopWorld();
    world.files.set('a', misspelt);
    await world.run('install', 'shop', '-f', 'a');
    expect(world.stderr.text).toContain('did you mean variants?');
  });

  it('leaves the choice to a repository when there is one', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.cluster.set({ apiVersion: API_VERSION, kind: 'Repository', metadata: { name: 'r' } });
    expect(await world.run('install', 'other')).toBe(0);
  });
});

describe('kubepkg install', () => {
  it('creates the package with what was given and no more, and waits until it is ready', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.files.set('v.yaml', 'replicas: 2\n');
    const flags = ['--variant', 'large', '--timeout', '15m', '--values', 'app=v.yaml'];
    expect(await world.run('install', 'shop@>=1 <2', ...flags)).toBe(0);
    expect(world.stdout.text).toBe('shop 1.0.0 is ready\n');
    expect(world.cluster.writes.at(-1)).toMatchObject({
      verb: 'apply',
      object: {
        apiVersion: API_VERSION,
        kind: 'Package',
        metadata: { name: 'shop' },
        spec: {
          version: '>=1 <2',
          variant: 'large',
          upgrade: { timeout: '15m' },
          components: { app: { values: { replicas: 2 } } },
        },
      },
    });
  });

  it('applies sources from files first, several documents and stdin included', async () => {
    const world = new CliWorld();
    answering(world, WELL);
    world.stdin = `${writeYaml(shopSource())}---\n${writeYaml({ ...REF, name: undefined, metadata: { name: 'shop' }, spec: { suspend: false } }).replace('name: null\n', '')}`;
    expect(await world.run('install', '-f', '-', '-o', 'json')).toBe(0);
    const written = world.cluster.writes.flatMap((write) =>
      write.verb === 'apply' && write.dryRun !== true ? [write.object.kind] : [],
    );
    expect(written).toEqual(['PackageSource', 'Package']);
    expect(JSON.parse(world.stdout.text)).toMatchObject({ kind: 'Package', spec: { suspend: false } });
  });

  it('keeps what was given before, and replaces the values of a component as a whole', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.files.set('one', 'a: 1\nb: 2\n');
    world.files.set('two', 'b: 3\n');
    await world.run('install', 'shop@1.x', '--values', 'app=one', '--variant', 'large');
    await world.run('install', 'shop', '--values', 'app=two');
    const spec = world.cluster.get(REF)?.['spec'];
    expect(spec).toMatchObject({ version: '1.x', variant: 'large' });
    expect(at(spec, 'components', 'app', 'values')).toEqual({ b: 3 });
  });

  it('says what it is about to do', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.stderr.text = '';
    world.files.set('new', writeYaml(shopSource({ version: '1.1.0' })));
    const done = world.run('install', 'shop', '-f', 'new', '--no-wait');
    expect(await done).toBe(0);
    expect(world.stderr.text).toBe(
      'ACTION    PACKAGE   FROM    TO      VARIANT\nupgrade   shop      1.0.0   1.1.0   default\n',
    );
    expect(world.stdout.text).toContain('shop applied');
  });

  it.each([
    ['n', 130, 1],
    ['y', 0, 1],
    ['', 0, 1],
    [undefined, 0, 1],
  ])('asks where somebody can answer: %j ends with %i', async (answer, exitCode, asked) => {
    const world = shopWorld();
    answering(world, WELL);
    world.answer = answer;
    expect(await world.run('install', 'shop')).toBe(exitCode);
    expect([world.asked, world.cluster.get(REF) !== undefined]).toEqual([asked, exitCode === 0]);
  });

  it('does not ask with --yes, nor when nothing changes', async () => {
    const world = shopWorld();
    answering(world, WELL);
    world.answer = 'n';
    await world.run('install', 'shop', '--yes');
    expect(await world.run('install', 'shop')).toBe(0);
    expect(world.asked).toBe(0);
  });

  it.each([
    ['there is none', undefined, 'there is no Lease'],
    ['nobody holds the Lease', { holderIdentity: '', renewTime: '2029-12-31T23:59:55Z' }, 'nobody holds'],
    ['the Lease is old', { holderIdentity: 'x', renewTime: '2029-12-31T23:58:00Z' }, 'renewed last 2m ago'],
  ])('warns, and goes on, when no operator seems to run: %s', async (_what, spec, why) => {
    const world = shopWorld();
    answering(world, WELL);
    const ref = { ...LEASE, name: 'kubepkg-operator', namespace: 'kubepkg-system' };
    world.cluster.remove(ref);
    if (spec !== undefined)
      world.cluster.set({ ...LEASE, metadata: { name: ref.name, namespace: ref.namespace }, spec });
    expect(await world.run('install', 'shop')).toBe(0);
    expect(world.stderr.text).toContain('warning: no operator seems to be running');
    expect(world.stderr.text).toContain(why);
  });
});

describe('kubepkg install, waiting', () => {
  /** Starts to install, and gives back when the package is written and watched. */
  async function waiting(world: CliWorld, ...argv: readonly string[]): Promise<{ done: Promise<number> }> {
    const done = world.run('install', 'shop', ...argv);
    await world.clock.armed(30 * 60_000);
    return { done };
  }

  it('shows one line for each thing that happens', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'Progressing', 'waiting for component store'], revision: 1 });
    revise(world, 1, '1.0.0');
    report(world, { ready: WELL, version: '1.0.0', revision: 1 });
    expect(await done).toBe(0);
    const lines = world.stderr.text.trimEnd().split('\n').slice(2);
    expect(lines).toEqual([
      '2030-01-01T00:00:00Z  shop: Progressing: waiting for component store',
      '2030-01-01T00:00:00Z  shop: revision 1 (1.0.0) Applying',
      '2030-01-01T00:00:00Z  shop: store Submitted: waiting until it is ready',
      '2030-01-01T00:00:00Z  shop: Ready: ReconciliationSucceeded: all is well',
    ]);
    expect(world.stdout.text).toBe('shop 1.0.0 is ready (revision 1)\n');
  });

  it.each([
    ['UpgradeFailed', 1],
    ['UpgradeRolledBack', 1],
    ['Degraded', 1],
    ['InvalidConfiguration', 5],
    ['CRDOwnershipConflict', 5],
  ])('ends with the reason and the next step when the package fails with %s', async (reason, exitCode) => {
    const world = shopWorld();
    answering(world, ['False', reason, 'component app: the image cannot be pulled']);
    expect(await world.run('install', 'shop')).toBe(exitCode);
    const [error, hint] = world.stderr.text.trimEnd().split('\n').slice(-2);
    expect(error).toBe(`error: package shop: ${reason}: component app: the image cannot be pulled`);
    expect(hint).toMatch(/^hint: .+/);
    expect(world.stdout.text).toBe('');
  });

  it('never believes a Ready from before its own write', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.stdout.text = '';
    const { done } = await waiting(world, '--variant', 'large');
    report(world, { ready: WELL, version: '1.0.0', revision: 1, generation: 1 });
    expect(world.clock.delays()).toContain(30 * 60_000);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'], revision: 2 });
    expect(await done).toBe(1);
  });

  it('never believes a failure from before its own write either', async () => {
    const world = shopWorld();
    answering(world, ['False', 'UpgradeFailed', 'no']);
    expect(await world.run('install', 'shop')).toBe(1);
    world.cluster.onWrite = () => undefined;
    const { done } = await waiting(world, '--variant', 'large');
    report(world, { ready: WELL, version: '1.0.0', revision: 2 });
    expect(await done).toBe(0);
  });

  it('waits for the new version when only the source changed', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.files.set('new', writeYaml(shopSource({ version: '1.1.0' })));
    const { done } = await waiting(world, '-f', 'new');
    world.clock.advance(60_000);
    expect(world.clock.delays()).toContain(30 * 60_000);
    revise(world, 2, '1.1.0');
    report(world, { ready: WELL, version: '1.1.0', revision: 2 });
    expect(await done).toBe(0);
    expect(world.stdout.text).toContain('shop 1.1.0 is ready (revision 2)');
  });

  it('takes a change of the source that changes nothing for done when the operator leaves it at that', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.files.set('new', writeYaml(shopSource({ version: '1.0.0', images: ['a:1'] })));
    const { done } = await waiting(world, '-f', 'new');
    world.clock.advance(5000);
    expect(await done).toBe(0);
  });

  it('ends with 3 when the time is up, and says what is awaited', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'RequirementsNotMet', 'package db is not installed'] });
    world.clock.advance(30 * 60_000);
    expect(await done).toBe(3);
    expect(world.stderr.text).toContain(
      'error: package shop is not ready after 30m0s: RequirementsNotMet: package db is not installed\nhint: ',
    );
    expect(world.clock.delays()).toEqual([]);
    expect(world.cluster.watchers).toBe(0);
  });

  it.each([
    [['--timeout', '40m'], 80 * 60_000],
    [['--timeout', '5m'], 30 * 60_000],
    [['--timeout', '40m', '--wait-timeout', '90s'], 90_000],
  ])('waits as long as it is told to: %j', async (argv, ms) => {
    const world = shopWorld();
    const done = world.run('install', 'shop', ...argv);
    await world.clock.armed(ms);
    world.clock.advance(ms);
    expect(await done).toBe(3);
    expect(world.stderr.text).toContain('the operator has not looked at it yet');
  });

  it('ends with 130 when it is interrupted, and says that the operator goes on', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    world.interrupt();
    expect(await done).toBe(130);
    expect(world.stderr.text).toContain('kubepkg status shop --watch');
  });

  it('ends when the package is deleted meanwhile', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'Progressing', ''] });
    world.cluster.remove(REF);
    expect(await done).toBe(1);
    expect(world.stderr.text).toContain('was deleted meanwhile');
  });

  it('says when the connection is lost, and goes on', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'Progressing', 'x'] });
    world.cluster.disturb(new KubepkgError('ApiUnreachable', 'nobody answers'));
    report(world, { ready: WELL, version: '1.0.0' });
    expect(await done).toBe(0);
    expect(world.stderr.text).toContain('connection lost, trying again: nobody answers');
  });

  it('redraws a table on a terminal, follows its size, and leaves the cursor visible', async () => {
    const world = shopWorld();
    world.stderr.isTerminal = true;
    world.env['NO_COLOR'] = '1';
    const { done } = await waiting(world);
    await world.stderr.shows('not seen by the operator yet');
    report(world, { ready: ['False', 'Progressing', 'waiting for component store'], revision: 1 });
    revise(world, 1, '1.0.0');
    world.stderr.text = '';
    world.stderr.resize(40, 10);
    expect(world.stderr.text).toContain('shop  1.0.0 (revision 1)  Progressing …');
    world.stderr.text = '';
    world.clock.advance(1000);
    expect(world.stderr.text).toContain('\u001b[?2026h\u001b[4A\r');
    report(world, { ready: WELL, version: '1.0.0', revision: 1 });
    expect(await done).toBe(0);
    expect(world.stderr.text.endsWith('\u001b[?25h')).toBe(true);
    expect(world.clock.delays()).toEqual([]);
  });
});

describe('kubepkg install of several packages', () => {
  function twoSources(): CliWorld {
    const world = shopWorld();
    const other = shopSource();
    world.cluster.set({ ...other, metadata: { ...other.metadata, name: 'other' } });
    return world;
  }

  it('ends when one has failed and the other waits, perhaps for it', async () => {
    const world = twoSources();
    const done = world.run('install', 'shop', 'other');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'] });
    report(world, { name: 'other', ready: ['False', 'RequirementsNotMet', 'package shop is not available'] });
    expect(await done).toBe(1);
    expect(world.stderr.text).toContain('error: package other still waits: RequirementsNotMet');
  });

  it('awaits one that is in progress although the other has failed', async () => {
    const world = twoSources();
    const done = world.run('install', 'shop', 'other', '-o', 'json');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'] });
    report(world, { name: 'other', ready: ['False', 'Progressing', ''] });
    report(world, { name: 'other', ready: WELL, version: '1.0.0' });
    expect(await done).toBe(1);
    expect(JSON.parse(world.stdout.text)).toMatchObject({ kind: 'List', items: [{}, {}] });
  });
});
