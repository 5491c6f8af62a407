import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ComponentProgress, PackageRevision } from '../../../src/api/package-revision.ts';
import { FINALIZER } from '../../../src/api/names.ts';
import { decide } from '../../../src/domain/decide/decide.ts';
import type { Action, Decision } from '../../../src/domain/decide/decision.ts';
import { componentsOf, isInProgress } from '../../../src/domain/decide/views.ts';
import { releaseKey, type World } from '../../../src/domain/decide/world.ts';
import type { ReleaseObservation } from '../../../src/domain/release/observation.ts';
import { attemptToken } from '../../../src/domain/release/token.ts';
import { nextStatus } from '../../../src/domain/status/next-status.ts';
import { deepFreeze } from '../../build/deep-freeze.ts';
import { aPackage, aSource } from '../../build/objects.ts';
import { graphs, type Misfortune, misfortunes } from './misfortunes.ts';
import { Model } from './model.ts';

type Delivery = Extract<Action, { kind: 'deliver' }>;

const RUNS = 100;

interface Happening {
  readonly misfortune: Misfortune;
  /** Steps before it. */
  readonly after: number;
}

const lives = fc.record({
  components: graphs,
  happenings: fc.array(fc.record({ misfortune: misfortunes, after: fc.nat({ max: 9 }) }), { maxLength: 14 }),
});

/** A model that is watched at every step. */
class WatchedModel extends Model {
  /** Attempts whose delivery is in the journal. */
  readonly #delivered = new Set<string>();

  override step(): Decision {
    const before = this.world();
    const decision = super.step();
    if (decision.kind === 'act') this.#check(decision.action, before);
    expect(this.revisions.filter((revision) => isInProgress(revision)).length, 'I5').toBeLessThanOrEqual(1);
    this.#note();
    return decision;
  }

  #check(action: Action, before: World): void {
    if (action.kind === 'create-revision') this.#checkRollback(action, before);
    if (action.kind !== 'deliver' && action.kind !== 'uninstall') return;
    const observation = before.releases[releaseKey(action.target)]?.observation;
    expect(observation?.state, 'I6').not.toBe('foreign');
    if (action.kind === 'uninstall') this.#checkRemoval(action.target.component, before.revisions);
    else this.#checkDelivery(action, before.revisions, observation);
  }

  #checkDelivery(
    action: Delivery,
    revisions: readonly PackageRevision[],
    observation: ReleaseObservation | undefined,
  ): void {
    const revision = revisions.find(({ metadata }) => metadata.name === action.revision);
    const { hooks, progress } = progressIn(action.status ?? revision?.status);
    const place = progress.findIndex(({ name }) => name === action.component);
    const earlier = progress.slice(0, place).map(({ state }) => state);
    expect(progress[place], 'the step is in the journal').toMatchObject({
      state: 'Submitted',
      attempt: action.attempt,
    });
    const isRollback = (revision?.spec.restoredFrom ?? 0) > 0;
    if (!isRollback) expect(earlier, 'I1 I3').toEqual(earlier.map(() => 'Ready'));
    if (place < hooks.length) this.#checkHook(revision, revisions);
    this.#checkOnce(this.#tokenOf(action, revision), observation);
  }

  #checkOnce(token: string, observation: ReleaseObservation | undefined): void {
    const stands = observation?.state === 'present' && observation.delivery === 'delivered';
    expect(stands && observation.token === token, 'delivered once').toBe(false);
    expect(this.#delivered.has(token), 'delivered once').toBe(false);
  }

  /** I2: hooks run only when the version changes, afresh, and never on an install or a rollback. */
  #checkHook(revision: PackageRevision | undefined, revisions: readonly PackageRevision[]): void {
    const applied = revisions.findLast(({ status }) => status?.appliedAt !== undefined);
    expect(applied, 'I2').toBeDefined();
    expect(revision?.spec.version, 'I2').not.toBe(applied?.spec.version);
    expect(revision?.spec.restoredFrom ?? 0, 'I2').toBe(0);
  }

  /** I4: no rollback over a version that does not declare itself safe, unless it is forced. */
  #checkRollback({ spec, annotations }: Extract<Action, { kind: 'create-revision' }>, before: World): void {
    const { restoredFrom = 0 } = spec;
    if (restoredFrom === 0) return;
    const target = before.revisions.find((revision) => revision.spec.revision === restoredFrom);
    expect(target?.status?.appliedAt, 'I4').toBeDefined();
    if (annotations['kubepkg.dev/rollback-requested'] === 'true') return;
    const left = before.revisions.filter((revision) => revision.spec.revision > restoredFrom && isTried(revision));
    const unsafe = left.filter(
      (revision) => revision.spec.rollbackSafe !== true && revision.spec.version !== target?.spec.version,
    );
    expect(unsafe, 'I4').toEqual([]);
  }

  #checkRemoval(component: string, revisions: readonly PackageRevision[]): void {
    const newest = revisions.at(-1);
    if (this.pkg.metadata.deletionTimestamp === undefined || newest === undefined) return;
    const components = componentsOf(newest);
    const later = components.slice(components.findIndex(({ name }) => name === component) + 1);
    if (!components.some(({ name }) => name === component)) return;
    const standing = later.filter((each) => this.releases.get(releaseKey(each))?.observation.state === 'present');
    expect(
      standing.map(({ name }) => name),
      'P20',
    ).toEqual([]);
  }

  #note(): void {
    for (const revision of this.revisions) {
      const { hooks = [], components = [] } = revision.status ?? {};
      for (const { name, attempt = 0, backendRevision } of [...hooks, ...components])
        if (attempt > 0 && backendRevision !== undefined)
          this.#delivered.add(this.#tokenOf({ component: name, attempt }, revision));
    }
  }

  #tokenOf(
    { component, attempt }: Pick<Delivery, 'component' | 'attempt'>,
    revision: PackageRevision | undefined,
  ): string {
    const packageUid = this.pkg.metadata.uid ?? '';
    return attemptToken({ packageUid, revisionUid: revision?.metadata.uid ?? '', component, attempt });
  }
}

function progressIn(status: PackageRevision['status']): { hooks: ComponentProgress[]; progress: ComponentProgress[] } {
  const { hooks = [], components = [] } = status ?? {};
  return { hooks, progress: [...hooks, ...components] };
}

function isTried({ status }: PackageRevision): boolean {
  return [...(status?.hooks ?? []), ...(status?.components ?? [])].some(({ attempt = 0 }) => attempt > 0);
}

function live(model: Model, happenings: readonly Happening[]): void {
  for (const { misfortune, after } of happenings) {
    for (let step = 0; step < after; step += 1) model.step();
    misfortune.befall(model);
  }
}

function lifeOf({
  components,
  happenings,
}: {
  components: Parameters<typeof aSource>[0];
  happenings: readonly Happening[];
}): WatchedModel {
  const model = new WatchedModel(aPackage({}, { finalizers: [] }), aSource(components));
  live(model, happenings);
  return model;
}

/** Whatever went wrong is over. */
function recover(model: Model): void {
  model.outcomes.clear();
  model.stubborn.clear();
  model.jobs.clear();
  model.healths.clear();
  model.unmet = [];
  model.diesBeforeDelivery = false;
  model.finish();
  for (const [key, { observation }] of model.releases) if (observation.state === 'foreign') model.releases.delete(key);
  model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, suspend: false } };
}

function check(property: (model: WatchedModel) => void, numRuns = RUNS): void {
  fc.assert(
    fc.property(lives, (life) => {
      property(lifeOf(life));
    }),
    { numRuns },
  );
}

describe('whatever happens to a package', { timeout: 120_000 }, () => {
  it('I8 it comes to rest: converged, waiting for something named, stalled or invalid', () => {
    check((model) => {
      const decision = model.rest();
      expect(['converged', 'wait', 'stalled', 'invalid', 'observe']).toContain(decision.kind);
      expect(decision.message).toMatch(/\w+ \w+/);
      const running = [...model.releases.values()].some(({ delivery }) => delivery.kind === 'running');
      if (decision.kind === 'wait' && decision.reason === 'Progressing') expect(running, decision.message).toBe(true);
    });
  });

  it('I9 a second look at an unchanged world acts on nothing and says the same', () => {
    check((model) => {
      const decision = model.rest();
      const world = deepFreeze({ ...model.world(), now: model.now + 1 });
      const again = decide(world);
      expect(again).toEqual(decision);
      expect(nextStatus(world, again)).toEqual(model.pkg.status);
    });
  });

  it('P12 once everything is well and somebody asks for it, what is wanted runs', () => {
    check((model) => {
      recover(model);
      const { deletionTimestamp: _removed, ...metadata } = model.pkg.metadata;
      model.pkg = { ...model.pkg, metadata };
      // A token is honoured after the revision in progress, which may wait for its deadline.
      model.rest();
      model.now += 24 * 3_600_000;
      model.rest();
      const annotations = { 'kubepkg.dev/retry': 'at last', 'kubepkg.dev/force-rollback': '1.0.0,1.1.0,2.0.0' };
      model.pkg = { ...model.pkg, metadata: { ...metadata, annotations } };
      expect(model.rest()).toMatchObject({ kind: 'converged' });
      const applied = model.revisions.findLast(({ status }) => status?.phase === 'Applied');
      const wanted = new Set(
        applied === undefined ? [] : componentsOf(applied).map((component) => releaseKey(component)),
      );
      const there = [...model.releases].filter(([, { observation }]) => observation.state === 'present');
      expect(new Set(there.map(([key]) => key))).toEqual(wanted);
    });
  });

  it('P20 deleted, it lets go of everything once removals succeed', () => {
    check((model) => {
      recover(model);
      const deletionTimestamp = '2026-01-01T00:00:00Z';
      model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, deletionTimestamp } };
      expect(model.rest()).toMatchObject({ kind: 'wait', reason: 'Deleting' });
      expect(model.pkg.metadata.finalizers).not.toContain(FINALIZER);
      const left = [...model.releases].filter(([, { observation }]) => observation.state === 'present');
      expect(left).toEqual([]);
    });
  });
});
