import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isCode } from '../../../../src/api/errors.ts';
import type { KubeObject, ObjectRef } from '../../../../src/api/kube.ts';
import { at } from '../../../../src/lib/json.ts';
import type { Cluster, Subscription, WatchEvent } from '../../../../src/ports/cluster.ts';
import type { Clock, Timer } from '../../../../src/ports/system.ts';
import type { Recorder } from './recorder.ts';

export interface WorldOptions {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Of the scenario's objects. */
  readonly namespace: string;
  /** What the host and folder of the traces' charts are here: `127.0.0.1:1234/traces`. */
  readonly charts: string;
  readonly chartFolder: string;
  readonly helm: string;
  readonly kubectl: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface HelmRun {
  readonly exitCode: number;
  readonly stderr: string;
}

const PATIENCE_MS = 30_000;
const CHARTS = fileURLToPath(new URL('../../../fixtures/flux-charts/', import.meta.url));

/** What the driver of a scenario can do. */
export class TraceWorld {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly namespace: string;
  readonly #options: WorldOptions;
  #lastHelm: HelmRun = { exitCode: 0, stderr: '' };

  constructor(options: WorldOptions) {
    this.#options = options;
    this.cluster = options.cluster;
    this.recorder = options.recorder;
    this.namespace = options.namespace;
  }

  get lastHelm(): HelmRun {
    return this.#lastHelm;
  }

  /** A text of a trace, with this run's namespace and registry. */
  local<T>(value: T): T {
    const text = JSON.stringify(value)
      .replaceAll('127.0.0.1:5002/charts', this.#options.charts)
      .replace(/"s\d\d-target"/g, `"${this.namespace}-target"`);
    return JSON.parse(text) as T;
  }

  ref(apiVersion: string, kind: string, name: string): ObjectRef {
    return { apiVersion, kind, namespace: this.namespace, name };
  }

  async create(
    apiVersion: string,
    kind: string,
    fields: { readonly name: string; readonly [field: string]: unknown },
  ): Promise<void> {
    const { name, ...rest } = fields;
    const object: KubeObject = { apiVersion, kind, metadata: { namespace: this.namespace, name }, ...rest };
    await this.cluster.write({ verb: 'create', object });
  }

  /** Once it is there, as the traces do not say of every object when that is. */
  async patch(ref: ObjectRef, patch: unknown, subresource?: string): Promise<void> {
    await this.until(ref, () => true);
    await this.cluster.write({
      verb: 'merge-patch',
      ref,
      patch,
      ...(subresource === undefined ? {} : { subresource }),
    });
  }

  /** Resolves once the object is there and is so. */
  until(ref: ObjectRef, isMet: (object: KubeObject) => boolean): Promise<void> {
    return this.#untilEvent(ref, (event) => event.type === 'set' && isMet(event.object));
  }

  async untilGone(ref: ObjectRef): Promise<void> {
    let isListed = false;
    await this.#untilEvent(ref, (event) => {
      if (event.type === 'set') isListed = true;
      return event.type === 'gone' || (event.type === 'synced' && !isListed);
    });
  }

  async #untilEvent(ref: ObjectRef, isMet: (event: WatchEvent) => boolean): Promise<void> {
    const { apiVersion, kind, namespace = '', name } = ref;
    let subscription: Subscription | undefined;
    let timer: Timer | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const late = new Error(`${kind} ${name} did not become what it was waited for`);
        timer = this.#options.clock.after(PATIENCE_MS, () => reject(late));
        subscription = this.cluster.watch({ apiVersion, kind, namespace }, (event) => {
          const isOfOther = 'object' in event && event.object.metadata.name !== name;
          if (!isOfOther && isMet(event)) resolve();
        });
      });
    } finally {
      subscription?.stop();
      timer?.cancel();
    }
  }

  async remove(ref: ObjectRef): Promise<void> {
    await this.cluster.write({ verb: 'delete', ref });
  }

  async isThere(ref: ObjectRef): Promise<boolean> {
    return (await this.cluster.read(ref)) !== undefined;
  }

  async createNamespace(name: string): Promise<void> {
    await this.cluster.write({ verb: 'create', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
  }

  /** With the chart of the traces, which is the newer one of two. */
  async runHelm(args: readonly string[]): Promise<void> {
    try {
      await promisify(execFile)(this.#options.helm, this.#helmArgs(args), { env: this.#options.env });
      this.#lastHelm = { exitCode: 0, stderr: '' };
    } catch (error) {
      const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string };
      this.#lastHelm = { exitCode: typeof code === 'number' ? code : 1, stderr };
    }
  }

  async userValues(release: string): Promise<unknown> {
    const args = ['get', 'values', release, '-o', 'json', '--namespace', this.namespace];
    const { stdout } = await promisify(execFile)(this.#options.helm, args, { env: this.#options.env });
    return JSON.parse(stdout) as unknown;
  }

  /** Ends it with SIGKILL once it has written its objects, and waits. */
  async killHelm(args: readonly string[], release: string): Promise<void> {
    const child = spawn(this.#options.helm, this.#helmArgs(args), { env: this.#options.env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const deployment = this.ref('apps/v1', 'Deployment', release);
    const path = ['spec', 'template', 'metadata', 'annotations', 'msg'];
    try {
      await this.until(deployment, (object) => at(object, ...path) === 'hand2');
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  }

  async kubectl(args: readonly string[], object?: unknown): Promise<string> {
    const running = promisify(execFile)(this.#options.kubectl, [...args, '--namespace', this.namespace], {
      env: this.#options.env,
    });
    if (object !== undefined) running.child.stdin?.end(JSON.stringify(object));
    return (await running).stdout;
  }

  /** Packs a chart of the traces, changed if need be, and pushes it. */
  async push(
    name: string,
    change: { readonly version?: string; readonly appVersion?: string; readonly msg?: string } = {},
  ): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-chart-'));
    cpSync(join(CHARTS, name), join(folder, name), { recursive: true });
    rewrite(join(folder, name, 'Chart.yaml'), (text) =>
      text
        .replace(/^version:.*$/m, `version: ${change.version ?? '1.0.0'}`)
        .replace(/^appVersion:.*$/m, `appVersion: "${change.appVersion ?? '1.0'}"`),
    );
    if (change.msg !== undefined) rewrite(join(folder, name, 'values.yaml'), () => `msg: ${change.msg ?? ''}\n`);
    const { env, helm, charts } = this.#options;
    await promisify(execFile)(helm, ['package', join(folder, name), '--destination', folder], { env });
    const archive = join(folder, `${name}-${change.version ?? '1.0.0'}.tgz`);
    await promisify(execFile)(helm, ['push', archive, `oci://${charts}`, '--ca-file', env['SSL_CERT_FILE'] ?? ''], {
      env,
    });
  }

  /** The pod of a Job ends with a failure, without having run. */
  async failPodOf(job: string): Promise<void> {
    const selection = { apiVersion: 'v1', kind: 'Pod', namespace: this.namespace, labelSelector: `job-name=${job}` };
    const { items } = await this.cluster.list(selection);
    for (const { metadata } of items) {
      await this.patch(this.ref('v1', 'Pod', metadata.name), { status: { phase: 'Failed' } }, 'status');
    }
  }

  async deletePods(): Promise<void> {
    const { items } = await this.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: this.namespace });
    for (const { metadata } of items) {
      try {
        await this.remove(this.ref('v1', 'Pod', metadata.name));
      } catch (error) {
        if (!isCode(error, 'ApiNotFound')) throw error;
      }
    }
  }

  #helmArgs(args: readonly string[]): readonly string[] {
    const local = args.map((arg) => (arg === 'charts/web' ? this.#options.chartFolder : arg));
    return [...local, '--namespace', this.namespace];
  }
}

export function newerWeb(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trace-chart-'));
  cpSync(join(CHARTS, 'web'), folder, { recursive: true });
  rewrite(join(folder, 'Chart.yaml'), (text) =>
    text.replace('version: 1.0.0', 'version: 1.1.0').replace('"1.0"', '"1.1"'),
  );
  return folder;
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
