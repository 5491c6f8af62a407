import type { KubeObject, ObjectRef } from '../../src/api/kube.ts';
import { createFluxBackend } from '../../src/backends/flux/backend.ts';
import { CONTROLLER_FINALIZER, HELM_RELEASE, HELM_REPOSITORY, OCI_REPOSITORY } from '../../src/backends/flux/names.ts';
import type { ChartLocation } from '../../src/helm/chart-location.ts';
import { asArray, asString, at, isRecord } from '../../src/lib/json.ts';
import type {
  Backend,
  BackendAction,
  PresentRelease,
  ReleaseObservation,
  SubmitOutcome,
} from '../../src/ports/backend.ts';
import type { Command, CommandResult } from '../../src/ports/process.ts';
import { releaseSecret, TARGET } from '../build/helm-release.ts';
import { VirtualClock } from './clock.ts';
import { MemoryCluster } from './memory-cluster.ts';

export const RELEASE_REF: ObjectRef = { ...HELM_RELEASE, namespace: TARGET.namespace, name: TARGET.releaseName };
const RENDERED = '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n';

/** The Flux backend in a cluster without a network, with a helm-controller that does no more than a removal needs. */
export class FluxScene {
  readonly cluster = new MemoryCluster();
  readonly clock = new VirtualClock();
  readonly backend: Backend;
  location: ChartLocation = {
    kind: 'oci',
    repository: 'oci://registry.example.com/charts/web',
    version: '1.0.0',
    manifestDigest: `sha256:${'a1'.repeat(32)}`,
  };
  /** How helm ends that renders the chart. */
  rendering: CommandResult = { exitCode: 0, stdout: RENDERED, stderr: '' };
  /** What helm was asked, in order. */
  readonly commands: string[] = [];
  /** helm-controller is down. */
  isDown = false;
  /** What it does to the release of a HelmRelease that is deleted. */
  uninstall: () => void = () => undefined;

  constructor(tempDir: string, options: { readonly isInstalled?: boolean } = {}) {
    const kinds = options.isInstalled === false ? [] : [HELM_RELEASE, HELM_REPOSITORY, OCI_REPOSITORY];
    for (const { apiVersion, kind } of kinds) this.cluster.serve(apiVersion, kind);
    this.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TARGET.namespace } });
    this.cluster.changed = (_before, object, gone) => {
      if (object.kind !== HELM_RELEASE.kind || gone) return;
      queueMicrotask(() => {
        this.#control();
      });
    };
    this.backend = createFluxBackend({
      cluster: this.cluster,
      runner: { run: (command) => this.#run(command) },
      helm: { binary: 'helm', environment: {} },
      tempDir,
      clock: this.clock,
      charts: { locate: () => Promise.resolve(this.location), refuses: () => undefined },
      options: { pullSecret: 'pull' },
    });
  }

  get helmRelease(): KubeObject {
    const object = this.cluster.get(RELEASE_REF);
    if (object === undefined) throw new Error('there is no HelmRelease');
    return object;
  }

  /** So many times helm-controller writes a status at the very moment of a write like this. */
  disturb(line: string, times: number): void {
    const seen: string[] = [];
    this.cluster.before = (request) => {
      if (!request.line.startsWith(line) || seen.length === times) return;
      seen.push(request.line);
      const status = isRecord(this.helmRelease['status']) ? this.helmRelease['status'] : {};
      this.cluster.put({ ...this.helmRelease, status: { ...status, seen: [...seen] } });
    };
  }

  observe(): Promise<ReleaseObservation> {
    return this.backend.observe(TARGET);
  }

  async present(): Promise<PresentRelease> {
    const observed = await this.observe();
    if (observed.state !== 'present') throw new Error(observed.state);
    return observed;
  }

  submit(action: BackendAction, signal = new AbortController().signal): Promise<SubmitOutcome> {
    return this.backend.submit(action, signal);
  }

  /** One step of the removal; gives how it ended. */
  async remove(keepData = false): Promise<string> {
    const outcome = await this.submit({ kind: 'uninstall', target: TARGET, observed: await this.present(), keepData });
    return outcome.kind === 'accepted' ? 'accepted' : outcome.error.code;
  }

  /** What helm-controller leaves of a release whose history is kept. */
  leaveUninstalled(manifest: string): void {
    this.cluster.put(releaseSecret({ revision: 2, status: 'uninstalled', labels: {}, manifest }));
  }

  #run({ args }: Command): Promise<CommandResult> {
    this.commands.push(args.join(' '));
    const result = args[0] === 'version' ? { exitCode: 0, stdout: 'v4.1.4', stderr: '' } : this.rendering;
    return Promise.resolve(result);
  }

  #control(): void {
    const object = this.cluster.get(RELEASE_REF);
    if (object === undefined || this.isDown) return;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined) {
      this.#holdBack(object);
    } else if (finalizers.includes(CONTROLLER_FINALIZER)) {
      this.uninstall();
      const others = finalizers.filter((finalizer) => finalizer !== CONTROLLER_FINALIZER);
      this.cluster.put({ ...object, metadata: { ...object.metadata, finalizers: others } });
    }
  }

  /** The first thing that it looks at in every turn. */
  #holdBack(object: KubeObject): void {
    const dependency = asString(at(asArray(at(object, 'spec', 'dependsOn'))[0], 'name'));
    if (dependency === undefined) return;
    const status = isRecord(object['status']) ? object['status'] : {};
    const message = `unable to get '${TARGET.namespace}/${dependency}' dependency: not found`;
    const conditions = [{ type: 'Ready', status: 'False', reason: 'DependencyNotReady', message }];
    this.cluster.put({ ...object, status: { ...status, conditions } });
  }
}
