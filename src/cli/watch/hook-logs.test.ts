import { describe, expect, it } from 'vitest';
import { LookingWorld } from '../../../test/build/looking-world.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import type { PackageRevisionStatus } from '../../api/package-revision.ts';

const POD = 'shop/migrate-x/main';
const MANIFEST = 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {}\n';

type HookState = NonNullable<PackageRevisionStatus['hooks']>[number]['state'];

function hook(world: LookingWorld, state: HookState): void {
  const status: PackageRevisionStatus = { phase: 'Applying', hooks: [{ name: 'migrate', state, attempt: 1 }] };
  world.revision(2, { version: '1.1.0', status, spec: { hooks: [aRevisionComponent('migrate')] } });
}

/** An upgrade whose hook is at work. */
function migrating(): LookingWorld {
  const world = new LookingWorld();
  hook(world, 'Submitted');
  world.record('migrate', 1, MANIFEST);
  const selector = { matchLabels: { job: 'migrate' } };
  world.put('batch/v1', 'Job', { name: 'migrate', namespace: 'shop' }, { spec: { selector } });
  const labels = { job: 'migrate' };
  const spec = { containers: [{ name: 'main' }] };
  world.put('v1', 'Pod', { name: 'migrate-x', namespace: 'shop', labels }, { spec });
  world.cluster.podLogs.set(POD, ['begin']);
  return world;
}

/** Lets the next look come, and its answers. */
async function look(world: LookingWorld): Promise<void> {
  await world.cli.clock.armed(2000);
  await world.cli.clock.advance(2000);
}

describe('what running hooks write', () => {
  it('is shown while packages are watched, each line once', async () => {
    const world = migrating();
    const done = world.run('watch', 'shop');
    await look(world);
    await world.cli.stdout.shows('shop: migrate (hook) | begin\n');
    world.cluster.podLogs.set(POD, ['begin', 'table \u001b[31morders']);
    await look(world);
    await world.cli.stdout.shows('shop: migrate (hook) | table [31morders\n');
    expect(world.out.split('| begin')).toHaveLength(2);
    world.cli.interrupt();
    expect(await done).toBe(130);
  });

  it('is in the stream of JSON lines', async () => {
    const world = migrating();
    const done = world.run('watch', 'shop', '-o', 'json');
    await look(world);
    await world.cli.stdout.shows('{"time":"2030-01-01T00:00:02Z","name":"shop","hook":"migrate","line":"begin"}\n');
    world.cli.interrupt();
    await done;
  });

  it('stays below the table of a terminal', async () => {
    const world = migrating();
    world.cli.stdout.isTerminal = true;
    const done = world.run('watch', 'shop', '--no-color');
    await look(world);
    await world.cli.stdout.shows('migrate (hook) | begin');
    world.cli.interrupt();
    await done;
    expect(world.cli.clock.pending()).toEqual([]);
  });

  it('is not asked for when no hook runs, nor after the end', async () => {
    const world = migrating();
    hook(world, 'Ready');
    const done = world.run('watch', 'shop');
    await world.cli.stdout.shows('migrate (hook) Ready');
    expect(world.cli.clock.pending()).toEqual([]);
    world.cli.interrupt();
    await done;
  });
});
