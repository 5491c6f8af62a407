import { FINALIZER } from '../../../src/api/names.ts';
import type { Package } from '../../../src/api/package.ts';
import type { PackageRevision, RevisionComponent } from '../../../src/api/package-revision.ts';
import type { PackageSource } from '../../../src/api/package-source.ts';
import { decide, inProgress } from '../../../src/domain/decide/decide.ts';
import type { Action, Decision } from '../../../src/domain/decide/decision.ts';
import { componentsOf, targetOf } from '../../../src/domain/decide/views.ts';
import { releaseKey, type ReleaseView, type World } from '../../../src/domain/decide/world.ts';
import type { HealthReport } from '../../../src/domain/release/component-view.ts';
import type { ReleaseObservation, ReleaseTarget } from '../../../src/domain/release/observation.ts';
import { revisionName } from '../../../src/domain/release/snapshot.ts';
import { attemptToken } from '../../../src/domain/release/token.ts';
import { resolvePackage } from '../../../src/domain/resolve/resolve-package.ts';
import { nextStatus } from '../../../src/domain/status/next-status.ts';
import { READY, UNOBSERVED } from '../../build/world.ts';

interface ModelRelease {
  observation: ReleaseObservation;
  delivery: ReleaseView['delivery'];
  health: HealthReport;
}

/** A world in which every action succeeds at once, for the decision alone: no process, no API server, no time but ours. */
export class Model {
  now = Date.parse('2026-01-01T00:00:00Z');
  pkg: Package;
  source: PackageSource | undefined;
  revisions: PackageRevision[] = [];
  readonly releases = new Map<string, ModelRelease>();
  readonly actions: Action[] = [];
  readonly saved = new Set<string>();
  prepared: string | undefined;
  unmet: string[] = [];
  /** Deliveries end in this state; by component. */
  readonly outcomes = new Map<string, 'delivered' | 'failed' | 'running'>();
  readonly healths = new Map<string, HealthReport>();

  constructor(pkg: Package, source: PackageSource | undefined) {
    this.pkg = pkg;
    this.source = source;
  }

  world(): World {
    const resolution = this.source === undefined ? undefined : resolvePackage(this.pkg, this.source, 'helm');
    const desired = resolution?.kind === 'resolved' ? resolution.desired : undefined;
    const charts = Object.fromEntries(
      (desired?.components ?? []).map(({ name, chart }) => [
        name,
        { ref: chart, digest: `sha256:chart-${name}-${desired?.version ?? ''}` },
      ]),
    );
    const base: World = {
      now: this.now,
      watchingSince: this.now - 3_600_000,
      package: this.pkg,
      resolution,
      revisions: this.revisions,
      preparation:
        desired !== undefined && this.prepared === desired.digest ? { kind: 'ready', charts } : { kind: 'none' },
      valuesSaved: true,
      unmetRequirements: this.unmet,
      dependencies: {},
      releases: {},
      valuesNamespace: 'kubepkg-system',
    };
    const current = inProgress(base);
    return {
      ...base,
      releases: this.#views(),
      valuesSaved: current === undefined || this.saved.has(current.metadata.name),
    };
  }

  #views(): World['releases'] {
    const views: Record<string, ReleaseView> = {};
    for (const revision of this.revisions) {
      for (const component of componentsOf(revision)) {
        const key = releaseKey(component);
        const known = this.releases.get(key);
        const health = this.healths.get(component.name) ?? READY;
        views[key] = {
          target: targetOf(revision, component),
          observation: known?.observation ?? { state: 'absent' },
          delivery: known?.delivery ?? { kind: 'none' },
          health: known === undefined ? UNOBSERVED : health,
        };
      }
    }
    return views;
  }

  /** Turns the crank until nothing is to be done; the decision that ended it. */
  settle(limit = 100): Decision {
    for (let step = 0; step < limit; step += 1) {
      const world = this.world();
      const decision = decide(world);
      this.pkg = { ...this.pkg, status: nextStatus(world, decision) };
      if (decision.kind !== 'act') return decision;
      this.actions.push(decision.action);
      this.#apply(decision.action);
    }
    throw new Error(`not settled after ${String(limit)} steps: ${JSON.stringify(this.actions.slice(-5))}`);
  }

  #apply(action: Action): void {
    switch (action.kind) {
      case 'add-finalizer':
        this.pkg = { ...this.pkg, metadata: { ...this.pkg.metadata, finalizers: [FINALIZER] } };
        return;
      case 'prepare':
        this.prepared = action.digest;
        return;
      case 'create-revision':
        this.revisions = [...this.revisions, this.#created(action)];
        return;
      case 'save-values':
        this.saved.add(action.revision);
        return;
      case 'record':
        this.#record(action.revision, action.status);
        return;
      case 'deliver':
        if (action.status !== undefined) this.#record(action.revision, action.status);
        this.#deliver(action);
        return;
      case 'stop':
      case 'unlock':
        this.#amend(action.target, 'failed');
        return;
      case 'uninstall':
        this.releases.delete(releaseKey(action.target));
        return;
      case 'prune':
        this.revisions = this.revisions.filter((revision) => revision.metadata.name !== action.revision);
        return;
      case 'release-revision':
        this.revisions = this.revisions.map((revision) =>
          revision.metadata.name === action.revision
            ? { ...revision, metadata: { ...revision.metadata, finalizers: [] } }
            : revision,
        );
        return;
      case 'release-finalizer':
        this.pkg = { ...this.pkg, metadata: { ...this.pkg.metadata, finalizers: [] } };
    }
  }

  #created({ spec, digest }: Extract<Action, { kind: 'create-revision' }>): PackageRevision {
    const name = revisionName(spec.package, spec.revision);
    const metadata = {
      name,
      uid: `uid-${name}`,
      finalizers: [FINALIZER],
      annotations: { 'kubepkg.dev/desired-digest': digest },
    };
    return { apiVersion: 'kubepkg.dev/v1', kind: 'PackageRevision', metadata, spec };
  }

  #record(name: string, status: PackageRevision['status']): void {
    this.revisions = this.revisions.map((revision) =>
      revision.metadata.name === name ? { ...revision, status } : revision,
    );
  }

  #deliver(action: Extract<Action, { kind: 'deliver' }>): void {
    const key = releaseKey(action.target);
    const number = this.#nextNumber(key);
    const outcome = this.outcomes.get(action.component) ?? 'delivered';
    const token = this.#tokenOf(action);
    const observation: ReleaseObservation = {
      state: 'present',
      revision: number,
      token,
      digest: this.#componentOf(action)?.digest,
      delivery: outcome === 'running' ? 'pending' : outcome,
      everDelivered: outcome === 'delivered' || number > 1,
      message: `release revision ${String(number)} is ${outcome}`,
    };
    this.releases.set(key, { observation, delivery: this.#deliveryOf(outcome, token), health: READY });
  }

  #nextNumber(key: string): number {
    const former = this.releases.get(key)?.observation;
    return former?.state === 'present' ? former.revision + 1 : 1;
  }

  #componentOf(action: Extract<Action, { kind: 'deliver' }>): RevisionComponent | undefined {
    return this.#revision(action.revision)?.spec.components?.find(({ name }) => name === action.component);
  }

  #tokenOf({ revision, component, attempt }: Extract<Action, { kind: 'deliver' }>): string {
    const packageUid = this.pkg.metadata.uid ?? '';
    return attemptToken({ packageUid, revisionUid: this.#revision(revision)?.metadata.uid ?? '', component, attempt });
  }

  #revision(name: string): PackageRevision | undefined {
    return this.revisions.find((revision) => revision.metadata.name === name);
  }

  #deliveryOf(outcome: 'delivered' | 'failed' | 'running', token: string): ReleaseView['delivery'] {
    if (outcome === 'running') return { kind: 'running' };
    if (outcome === 'delivered') return { kind: 'accepted', token };
    return { kind: 'failed', token, code: 'HelmFailed', message: 'helm failed', retryAt: this.now, transient: false };
  }

  #amend(target: ReleaseTarget, delivery: 'failed'): void {
    const known = this.releases.get(releaseKey(target));
    if (known?.observation.state !== 'present') return;
    known.observation = { ...known.observation, delivery };
    known.delivery = { kind: 'none' };
  }

  /** A process that dies forgets what it was doing; its children died with it. */
  crash(): void {
    for (const release of this.releases.values()) release.delivery = { kind: 'none' };
    this.prepared = undefined;
  }

  deliveries(): readonly string[] {
    return this.actions.flatMap((action) => (action.kind === 'deliver' ? [action.component] : []));
  }
}
