import { describe, expect, it } from 'vitest';
import { CliWorld } from '../../../test/fakes/cli-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { OPERATOR_LEASE } from '../../api/names.ts';
import type { LocalLife } from '../host.ts';

const SOURCE =
  'apiVersion: kubepkg.dev/v1\nkind: PackageSource\nmetadata: {name: shop}\nspec: {version: 1.0.0, variants: [{name: default, components: []}]}\n';
const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: OPERATOR_LEASE, namespace: 'kubepkg-system' },
  spec: { holderIdentity: 'another-host_1' },
} as unknown as KubeObject;
function leaseIn(namespace: string, holderIdentity: string, renewTime: string, leaseDurationSeconds = 8): KubeObject {
  return object({
    ...LEASE,
    metadata: { name: OPERATOR_LEASE, namespace },
    spec: { holderIdentity, renewTime, leaseDurationSeconds },
  });
}

const object = (value: unknown): KubeObject => value as KubeObject;
const PATIENCE_MS = 20_000;

function world(): CliWorld {
  const made = new CliWorld();
  made.files.set('shop.yaml', SOURCE);
  return made;
}

const INSTALL = ['install', 'shop', '-f', 'shop.yaml', '--no-wait', '-y'];

/** Ready, and perhaps with something that is still being removed. */
function packageThatIs(reconciling: boolean, name = 'shop'): KubeObject {
  const ready = { type: 'Ready', status: 'True', reason: 'ReconciliationSucceeded' };
  const busy = { type: 'Reconciling', status: 'True', reason: 'Progressing', message: '' };
  const conditions = [{ ...ready, message: 'component old is being removed' }, ...(reconciling ? [busy] : [])];
  return object({
    apiVersion: 'kubepkg.dev/v1',
    kind: 'Package',
    metadata: { name },
    spec: { variant: 'default' },
    status: { conditions },
  });
}

describe('--local', () => {
  it('does what the command says beside an operator in the same process, which ends with it', async () => {
    const cli = world();
    expect(await cli.run(...INSTALL, '--local', '--backend', 'flux', '--cache-dir', 'cache')).toBe(0);
    expect(cli.operators).toMatchObject([
      {
        backend: 'flux',
        cacheDir: 'cache',
        leaderElect: true,
        metricsBindAddress: '0',
        healthProbeBindAddress: '0',
        logLevel: 'error',
      },
    ]);
    expect(cli.cluster.writes.length).toBeGreaterThan(0);
  });

  it('is refused while another operator is at work, which is named', async () => {
    const cli = world();
    cli.localOperator = 'waits';
    cli.cluster.set(LEASE);
    const code = cli.run(...INSTALL, '--local');
    await cli.clock.armed(PATIENCE_MS);
    await cli.clock.advance(PATIENCE_MS);
    expect(await code).toBe(2);
    expect(cli.stderr.text).toContain('another-host_1');
    expect(cli.stderr.text).toContain('leave out --local');
    expect(cli.cluster.writes).toEqual([]);
  });

  it('P22 is refused while another operator is at work from another namespace, which is named', async () => {
    const cli = world();
    cli.cluster.set(leaseIn('ops', 'another-host_2', '2020-01-01T00:00:00Z'));
    const code = cli.run(...INSTALL, '--local');
    await cli.clock.armed(500);
    cli.cluster.set(leaseIn('ops', 'another-host_2', '2020-01-01T00:00:02Z'));
    await cli.clock.advance(500);
    expect(await code).toBe(2);
    expect(cli.stderr.text).toContain('another-host_2 holds its Lease in namespace ops');
    expect([cli.operators, cli.cluster.writes]).toEqual([[], []]);
  });

  it.each([
    ['takes the Lease where an operator has given it away', '', [], 'ops'],
    ['takes the Lease where the user says', '', ['--namespace', 'kubepkg-system'], 'kubepkg-system'],
    ['takes the Lease of an operator that does not renew it', 'dead_1', [], 'ops'],
  ])('%s', async (_what, holder, words, namespace) => {
    const cli = world();
    cli.cluster.set(leaseIn('ops', holder, '2030-01-01T00:00:00Z', 0.5));
    const code = cli.run(...INSTALL, '--local', ...words);
    if (holder !== '') {
      await cli.clock.armed(500);
      await cli.clock.advance(500);
    }
    expect(await code).toBe(0);
    expect(cli.operators).toMatchObject([{ namespace }]);
  });

  it.each([
    ['at once', new KubepkgError('NotFound', 'there is no namespace', { hint: 'create it' }), 2],
    ['when it does not go by itself', new KubepkgError('KindNotServed', 'Package is not served'), 4],
  ])('says what is in the way instead of blaming an operator: %s', async (_when, error, exitCode) => {
    const cli = world();
    cli.localOperator = 'waits';
    cli.cluster.set(LEASE);
    cli.tellLocal = ({ onObstacle }) => {
      onObstacle(error);
    };
    const code = cli.run(...INSTALL, '--local');
    if (error.class === 'transient') {
      await cli.clock.armed(PATIENCE_MS);
      await cli.clock.advance(PATIENCE_MS);
    }
    expect(await code).toBe(exitCode);
    expect(cli.stderr.text).toContain(`error: ${error.message}`);
    expect(cli.stderr.text).not.toContain('is at work');
  });

  it('is not refused by its own Lease while it reads what is in the cluster', async () => {
    const cli = world();
    cli.localOperator = 'waits';
    cli.cluster.set(LEASE);
    const life = new Promise<LocalLife>((resolve) => {
      cli.tellLocal = resolve;
    });
    const code = cli.run(...INSTALL, '--local');
    const { onElected, onLeading } = await life;
    onElected();
    await cli.clock.armed(2 * 60_000);
    await cli.clock.advance(2 * PATIENCE_MS);
    expect(cli.stderr.text).toContain('reading what is in the cluster');
    onLeading();
    expect(await code).toBe(0);
  });

  it('writes nothing when its operator cannot begin', async () => {
    const cli = world();
    cli.localOperator = 'fails';
    expect(await cli.run(...INSTALL, '--local')).toBe(4);
    expect(cli.stderr.text).toContain('there is no such context');
    expect(cli.cluster.writes).toEqual([]);
  });

  it('fails when its operator ends before the command', async () => {
    const cli = world();
    cli.localOperator = 'ends';
    expect(await cli.run('wait', 'shop', '--local')).toBe(1);
    expect(cli.stderr.text).toContain('has lost its Lease');
  });

  it('interrupted ends its operator, and says how to go on', async () => {
    const cli = world();
    cli.localOperator = 'waits';
    const code = cli.run(...INSTALL, '--local');
    await cli.clock.armed(PATIENCE_MS);
    cli.interrupt();
    expect(await code).toBe(130);
    expect(cli.stderr.text).toContain('run the same command again');
    expect(cli.cluster.writes).toEqual([]);
  });

  it('is what options of the operator need elsewhere', async () => {
    const cli = world();
    expect(await cli.run(...INSTALL, '--backend', 'flux')).toBe(2);
    expect(cli.stderr.text).toContain('add --local');
  });

  it('P20 waits for the removals of the packages alone that it was asked about', async () => {
    const cli = world();
    for (const [name, reconciling] of [
      ['shop', false],
      ['other', true],
    ] as const)
      cli.cluster.set(packageThatIs(reconciling, name));
    expect(await cli.run('wait', 'shop', '--local')).toBe(0);
    expect(cli.clock.pending()).toEqual([]);
  });

  it('waits for no removals where it was asked about no package', async () => {
    const cli = world();
    cli.cluster.set(packageThatIs(true));
    const watching = cli.run('watch', '--local');
    await cli.stdout.shows('shop');
    cli.interrupt();
    expect(await watching).toBe(130);
    expect(cli.stderr.text).not.toContain('left to the next one');
  });

  it('P20 ends only when what was dropped is removed, since nobody else would go on with it', async () => {
    const cli = world();
    cli.cluster.set(packageThatIs(true));
    const waiting = cli.run('wait', 'shop', '--local');
    await cli.clock.armed(5 * 60_000);
    cli.cluster.set(packageThatIs(false));
    expect(await waiting).toBe(0);
  });
});
