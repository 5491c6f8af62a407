import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ControlPlane } from '../../../dev/controlplane/contract.ts';
import { startControlPlane } from '../../../dev/controlplane/control-plane.ts';
import type { User } from '../../../dev/controlplane/credentials.ts';
import { createCluster } from '../../../src/adapters/kube/create-cluster.ts';
import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import { pushTree } from '../../../src/adapters/oci/index.ts';
import { customResourceDefinitions } from '../../../src/api/crd.ts';
import type { Condition, KubeObject } from '../../../src/api/kube.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import type { PackageStatus, WrittenPackageSpec } from '../../../src/api/package.ts';
import type { PackageRevision } from '../../../src/api/package-revision.ts';
import type { WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import { createClock } from '../../../src/compose/clock.ts';
import type { AuditEvent, BackendName, Ground, TestedBackend } from './backends/backend.ts';
import { startHelm } from './backends/helm.ts';
import { planeOptionsOf, startBackend } from './backends/start.ts';
import { type ChartFiles, writeTree } from './charts.ts';
import { startEmbeddedPlane } from './embedded-plane.ts';
import type { Plane } from './plane.ts';

/** What an operator serves, and one inside of another command does not. */
const NOT_LOCAL = ['--metrics-bind-address', '0', '--health-probe-bind-address', '0'];
const PROGRAM = join(process.cwd(), 'dist', 'kubepkg.js');

export type PackageObject = KubeObject & { readonly status?: PackageStatus };

export interface OperatorOptions {
  readonly workers?: number;
  /** Another way to the API server than the straight one. */
  readonly kubeconfig?: string;
  /** Without the Lease nobody waits for the end of a dead one's. */
  readonly leaderElect?: boolean;
}

export interface WorldOptions {
  readonly audit?: boolean;
  /** What the operator delivers with; helm when left out. */
  readonly backend?: BackendName;
  /** The operator is one inside of another command. */
  readonly local?: boolean;
  /** Beside the one that may do everything; these may do what the test lets them. */
  readonly users?: readonly User[];
}

/** A control plane of its own, with the CRDs, a registry, and an operator that can be killed. */
export class OperatorWorld<P extends Plane = Plane> {
  readonly plane: P;
  readonly cluster: KubeClient;
  readonly dir: string;
  readonly backend: TestedBackend;
  readonly lines: string[] = [];
  readonly #local: boolean;
  #operator: ChildProcess | undefined;

  private constructor(ground: Ground<P>, backend: TestedBackend, local: boolean) {
    this.#local = local;
    this.plane = ground.plane;
    this.cluster = ground.cluster;
    this.dir = ground.dir;
    this.backend = backend;
  }

  static async start({
    audit = true,
    backend: name = 'helm',
    users: others = [],
    local = false,
  }: WorldOptions = {}): Promise<OperatorWorld<ControlPlane>> {
    const { users: controllers, ...parts } = planeOptionsOf(name);
    const users = [{ name: 'kubepkg', groups: ['system:masters'] }, ...controllers, ...others];
    const plane = await startControlPlane({ registry: true, users, audit, ...parts });
    const ground = await groundOn(plane);
    const world = new OperatorWorld(ground, await startBackend(name, ground), local);
    await world.#furnish();
    return world;
  }

  /** On the embedded cluster, in this process; the operator delivers by itself. */
  static async startEmbedded(): Promise<OperatorWorld> {
    const ground = await groundOn(await startEmbeddedPlane());
    const world = new OperatorWorld(ground, await startHelm(ground), false);
    await world.#furnish();
    return world;
  }

  async #furnish(): Promise<void> {
    const { cluster } = this;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubepkg-system' } };
    await cluster.write({ verb: 'create', object: namespace });
    for (const object of customResourceDefinitions()) await cluster.write({ verb: 'apply', object, force: true });
    await Promise.all(
      customResourceDefinitions().map(({ metadata }) =>
        this.until('apiextensions.k8s.io/v1', 'CustomResourceDefinition', metadata.name, (crd) =>
          hasCondition(crd, 'Established'),
        ),
      ),
    );
  }

  async stop(): Promise<void> {
    await this.killOperator('SIGKILL');
    await this.backend.close();
    this.cluster.close();
    await this.plane.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Resolves once the operator leads. */
  async startOperator({ workers, kubeconfig, leaderElect = true }: OperatorOptions = {}): Promise<void> {
    const args = this.#local ? ['watch', '--local'] : ['operator', ...NOT_LOCAL];
    args.push('--kubeconfig', kubeconfig ?? this.plane.kubeconfigFor('kubepkg'));
    args.push('--backend', this.backend.name, ...this.backend.flags, '--helm', this.plane.binaries.helm);
    if (!leaderElect) args.push('--leader-elect=false');
    args.push('--registry-ca-file', this.plane.caFile, '--cache-dir', join(this.dir, 'cache'));
    args.push('--log-format', 'json', '--log-level', 'debug');
    if (workers !== undefined) args.push('--package-workers', String(workers));
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: this.#operatorEnv(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#operator = child;
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        this.lines.push(line);
        if (line.includes('everything is read')) resolve();
      });
      child.once('exit', (code) => {
        reject(new Error(`the operator ended with ${String(code)}: ${this.lines.slice(-5).join('\n')}`));
      });
    });
  }

  #operatorEnv(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: this.dir, TMPDIR: this.dir };
  }

  get operatorPid(): number | undefined {
    return this.#operator?.pid;
  }

  /** It was started, and is gone although nobody has killed it. */
  get hasOperatorEnded(): boolean {
    const child = this.#operator;
    return child !== undefined && (child.exitCode !== null || child.signalCode !== null);
  }

  /** Resolves once the operator that runs now is gone, for whatever reason. */
  async operatorEnd(): Promise<void> {
    const child = this.#operator;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await once(child, 'exit');
  }

  /** Resolves once the process is gone, with its exit code. */
  async killOperator(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#operator;
    this.#operator = undefined;
    if (child === undefined) return null;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.exitCode;
  }

  /** Pushes a tree of charts; gives its reference by digest. */
  async push(name: string, charts: Readonly<Record<string, ChartFiles>>): Promise<string> {
    const dir = await writeTree(this.dir, charts);
    const reference = `${this.plane.registry?.host ?? ''}/${name}`;
    const { digest } = await pushTree(dir, reference, { caFile: this.plane.caFile, env: {} });
    return `oci://${reference}@${digest}`;
  }

  async applySource(name: string, spec: WrittenPackageSourceSpec): Promise<void> {
    await this.#apply('PackageSource', name, spec);
  }

  async applyPackage(name: string, spec: WrittenPackageSpec = {}): Promise<KubeObject> {
    return this.#apply('Package', name, spec);
  }

  #apply(kind: string, name: string, spec: unknown): Promise<KubeObject> {
    return this.cluster.write({
      verb: 'apply',
      force: true,
      object: { apiVersion: API_VERSION, kind, metadata: { name }, spec },
    });
  }

  /** The package once a predicate holds for it; learns of it by watching. */
  async untilPackage(name: string, holds: (pkg: PackageObject) => boolean): Promise<PackageObject> {
    return this.until(API_VERSION, 'Package', name, holds);
  }

  async untilRevision(name: string, holds: (revision: PackageRevision) => boolean): Promise<PackageRevision> {
    const found = await this.until(API_VERSION, 'PackageRevision', name, (object) =>
      holds(object as unknown as PackageRevision),
    );
    return found as unknown as PackageRevision;
  }

  until(apiVersion: string, kind: string, name: string, holds: (object: KubeObject) => boolean): Promise<KubeObject> {
    return new Promise((resolve) => {
      const selection = { apiVersion, kind, fieldSelector: `metadata.name=${name}` };
      const subscription = this.cluster.watch(selection, (event) => {
        if (event.type !== 'set' || !holds(event.object)) return;
        queueMicrotask(() => {
          subscription.stop();
        });
        resolve(event.object);
      });
    });
  }

  /** Resolves once there is no such object. */
  gone(apiVersion: string, kind: string, name: string): Promise<void> {
    return new Promise((resolve) => {
      let exists = false;
      const selection = { apiVersion, kind, fieldSelector: `metadata.name=${name}` };
      const subscription = this.cluster.watch(selection, ({ type }) => {
        if (type === 'set') exists = true;
        if (type === 'gone') exists = false;
        if (exists || type === 'set' || type === 'disturbed') return;
        queueMicrotask(() => {
          subscription.stop();
        });
        resolve();
      });
    });
  }

  async revisions(pkg: string): Promise<readonly PackageRevision[]> {
    const { items } = await this.cluster.list({
      apiVersion: API_VERSION,
      kind: 'PackageRevision',
      labelSelector: `kubepkg.dev/package=${pkg}`,
    });
    return (items as unknown as PackageRevision[]).sort((a, b) => a.spec.revision - b.spec.revision);
  }

  /** Helm's records of a release, oldest first. */
  async records(namespace: string, release: string): Promise<readonly KubeObject[]> {
    const labelSelector = `owner=helm,name=${release}`;
    const { items } = await this.cluster.list({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      labelSelector,
      metadataOnly: true,
    });
    return [...items].sort((a, b) => Number(a.metadata.labels?.version) - Number(b.metadata.labels?.version));
  }

  /** What the API server was asked by the operator and its children since a moment (milliseconds since the epoch). */
  requests(since: number): Promise<readonly AuditEvent[]> {
    return this.#requestsOf(['kubepkg'], since);
  }

  /** What the operator, or a controller that delivers for it, has asked the API server to change; dry runs are none. */
  async writes(since: number): Promise<readonly AuditEvent[]> {
    const requests = await this.#requestsOf(['kubepkg', ...this.backend.controllers], since);
    return requests.filter(
      ({ verb, requestURI }) => !['get', 'list', 'watch'].includes(verb) && !/[?&]dryRun=/.test(requestURI),
    );
  }

  async #requestsOf(users: readonly string[], since: number): Promise<readonly AuditEvent[]> {
    const text = await readFile(this.plane.auditLog ?? '', 'utf8');
    // The last line may not be complete yet; most others are of somebody else, and parsing them would take long.
    const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
    const events = lines.filter((line) => users.some((user) => line.includes(`"username":"${user}"`)));
    return events
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter((event) => Date.parse(event.requestReceivedTimestamp) >= since);
  }
}

async function groundOn<P extends Plane>(plane: P): Promise<Ground<P>> {
  const cluster = createCluster({
    clock: createClock(),
    env: { KUBECONFIG: plane.kubeconfig },
    userAgent: 'kubepkg-test',
  });
  return { plane, cluster, dir: await mkdtemp(join(tmpdir(), 'kubepkg-e2e-')) };
}

export function condition(object: KubeObject, type: string): Condition | undefined {
  const status = object.status as { readonly conditions?: readonly Condition[] } | undefined;
  return status?.conditions?.find((candidate) => candidate.type === type);
}

function hasCondition(object: KubeObject, type: string): boolean {
  return condition(object, type)?.status === 'True';
}

/** Ready, and about the newest spec. */
export function isReady(pkg: PackageObject): boolean {
  const ready = condition(pkg, 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === pkg.metadata.generation;
}

export function hasReason(reason: string): (pkg: PackageObject) => boolean {
  return (pkg) =>
    condition(pkg, 'Ready')?.reason === reason &&
    condition(pkg, 'Ready')?.observedGeneration === pkg.metadata.generation;
}
