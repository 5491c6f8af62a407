import { expect, it, describe, vi } from 'vitest';
import { aRevision, aRevisionComponent } from '../../test/build/objects.ts';
import { aWorld, present } from '../../test/build/world.ts';
import { engineHands } from '../../test/fakes/engine-hands.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { MemoryBackend } from '../../test/fakes/memory-backend.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { ComponentProgress, PackageRevision } from '../api/package-revision.ts';
import { findStrays, observeReleases } from './gather-releases.ts';
import type { ReleaseObservation, SubmitOutcome } from '../ports/backend.ts';
import type { ReleaseQuestion } from './release-book.ts';

const UNDERWAY = present({ delivery: 'underway', token: 'token' });
const READY_AT = '2026-01-01T10:00:00Z';
const STARTED_AT = '2026-01-01T11:00:00Z';
const COMPONENTS = [
  aRevisionComponent('store'),
  aRevisionComponent('app', { dependsOn: ['store'] }),
  aRevisionComponent('web', { dependsOn: ['app'] }),
];
const STORE: ComponentProgress = { name: 'store', state: 'Ready', attempt: 1, readyAt: READY_AT };
const APP: ComponentProgress = { name: 'app', state: 'Submitted', attempt: 1, startedAt: STARTED_AT };

function underway(...components: ComponentProgress[]): PackageRevision {
  return aRevision({ components: COMPONENTS, status: { phase: 'Applying', components } });
}

/** What is asked of each component: since when a change counts, and since when what it depends on. */
async function asked(revision: PackageRevision): Promise<Readonly<Record<string, readonly (number | undefined)[]>>> {
  const hands = engineHands(new EngineWorld());
  const questions: ReleaseQuestion[] = [];
  vi.spyOn(hands.book, 'ask').mockImplementation((question) => {
    questions.push(question);
    const health = { status: 'unobserved', message: '', notes: [] } as const;
    return Promise.resolve({ observation: { state: 'absent' }, health });
  });
  await observeReleases(hands, aWorld({ revisions: [revision] }));
  return Object.fromEntries(
    questions.map(({ target, changedAt, controllerReadyAt }) => [target.component, [changedAt, controllerReadyAt]]),
  );
}

describe('I11 rule 4.1 what the health of a component has to answer to', () => {
  const [readyAt, startedAt] = [Date.parse(READY_AT), Date.parse(STARTED_AT)];

  it('its own delivery, and what it depends on by however many steps, delivered anew', async () => {
    expect(await asked(underway(STORE, APP))).toEqual({
      store: [undefined, undefined],
      app: [startedAt, readyAt],
      web: [undefined, readyAt],
    });
  });

  it('no dependency that was right already, and no delivery that was not made', async () => {
    const [store, app] = [
      { ...STORE, attempt: 0 },
      { ...APP, attempt: 0 },
    ];
    expect(await asked(underway(store, app))).toMatchObject({
      app: [undefined, undefined],
      web: [undefined, undefined],
    });
  });

  it('rule 4.12 nothing once it is applied', async () => {
    const applied = aRevision({ components: COMPONENTS, status: { phase: 'Applied', components: [STORE, APP] } });
    expect(await asked(applied)).toMatchObject({ app: [undefined, undefined], web: [undefined, undefined] });
  });
});

describe('P20 I13 a release that only its label tells of', () => {
  it('is looked for, and at, with the backend that has it', async () => {
    const hands = engineHands(new EngineWorld());
    const other = new MemoryBackend(new MemoryCluster(), 'other');
    const target = { package: 'shop', component: 'lost', releaseName: 'lost', namespace: 'shop' };
    other.leave(target, { delivery: 'delivered', token: 'token' });
    const sight = { ...hands, deps: { ...hands.deps, backends: new Map([...hands.deps.backends, ['other', other]]) } };
    const deleted = aWorld({});
    const world = {
      ...deleted,
      package: {
        ...deleted.package,
        spec: { ...deleted.package.spec, backend: 'other' },
        metadata: { ...deleted.package.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
    };
    const strays = await findStrays(sight, world);
    expect(strays).toEqual([{ ...target, backend: 'other' }]);
    const view = (await observeReleases(sight, { ...world, strays }))['shop/lost'];
    expect([view?.backend, view?.observation.state]).toEqual(['other', 'present']);
  });
});

describe('P16 a hook that was cut off, whose Job is a hook of its own chart', () => {
  const JOB = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'migrate', mayVanish: true } as const;
  const HOOK = aRevisionComponent('migrate');
  const TARGET = { package: 'shop', component: 'migrate', releaseName: 'migrate', namespace: 'shop' };

  async function viewOf(status: unknown): Promise<readonly unknown[]> {
    const world = new EngineWorld();
    const hands = engineHands(world);
    world.backend.leave(TARGET, { delivery: 'pending', everDelivered: false, token: 'token' });
    // Nothing but what was begun tells of it.
    vi.spyOn(world.backend, 'inventory').mockImplementation((_target, record) =>
      Promise.resolve(record === 'begun' ? [JOB] : []),
    );
    const { apiVersion, kind, ...metadata } = JOB;
    if (status !== undefined) world.cluster.put({ apiVersion, kind, metadata, status });
    const hooks = [{ name: 'migrate', state: 'Submitted' as const, attempt: 1, startedAt: STARTED_AT }];
    const { spec, ...revision } = underway();
    const current = { ...revision, spec: { ...spec, hooks: [HOOK] }, status: { phase: 'Applying' as const, hooks } };
    const views = await observeReleases(hands, aWorld({ revisions: [current] }));
    const view = views['shop/migrate'];
    return [view?.jobs, view?.health.status];
  }

  it.each([
    ['runs is awaited', { active: 1 }, ['some', 'progressing']],
    ['has ended well has done it', { conditions: [{ type: 'Complete', status: 'True' }] }, ['some', 'ready']],
    ['has failed has failed it', { conditions: [{ type: 'Failed', status: 'True' }] }, ['some', 'failed']],
    ['is gone may have run', undefined, ['unknown', 'unobserved']],
  ])('and that %s', async (_, status, seen) => {
    expect(await viewOf(status)).toEqual(seen);
  });
});

describe('P16 a hook whose release somebody removes while its Jobs are looked for', () => {
  it('is looked at once more before it is said that there never was a Job', async () => {
    const world = new EngineWorld();
    const hands = engineHands(world);
    const target = { package: 'shop', component: 'migrate', releaseName: 'migrate', namespace: 'shop' };
    world.backend.leave(target, { delivery: 'failed', everDelivered: false, token: 'token' });
    vi.spyOn(world.backend, 'inventory').mockImplementation(() => {
      world.backend.leave(target, { delivery: 'draining', everDelivered: false, token: 'token' });
      return Promise.resolve([]);
    });
    const hooks = [{ name: 'migrate', state: 'Submitted' as const, attempt: 1, startedAt: STARTED_AT }];
    const { spec, ...revision } = underway();
    const current = {
      ...revision,
      spec: { ...spec, hooks: [aRevisionComponent('migrate')] },
      status: { phase: 'Applying' as const, hooks },
    };
    const view = (await observeReleases(hands, aWorld({ revisions: [current] })))['shop/migrate'];
    expect([view?.observation, view?.jobs]).toEqual([expect.objectContaining({ delivery: 'draining' }), undefined]);
  });
});

describe('P22 a release whose delivery ends while it is looked at', () => {
  it('is looked at once more, so that nothing that was told to a controller is taken for absent', async () => {
    const hands = engineHands(new EngineWorld());
    const seen: readonly ReleaseObservation[] = [{ state: 'absent' }, UNDERWAY];
    let looks = 0;
    vi.spyOn(hands.book, 'ask').mockImplementation(async () => {
      const observation = seen[looks] ?? UNDERWAY;
      looks += 1;
      if (looks === 1) {
        await new Promise<void>((resolve) => {
          const work = (): Promise<SubmitOutcome> => Promise.resolve({ kind: 'accepted' });
          const target = { package: 'shop', component: 'store', releaseName: 'store', namespace: 'shop' };
          const onEnd = (): void => {
            resolve();
          };
          hands.deliveries.start({ target, token: 'token', ends: false, work, onEnd });
        });
      }
      return { observation, health: { status: 'unobserved', message: '', notes: [] } };
    });
    const revision = aRevision({ components: COMPONENTS.slice(0, 1), status: { phase: 'Applying' } });
    const views = await observeReleases(hands, aWorld({ revisions: [revision] }));
    expect(views['shop/store']).toMatchObject({ observation: UNDERWAY, delivery: { kind: 'accepted' } });
  });
});
