import type { KubeObject } from '../../src/api/kube.ts';
import { ANNOTATION } from '../../src/api/names.ts';
import { parseDuration } from '../../src/lib/duration.ts';
import { treeUrl } from './charts.ts';
import { ordersAt } from './outside/orders.ts';
import { API_VERSIONS, ours } from './places.ts';
import type { Rng } from './prng.ts';
import { type Place, putRecord, recordAt } from './record.ts';
import { SECRET } from './scribe.ts';
import { BACKENDS, type ComponentPlan, type PackagePlan, type VersionPlan } from './universe.ts';
import type { Stage } from './stage.ts';

/** What is wanted of one package at this moment. */
export interface Wish {
  readonly plan: PackagePlan;
  backend: PackagePlan['backend'];
  version: VersionPlan;
  timeout: string;
  suspend: boolean;
  retry: string | undefined;
  atomic: boolean;
  readonly values: Map<string, number>;
  readonly disabled: Set<string>;
  readonly moved: Map<string, string>;
}

/** Gives what was changed, for the trace. */
type Change = (wish: Wish) => string;

const TIMEOUTS = ['1m', '2m', '2m', '5m', '10m', '20m'] as const;

/** The people who edit Packages and sources, at the worst moments. */
export class Editor {
  readonly #world: Stage;
  readonly #wishes: readonly Wish[];
  readonly #rng: Rng;
  /** Longest timeout of a package since a moment, for the checkers. */
  readonly timeouts: { readonly package: string; readonly at: number; readonly ms: number }[] = [];
  /** Versions that somebody allowed to go back over, by package, whenever it was. */
  readonly forced = new Set<string>();
  #retries = 0;

  constructor(world: Stage) {
    this.#world = world;
    this.#rng = world.chaos.rng('editor');
    this.#wishes = world.universe.map((plan, index) => ({
      plan,
      backend: plan.backend,
      version: plan.versions[0],
      timeout: (index === 0 ? world.story?.timeout : undefined) ?? this.#rng.pick(TIMEOUTS),
      suspend: false,
      retry: undefined,
      atomic: !this.#rng.chance(0.15) || world.story !== undefined,
      values: new Map(),
      disabled: new Set(),
      moved: new Map(),
    }));
  }

  /** The first wishes of all packages. */
  begin(): void {
    for (const wish of this.#wishes) {
      this.#writeSource(wish);
      this.#writePackage(wish);
    }
  }

  wishOf(name: string): Wish | undefined {
    return this.#wishes.find(({ plan }) => plan.name === name);
  }

  /** One change by somebody, whatever is going on. */
  edit(): void {
    const wish = this.#rng.pick(this.#wishes);
    if (wish === undefined) return;
    if (wish.suspend && this.#rng.chance(0.5)) this.#change(wish, this.#suspend);
    else this.#change(wish, this.#anyChange());
  }

  /** What a story wants: that version of the first package, or its last release in the hands of somebody else. */
  play(version: number | undefined): void {
    const [wish] = this.#wishes;
    if (wish === undefined) return;
    const next = version === undefined ? undefined : wish.plan.versions[version];
    const last = wish.version.components.at(-1);
    if (next !== undefined) this.#change(wish, () => this.#takeVersion(wish, next));
    else if (last !== undefined) this.#change(wish, () => this.#stealFrom(last));
  }

  /** The next version of everything, as in every package's life. */
  upgradeAll(): void {
    for (const wish of this.#wishes) this.#change(wish, this.#upgrade);
  }

  #change(wish: Wish, change: Change): void {
    this.#world.ledger.reach('edits');
    this.#world.trace.add('EDIT', `${wish.plan.name}: ${change(wish)}`);
  }

  #anyChange(): Change {
    return this.#rng.weighted<Change>([
      [this.#upgrade, 9],
      [this.#changeValues, 3],
      [this.#setRetry, 2],
      [this.#suspend, 2],
      [this.#setTimeout, 2],
      [this.#disable, 1],
      [this.#move, 1],
      [this.#rollBack, 1],
      [this.#force, 1],
      [this.#remove, 0.6],
      [this.#removeAll, 0.3],
      [this.#steal, 0.5],
      [this.#dropSource, 0.3],
      [this.#changeBackend, 0.3],
    ]);
  }

  /** Nobody holds anything back any more, and what is gone for no reason comes back. */
  settle(): void {
    for (const wish of this.#wishes) {
      if (this.#world.cluster.get(ours('PackageSource', wish.plan.name)) === undefined) this.#writeSource(wish);
      if (!wish.suspend && wish.backend === wish.plan.backend) continue;
      if (this.#rng.chance(0.3)) continue;
      wish.suspend = false;
      wish.backend = wish.plan.backend;
      this.#writePackage(wish);
    }
  }

  readonly #upgrade = (wish: Wish): string => {
    const at = wish.plan.versions.indexOf(wish.version);
    const next = wish.plan.versions[at + 1];
    return this.#takeVersion(
      wish,
      next !== undefined && this.#rng.chance(0.7) ? next : this.#rng.pick(wish.plan.versions),
    );
  };

  readonly #changeValues = (wish: Wish): string => {
    const component = this.#anyComponent(wish);
    const value = this.#rng.int(0, 2);
    wish.values.set(component.name, value);
    this.#writePackage(wish);
    return `values of ${component.name}: ${String(value)}`;
  };

  readonly #setRetry = (wish: Wish): string => {
    this.#retries += 1;
    wish.retry = String(this.#retries);
    this.#writePackage(wish);
    return `retry ${wish.retry}`;
  };

  readonly #suspend = (wish: Wish): string => {
    wish.suspend = !wish.suspend;
    this.#writePackage(wish);
    return wish.suspend ? 'suspend' : 'resume';
  };

  readonly #setTimeout = (wish: Wish): string => {
    wish.timeout = this.#rng.pick(TIMEOUTS);
    this.#writePackage(wish);
    return `timeout ${wish.timeout}`;
  };

  readonly #disable = (wish: Wish): string => {
    const { name } = this.#anyComponent(wish);
    if (!wish.disabled.delete(name)) wish.disabled.add(name);
    this.#writePackage(wish);
    return `component ${name} ${wish.disabled.has(name) ? 'disabled' : 'enabled'}`;
  };

  readonly #move = (wish: Wish): string => {
    const { name } = this.#anyComponent(wish);
    if (!wish.moved.delete(name)) wish.moved.set(name, `ns-${wish.plan.name}-c`);
    this.#writePackage(wish);
    return `component ${name} moved to ${wish.moved.get(name) ?? 'its own place'}`;
  };

  readonly #rollBack = (wish: Wish): string => {
    const revision = String(this.#rng.int(1, Math.max(1, this.#world.cluster.all('PackageRevision').length)));
    this.#writePackage(wish, { [ANNOTATION.rollbackTo]: revision });
    return `rollback to ${revision}`;
  };

  /** Consumed by the next way back, which may come at once. */
  readonly #force = (wish: Wish): string => {
    const versions = wish.plan.versions.map(({ version }) => version).filter(() => this.#rng.chance(0.6));
    for (const version of versions) this.forced.add(`${wish.plan.name} ${version}`);
    const rollbackTo = this.#rng.chance(0.5) ? { [ANNOTATION.rollbackTo]: String(this.#rng.int(1, 4)) } : {};
    this.#writePackage(wish, { [ANNOTATION.forceRollback]: versions.join(','), ...rollbackTo });
    return `force rollback over ${versions.join(', ')}${'kubepkg.dev/rollback-to' in rollbackTo ? ', now' : ''}`;
  };

  readonly #remove = (wish: Wish): string => {
    const { name } = wish.plan;
    if (this.#world.cluster.get(ours('Package', name)) === undefined) {
      this.#writeSource(wish);
      this.#writePackage(wish);
      return 'create';
    }
    void this.#world.cluster.write({ verb: 'delete', ref: ours('Package', name) });
    return 'delete';
  };

  readonly #removeAll = (): string => {
    for (const { plan } of this.#wishes) {
      const ref = ours('Package', plan.name);
      if (this.#world.cluster.get(ref) !== undefined) void this.#world.cluster.write({ verb: 'delete', ref });
    }
    return 'delete all packages';
  };

  /** A release of somebody else in the way. */
  readonly #steal = (wish: Wish): string => this.#stealFrom(this.#anyComponent(wish));

  #takeVersion(wish: Wish, version: VersionPlan): string {
    wish.version = version;
    this.#writeSource(wish);
    this.#writePackage(wish);
    return `version ${version.version}`;
  }

  #stealFrom({ namespace, releaseName }: ComponentPlan): string {
    const place = { namespace, releaseName };
    if (this.#isTaken(place)) return 'nobody steals anything';
    putRecord(this.#world.cluster, place, {
      by: 'helm',
      package: undefined,
      component: releaseName,
      content: '',
      values: {},
      revision: 1,
      token: undefined,
      digest: undefined,
      delivery: 'delivered',
      everDelivered: true,
      message: 'it is deployed',
      inventory: [],
      planned: [],
      touched: [],
    });
    return `somebody else installs release ${namespace}/${releaseName}`;
  }

  /** Refused while the package is there; taken back sooner or later. */
  readonly #changeBackend = (wish: Wish): string => {
    wish.backend = wish.backend === wish.plan.backend ? this.#rng.pick(BACKENDS) : wish.plan.backend;
    this.#writePackage(wish);
    return `backend ${wish.backend ?? 'by default'}`;
  };

  readonly #dropSource = (wish: Wish): string => {
    const ref = ours('PackageSource', wish.plan.name);
    if (this.#world.cluster.get(ref) === undefined) {
      this.#writeSource(wish);
      return 'source is back';
    }
    this.#world.cluster.remove(ref);
    return 'source removed';
  };

  /** Something is there, or a controller has been told to put it there. */
  #isTaken(place: Place): boolean {
    const { cluster } = this.#world;
    if (recordAt(cluster, place) !== undefined) return true;
    return ordersAt(cluster, place).length > 0;
  }

  #anyComponent({ version }: Wish): ComponentPlan {
    const found = this.#rng.pick(version.components);
    if (found === undefined) throw new Error(`version ${version.version} has no components`);
    return found;
  }

  #writeSource({ plan, version }: Wish): void {
    const components = version.components.map((component) => ({
      name: component.name,
      path: component.name,
      install: {
        namespace: component.namespace,
        releaseName: component.releaseName,
        dependsOn: component.dependsOn,
        ...(component.hook ? { phase: 'PreUpgrade' } : {}),
        ...readyWhenOf(component),
      },
    }));
    this.#put(ours('PackageSource', plan.name), {
      version: version.version,
      rollback: { safe: version.safe },
      sourceRef: { kind: 'OCIArtifact', url: treeUrl(plan.name, version.version) },
      variants: [{ name: 'default', requires: plan.requires, components }],
    });
  }

  #writePackage(wish: Wish, asked: Readonly<Record<string, string>> = {}): void {
    const { plan, version } = wish;
    const components = Object.fromEntries(version.components.map(({ name }) => [name, overrideOf(wish, name)]));
    const ms = parseDuration(wish.timeout) ?? 0;
    this.timeouts.push({ package: plan.name, at: this.#world.scheduler.now(), ms });
    const spec = {
      components,
      ...(wish.backend === undefined ? {} : { backend: wish.backend }),
      upgrade: { timeout: wish.timeout, atomic: wish.atomic },
      ...(wish.suspend ? { suspend: true } : {}),
      revisionHistoryLimit: 4,
    };
    const annotations = {
      ...(wish.retry === undefined ? {} : { [ANNOTATION.retry]: wish.retry }),
      ...asked,
    };
    this.#put(ours('Package', plan.name), spec, annotations);
  }

  #put(
    ref: { apiVersion: string; kind: string; name: string },
    spec: unknown,
    annotations: Readonly<Record<string, string>> = {},
  ): void {
    const known = this.#world.cluster.get(ref);
    // A package that is being deleted is left alone; it is created anew later.
    if (known?.metadata.deletionTimestamp !== undefined) return;
    const object: KubeObject = {
      ...known,
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { ...known?.metadata, name: ref.name, annotations: { ...othersOf(known), ...annotations } },
      spec,
    };
    this.#world.cluster.put(object);
  }
}

function readyWhenOf({ chart }: ComponentPlan): { readonly readyWhen?: readonly unknown[] } {
  const widgets = chart.objects.filter(({ kind }) => kind === 'Widget');
  if (widgets.length === 0) return {};
  const entries = widgets.map(({ kind, name }) => ({
    apiVersion: API_VERSIONS.Widget,
    kind,
    name,
    condition: 'Available',
  }));
  return { readyWhen: entries };
}

function overrideOf({ values, disabled, moved }: Wish, name: string): unknown {
  const place = moved.get(name);
  return {
    values: { size: values.get(name) ?? 0, password: `${SECRET}-${name}` },
    ...(disabled.has(name) ? { enabled: false } : {}),
    ...(place === undefined ? {} : { namespace: place }),
  };
}

/** Annotations that people do not write. */
function othersOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  const own: readonly string[] = [ANNOTATION.retry, ANNOTATION.rollbackTo, ANNOTATION.forceRollback];
  return Object.fromEntries(Object.entries(object?.metadata.annotations ?? {}).filter(([name]) => !own.includes(name)));
}
