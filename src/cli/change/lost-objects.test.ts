import { describe, expect, it } from 'vitest';
import { deploymentManifest, LookingWorld } from '../../../test/build/looking-world.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { KubepkgError } from '../../api/errors.ts';
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import type { ComponentProgress } from '../../api/package-revision.ts';
import type { Package } from '../../api/package.ts';
import { howToPutBack } from './lost-objects.ts';

const PACKAGE = { apiVersion: API_VERSION, kind: 'Package', name: 'shop' };
const CONFIG = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n';
const JOB =
  '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec: {ttlSecondsAfterFinished: 1, template: {spec: {}}}\n';

/** Of a package `shop` with the component `app`, whose release is as it was delivered. */
function installed(manifest: string, backend?: string): LookingWorld {
  const world = new LookingWorld({}, statusOf('Degraded'));
  world.revision(1, {
    components: [aRevisionComponent('app')],
    status: { phase: 'Applied', components: [{ name: 'app', state: 'Ready', attempt: 1, backendRevision: 1 }] },
    spec: backend === undefined ? {} : { backend },
  });
  world.record('app', 1, manifest);
  return world;
}

function statusOf(reason: string, currentRevision = 1): NonNullable<Package['status']> {
  const status = reason === 'ReconciliationSucceeded' ? 'True' : 'False';
  const condition = {
    type: 'Ready',
    status,
    reason,
    message: 'x',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  } as const;
  return { conditions: [condition], currentRevision, version: '1.0.0' };
}

/** Asks for a retry, and has the operator answer with a revision in which `app` stands like that. */
async function retried(world: LookingWorld, app: ComponentProgress, reason = 'Progressing'): Promise<number> {
  const done = world.run('retry', 'shop');
  await world.cli.clock.armed(30 * 60_000);
  const pkg = world.cluster.get(PACKAGE);
  const token = pkg?.metadata.annotations?.[ANNOTATION.retry] ?? '';
  const isDone = reason === 'ReconciliationSucceeded';
  world.revision(2, {
    components: [aRevisionComponent('app')],
    status: { phase: isDone ? 'Applied' : 'Applying', components: [app] },
    annotations: { [ANNOTATION.retry]: token },
  });
  if (pkg !== undefined) world.cluster.put({ ...pkg, status: statusOf(reason, 2) });
  if (app.attempt === 1 && !isDone) {
    await world.cli.stderr.shows('app Submitted');
    world.cli.interrupt();
  }
  return done;
}

const ACCEPTED: ComponentProgress = { name: 'app', state: 'Submitted', attempt: 0, message: 'x' };

describe('P22 kubepkg retry of a release of which an object was deleted by hand', () => {
  it('ends at once, with what is missing and how to put it back, where nobody delivers it', async () => {
    const world = installed(deploymentManifest('app', 'app:1'));
    expect(await retried(world, ACCEPTED)).toBe(1);
    expect(world.err).toContain('shop lacks Deployment shop/app of component app\n');
    expect(world.err).toMatch(/\nerror: package shop waits in vain: Deployment shop\/app of component app does not /);
    expect(world.err).toContain(
      'kubepkg get manifest shop app -o json --show-secrets | kubectl apply --server-side -f -',
    );
  });

  it('goes on waiting where its release is delivered anew', async () => {
    const world = installed(deploymentManifest('app', 'app:1'));
    expect(await retried(world, { ...ACCEPTED, attempt: 1 })).toBe(130);
    expect(world.err).not.toContain('in vain');
  });

  it('tells in the end of what no revision waits for, and which is missing still', async () => {
    const world = installed(CONFIG);
    expect(await retried(world, { ...ACCEPTED, state: 'Ready' }, 'ReconciliationSucceeded')).toBe(0);
    expect(world.err).toMatch(
      /\nwarning: package shop: ConfigMap shop\/app of component app still does not exist\nhint: put back /,
    );
  });

  it('is asked for all the same by who may not see objects, without a word about them', async () => {
    const world = installed(deploymentManifest('app', 'app:1'));
    world.cluster.before = ({ line }) => {
      if (/ (?:Secret|Deployment)\b/.test(line)) throw new KubepkgError('ApiForbidden', 'it is forbidden');
    };
    expect(await world.run('retry', 'shop', '--no-wait')).toBe(0);
    expect(world.err).not.toContain('forbidden');
  });

  it('names another way where nobody keeps a record of what was delivered', () => {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'app' };
    expect(howToPutBack('shop', [{ component: 'app', ref, isRecorded: false }])).not.toContain('kubectl');
  });

  it('takes a Job that removes itself for no loss', async () => {
    const world = installed(JOB);
    await world.run('retry', 'shop', '--dry-run');
    expect(world.err).not.toContain('lacks');
  });
});
