import { FINALIZER } from '../../../src/api/names.ts';
import type { ErrorCode } from '../../../src/api/errors.ts';
import type { Package } from '../../../src/api/package.ts';
import type { PackageRevision, RevisionComponent } from '../../../src/api/package-revision.ts';
import type { PackageSource } from '../../../src/api/package-source.ts';
import { decide } from '../../../src/domain/decide/decide.ts';
import type { Action, Decision } from '../../../src/domain/decide/decision.ts';
import { everyMember, inProgress, membersOf, targetOf } from '../../../src/domain/decide/views.ts';
import { releaseKey, type ReleaseView, type World } from '../../../src/domain/decide/world.ts';
import type { HealthReport, HookJobs } from '../../../src/domain/release/component-view.ts';
import type { ReleaseObservation, ReleaseTarget } from '../../../src/domain/release/observation.ts';
import { revisionName } from '../../../src/domain/release/snapshot.ts';
import { attemptToken } from '../../../src/domain/release/token.ts';
import type { DesiredPackage, Resolution } from '../../../src/domain/resolve/desired.ts';
import { resolvePackage } from '../../../src/domain/resolve/resolve-package.ts';
import { nextStatus } from '../../../src/domain/status/next-status.ts';
import { READY, UNOBSERVED } from '../../build/world.ts';

interface ModelRelease {
  observation: ReleaseObservation;
  lastToken?: string | undefined;
  delivery: ReleaseView['delivery'];
  stop?: ReleaseView['stop'];
  health: HealthReport;
}

type Outcome = 'delivered' | 'failed' | 'running' | 'transient' | 'interrupted';

/** A pause between two attempts, long enough for few of them to fit into a deadline. */
const PAUSE_MS = 100_000;

/** A world in which every action succeeds at once, for the decision alone: no process, no API server, no time but ours. */
export class Model {
  now = Date.parse('2026-01-01T00:00:00Z');
  watchingSince = this.now - 3_600_000;
  pkg: Package;
  source: PackageSource | undefined;
  revisions: PackageRevision[] = [];
  readonly releases = new Map<string, ModelRelease>();
  readonly actions: Action[] = [];
  readonly saved = new Set<string>();
  prepared: string | undefined;
  unmet: string[] = [];
  /**
   * Deliveries end in this state; by component. `transient`: with an error that may pass, before anything was
   * written; `interrupted`: with one that left the record pending.
   */
  readonly outcomes = new Map<string, Outcome>();
  /** Removals that fail before one succeeds; by component. */
  readonly stubborn = new Map<string, number>();
  /** The process dies between the journal and the backend, at the next delivery. */
  diesBeforeDelivery = false;
  /** What is known of the Jobs of hooks whose delivery was not completed. */
  readonly jobs = new Map<string, HookJobs>();
  readonly healths = new Map<string, HealthReport>();

  #resolved:
    | (Pick<Package, 'metadata' | 'spec'> & {
        readonly source: PackageSource | undefined;
        readonly resolution: Resolution | undefined;
      })
    | undefined;

  constructor(pkg: Package, source: PackageSource | undefined) {
    this.pkg = pkg;
    this.source = source;
  }

  world(): World {
    const resolution = this.#resolve();
    const desired = resolution?.kind === 'resolved' ? resolution.desired : undefined;
    const base: World = {
      now: this.now,
      watchingSince: this.watchingSince,
      package: this.pkg,
      resolution,
      sourceGeneration: this.source?.metadata.generation,
      revisions: this.revisions,
      preparation:
        desired !== undefined && this.prepared === desired.digest ? preparationOf(desired) : { kind: 'none' },
      valuesSaved: true,
      unmetRequirements: this.unmet,
      conflicts: [],
      leavingDependents: [],
      dependencies: {},
      releases: {},
      strays: [],
      valuesNamespace: 'kubepkg-system',
    };
    const current = inProgress(base);
    return {
      ...base,
      releases: { ...this.#wanted(desired), ...this.#views() },
      valuesSaved: current === undefined || this.saved.has(current.metadata.name),
    };
  }

  /** Resolved anew only when what is wanted has changed. */
  #resolve(): Resolution | undefined {
    const { pkg, source } = this;
    const known = this.#resolved;
    if (known !== undefined && known.source === source && known.metadata === pkg.metadata && known.spec === pkg.spec)
      return known.resolution;
    const resolution = source === undefined ? undefined : resolvePackage(pkg, source, { defaultBackend: 'helm' });
    this.#resolved = { source, metadata: pkg.metadata, spec: pkg.spec, resolution };
    return resolution;
  }

  /** What is wanted next and no revision has had yet: only whether it is there is known. */
  #wanted(desired: DesiredPackage | undefined): World['releases'] {
    const views = [...(desired?.hooks ?? []), ...(desired?.components ?? [])].map(
      ({ name, releaseName, namespace }): ReleaseView => {
        const target = { package: this.pkg.metadata.name, component: name, releaseName, namespace };
        const known = this.releases.get(releaseKey(target));
        const observation = known?.observation ?? { state: 'absent' };
        return {
          target,
          backend: 'helm',
          observation,
          delivery: known?.delivery ?? { kind: 'none' },
          health: UNOBSERVED,
        };
      },
    );
    return Object.fromEntries(views.map((view) => [releaseKey(view.target), view]));
  }

  #views(): World['releases'] {
    const views: Record<string, ReleaseView> = {};
    for (const revision of this.revisions) {
      for (const component of everyMember(revision)) {
        const hook = membersOf(revision, 'hooks').includes(component);
        const view = this.#view(targetOf(revision, component));
        views[releaseKey(component)] = hook ? { ...view, jobs: this.jobs.get(component.name) ?? 'never' } : view;
      }
    }
    return views;
  }

  #view(target: ReleaseTarget): ReleaseView {
    const known = this.releases.get(releaseKey(target));
    const health = this.healths.get(target.component) ?? READY;
    if (known === undefined) {
      const nothing = { observation: { state: 'absent' }, delivery: { kind: 'none' }, health: UNOBSERVED } as const;
      return { target, backend: 'helm', ...nothing };
    }
    const { observation, lastToken, delivery, stop } = known;
    return { target, backend: 'helm', observation, lastToken, delivery, stop, health };
  }

  /** Sets annotations of the Package. */
  annotate(annotations: Readonly<Record<string, string>>): void {
    const known = this.pkg.metadata.annotations;
    this.pkg = { ...this.pkg, metadata: { ...this.pkg.metadata, annotations: { ...known, ...annotations } } };
  }

  /** Turns the crank until nothing is to be done; the decision that ended it. */
  settle(limit = 100): Decision {
    for (let step = 0; step < limit; step += 1) {
      const decision = this.step();
      if (decision.kind !== 'act') return decision;
    }
    throw new Error(`not settled after ${String(limit)} steps: ${JSON.stringify(this.actions.slice(-5))}`);
  }

  /** Settles, and lets time go on to whatever is awaited, until nothing is awaited that time ends. */
  rest(waits = 120): Decision {
    for (let wait = 0; wait < waits; wait += 1) {
      const decision = this.settle();
      if (decision.kind !== 'wait' || decision.until === undefined) return decision;
      this.now = Math.max(this.now + 1, decision.until);
    }
    throw new Error(`still waiting after ${String(waits)} waits`);
  }

  /** One turn of the crank. */
  step(): Decision {
    const world = this.world();
    const decision = decide(world);
    this.pkg = { ...this.pkg, status: nextStatus(world, decision) };
    if (decision.kind === 'act') {
      this.actions.push(decision.action);
      this.#apply(decision.action);
    }
    return decision;
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
      case 'drop-annotations':
        this.#dropAnnotations(action.annotations);
        return;
      case 'end-adoption':
        this.#dropAnnotations(['kubepkg.dev/adopt']);
        return;
      case 'hand-back':
      case 'claim-crds':
      case 'release-crds':
      case 'delete-crd':
      case 'restore-namespace':
      case 'take-over':
      case 'complete-revision':
      case 'replace-pod':
        throw new Error(`no package of the model has anything to ${action.kind}`);
      case 'deliver':
        if (action.status !== undefined) this.#record(action.revision, action.status);
        if (this.diesBeforeDelivery) this.crash();
        else this.#deliver(action);
        return;
      case 'stop':
        this.#stop(action.target);
        return;
      case 'unlock':
        this.#amend(action.target, 'failed');
        return;
      case 'uninstall':
        if (action.status !== undefined && action.revision !== undefined) this.#record(action.revision, action.status);
        this.#uninstall(action.target);
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

  #created({ spec, annotations }: Extract<Action, { kind: 'create-revision' }>): PackageRevision {
    const name = revisionName(spec.package, spec.revision);
    const metadata = { name, uid: `uid-${name}`, finalizers: [FINALIZER], annotations };
    return { apiVersion: 'kubepkg.dev/v1', kind: 'PackageRevision', metadata, spec };
  }

  #dropAnnotations(names: readonly string[]): void {
    const kept = Object.entries(this.pkg.metadata.annotations ?? {}).filter(([name]) => !names.includes(name));
    this.pkg = { ...this.pkg, metadata: { ...this.pkg.metadata, annotations: Object.fromEntries(kept) } };
  }

  #record(name: string, status: PackageRevision['status']): void {
    this.revisions = this.revisions.map((revision) =>
      revision.metadata.name === name ? { ...revision, status } : revision,
    );
  }

  #deliver(action: Extract<Action, { kind: 'deliver' }>): void {
    const key = releaseKey(action.target);
    const outcome = this.outcomes.get(action.component) ?? 'delivered';
    const token = this.#tokenOf(action);
    const delivery = this.#deliveryOf(outcome, token);
    const known = this.releases.get(key)?.observation ?? { state: 'absent' };
    const observation = outcome === 'transient' ? known : this.#recordOf(action, outcome, token);
    this.releases.set(key, { observation, delivery, health: READY });
  }

  #recordOf(action: Extract<Action, { kind: 'deliver' }>, outcome: Outcome, token: string): ReleaseObservation {
    const key = releaseKey(action.target);
    const number = this.#nextNumber(key);
    const known = this.releases.get(key)?.observation;
    return {
      state: 'present',
      revision: number,
      token,
      digest: this.#componentOf(action)?.digest,
      delivery: outcome === 'delivered' || outcome === 'failed' ? outcome : 'pending',
      everDelivered: outcome === 'delivered' || (known?.state === 'present' && known.everDelivered),
      message: `release revision ${String(number)} is ${outcome}`,
    };
  }

  #uninstall(target: ReleaseTarget): void {
    const key = releaseKey(target);
    const left = this.stubborn.get(target.component) ?? 0;
    const known = this.releases.get(key);
    if (left === 0 || known === undefined) {
      this.releases.delete(key);
      return;
    }
    this.stubborn.set(target.component, left - 1);
    known.delivery = this.#failure('ApiConflict', undefined, true);
  }

  /** The delivery that runs comes to its end. */
  finish(): void {
    for (const release of this.releases.values()) {
      const { observation, delivery } = release;
      if (delivery.kind !== 'running' || observation.state !== 'present') continue;
      release.observation = { ...observation, delivery: 'delivered', everDelivered: true };
      release.delivery = { kind: 'accepted', token: observation.token };
    }
  }

  #nextNumber(key: string): number {
    const former = this.releases.get(key)?.observation;
    return former?.state === 'present' ? former.revision + 1 : 1;
  }

  #componentOf(action: Extract<Action, { kind: 'deliver' }>): RevisionComponent | undefined {
    const revision = this.#revision(action.revision);
    return revision === undefined ? undefined : everyMember(revision).find(({ name }) => name === action.component);
  }

  #tokenOf({ revision, component, attempt }: Extract<Action, { kind: 'deliver' }>): string {
    const packageUid = this.pkg.metadata.uid ?? '';
    return attemptToken({ packageUid, revisionUid: this.#revision(revision)?.metadata.uid ?? '', component, attempt });
  }

  #revision(name: string): PackageRevision | undefined {
    return this.revisions.find((revision) => revision.metadata.name === name);
  }

  #deliveryOf(outcome: Outcome, token: string): ReleaseView['delivery'] {
    if (outcome === 'running') return { kind: 'running', token, since: this.now, grantedUntil: this.now };
    if (outcome === 'delivered') return { kind: 'accepted', token };
    return outcome === 'failed' ? this.#failure('HelmFailed', token, false) : this.#failure('ApiConflict', token, true);
  }

  #failure(code: ErrorCode, token: string | undefined, transient: boolean): ReleaseView['delivery'] {
    const retryAt = transient ? this.now + PAUSE_MS : this.now;
    return { kind: 'failed', token, code, message: 'it did not work', retryAt, transient };
  }

  #amend(target: ReleaseTarget, delivery: 'failed'): void {
    const known = this.releases.get(releaseKey(target));
    if (known?.observation.state !== 'present') return;
    known.observation = { ...known.observation, delivery };
    known.delivery = { kind: 'none' };
  }

  /** What is stopped leaves its record pending. */
  #stop(target: ReleaseTarget): void {
    const known = this.releases.get(releaseKey(target));
    if (known?.observation.state !== 'present') return;
    known.delivery = this.#failure('HelmKilled', known.observation.token, true);
  }

  /** A process that dies forgets what it was doing; its children died with it. */
  crash(): void {
    for (const release of this.releases.values()) release.delivery = { kind: 'none' };
    this.prepared = undefined;
    this.diesBeforeDelivery = false;
    this.watchingSince = this.now;
  }

  deliveries(): readonly string[] {
    return this.actions.flatMap((action) => (action.kind === 'deliver' ? [action.component] : []));
  }
}

/** The charts of a desired state, all of them fetched. */
export function preparationOf({
  hooks,
  components,
  version,
}: DesiredPackage): Extract<World['preparation'], { kind: 'ready' }> {
  const charts = [...hooks, ...components].map(({ name, chart }) => {
    return [name, { ref: chart, digest: `sha256:chart-${name}-${version}` }] as const;
  });
  return { kind: 'ready', charts: Object.fromEntries(charts) };
}
