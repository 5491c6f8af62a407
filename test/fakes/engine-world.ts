import type { ErrorCode } from '../../src/api/errors.ts';
import type { KubeObject } from '../../src/api/kube.ts';
import { API_VERSION } from '../../src/api/names.ts';
import type { Package, PackageSpec, PackageStatus } from '../../src/api/package.ts';
import type { PackageSource, SourceComponent } from '../../src/api/package-source.ts';
import { createEngine, type Engine, type TurnResult } from '../../src/engine/engine.ts';
import type { EngineDeps } from '../../src/engine/engine-deps.ts';
import type { Backend } from '../../src/ports/backend.ts';
import { aComponent, aSource } from '../build/objects.ts';
import { rest, VirtualClock } from './clock.ts';
import { MemoryBackend } from './memory-backend.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { ScriptedArtifacts } from './scripted-artifacts.ts';

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

type WorldOptions = Partial<EngineDeps['options']>;

/** `app` needs `store`. */
export const TWO = [aComponent('app', { dependsOn: ['store'] }), aComponent('store')];

/** The real engine over fakes, with a queue that has no timers of its own. */
export class EngineWorld {
  readonly cluster = new MemoryCluster();
  readonly backend = new MemoryBackend(this.cluster);
  /** By id; a test may add others. */
  readonly backends = new Map<string, Backend>([[this.backend.id, this.backend]]);
  readonly artifacts = new ScriptedArtifacts();
  readonly clock = new VirtualClock();
  /** `Normal Progressing …`, one line for each event. */
  readonly events: string[] = [];
  /** How the last turn of each package ended. */
  readonly results = new Map<string, TurnResult>();
  /** Codes of all turns that failed. */
  readonly failures: ErrorCode[] = [];
  engine: Engine;
  readonly #options: WorldOptions;
  readonly #woken = new Set<string>();

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.cluster.now = () => this.clock.now();
    this.engine = createEngine(this.deps());
  }

  deps(): EngineDeps {
    return {
      cluster: this.cluster,
      backends: this.backends,
      artifacts: this.artifacts,
      clock: this.clock,
      log: SILENT,
      recorder: {
        record: (about, { type, reason }) => {
          this.events.push(`${about.metadata.name} ${type} ${reason}`);
        },
      },
      options: { namespace: 'kubepkg-system', defaultBackend: 'helm', deliverySlots: 4, ...this.#options },
    };
  }

  async start(): Promise<void> {
    await this.engine.start((name) => this.#woken.add(name));
  }

  /** The package `shop` of a source that is there, for as long as anything happens. */
  async install(): Promise<void> {
    this.addPackage();
    await this.start();
    await this.settle();
  }

  /** A process that dies forgets everything; what it was doing is never heard of again. */
  async restart(): Promise<void> {
    this.engine.stop();
    this.#woken.clear();
    this.engine = createEngine(this.deps());
    await this.start();
  }

  /** Turns of everybody who was woken, until nobody is. */
  async settle(limit = 200): Promise<void> {
    await rest();
    for (let turn = 0; this.#woken.size > 0; turn += 1) {
      if (turn === limit) throw new Error(`not settled after ${String(limit)} turns: ${[...this.#woken].join(', ')}`);
      const [name = ''] = this.#woken;
      this.#woken.delete(name);
      const result = await this.engine.reconcile(name);
      this.results.set(name, result);
      if (result.kind === 'failed') this.failures.push(result.error.code);
      await rest();
    }
  }

  /** Time passes; those who asked to be looked at again by then are. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    for (const [name, result] of this.results) {
      if (result.kind === 'failed' || (result.kind === 'again' && result.afterMs <= ms)) this.#woken.add(name);
    }
    await this.settle();
  }

  wake(name: string): void {
    this.#woken.add(name);
  }

  addSource(components: readonly SourceComponent[], spec: Partial<PackageSource['spec']> = {}, name = 'shop'): void {
    const { version = '1.0.0' } = spec;
    const sourceRef = { kind: 'OCIArtifact' as const, url: `oci://registry.example.org/${name}:${version}` };
    const { apiVersion, kind, spec: parsed } = aSource(components, { sourceRef, ...spec });
    this.cluster.put({ apiVersion, kind, metadata: { name }, spec: parsed });
  }

  addPackage(spec: Partial<PackageSpec> = {}, metadata: Partial<Package['metadata']> = {}): void {
    const name = metadata.name ?? 'shop';
    this.cluster.put({ apiVersion: API_VERSION, kind: 'Package', metadata: { ...metadata, name }, spec });
  }

  editPackage(spec: Partial<PackageSpec>, metadata: Partial<Package['metadata']> = {}): void {
    const known = this.object('Package', metadata.name ?? 'shop');
    this.cluster.put({ ...known, metadata: { ...known.metadata, ...metadata }, spec });
  }

  object(kind: string, name: string): KubeObject {
    const found = this.cluster.get({ apiVersion: API_VERSION, kind, name });
    if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
    return found;
  }

  statusOf(name = 'shop'): PackageStatus {
    // Written by the engine alone.
    return this.object('Package', name)['status'] ?? {};
  }

  /** `True ReconciliationSucceeded`; undefined while there is no such condition. */
  condition(type: string, name = 'shop'): string | undefined {
    const found = this.statusOf(name).conditions?.find((condition) => condition.type === type);
    return found === undefined ? undefined : `${found.status} ${found.reason}`;
  }

  /** Status and reason of the condition Ready. */
  ready(name = 'shop'): string | undefined {
    return this.condition('Ready', name);
  }

  phases(): readonly unknown[] {
    return this.cluster.all('PackageRevision').map((revision) => {
      const status = revision['status'] as { readonly phase?: string } | undefined;
      return status?.phase;
    });
  }
}

/** With a source of the package `shop`. */
export function shopWorld(): EngineWorld {
  const world = new EngineWorld();
  world.addSource(TWO);
  return world;
}
