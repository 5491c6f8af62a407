import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubepkgError } from '../../src/api/errors.ts';
import type { KubeObject, ObjectRef } from '../../src/api/kube.ts';
import { applicationRef } from '../../src/backends/argocd/application.ts';
import { createArgoCdBackend } from '../../src/backends/argocd/backend.ts';
import type { ArgoCdOptions } from '../../src/backends/argocd/tools.ts';
import type { Backend, BackendAction, PresentRelease, ReleaseTarget } from '../../src/ports/backend.ts';
import type { Command, CommandResult } from '../../src/ports/process.ts';
import { VirtualClock } from '../fakes/clock.ts';
import { MemoryCluster } from '../fakes/memory-cluster.ts';
import { LOCATION, NOW, OPTIONS } from './argocd.ts';
import { TARGET } from './helm-release.ts';

const NO_ABORT = new AbortController().signal;
const CRD_VERSION = {
  name: 'v1alpha1',
  served: true,
  schema: {
    openAPIV3Schema: {
      properties: {
        spec: {
          properties: {
            source: {
              properties: { helm: { properties: { valuesObject: {}, skipSchemaValidation: {}, skipTests: {} } } },
            },
            syncPolicy: { properties: { automated: { properties: { enabled: {} } } } },
          },
        },
      },
    },
  },
};

/** The backend on a cluster in memory that has Argo CD's kinds and none of its controllers; helm renders what it is told. */
export class ArgoCdWorld {
  readonly cluster = new MemoryCluster();
  readonly clock = new VirtualClock({ now: NOW });
  readonly commands: Command[] = [];
  /** What helm answers when it is asked to render. */
  rendered: Partial<CommandResult> = { stdout: '' };
  readonly backend: Backend;

  constructor(options: Partial<ArgoCdOptions> = {}) {
    this.cluster.serveWhole('argoproj.io/v1alpha1', 'Application');
    this.cluster.serve('argoproj.io/v1alpha1', 'AppProject');
    for (const name of ['argocd', TARGET.namespace]) {
      this.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    this.backend = createArgoCdBackend({
      cluster: this.cluster,
      runner: { run: (command) => Promise.resolve(this.#answer(command)) },
      helm: { binary: 'helm', environment: {} },
      tempDir: join(tmpdir(), 'kubepkg-argocd-world'),
      clock: this.clock,
      charts: { refuses: () => undefined, locate: () => Promise.resolve(LOCATION) },
      options: { ...OPTIONS, ...options },
    });
  }

  /** What Argo CD installs, as far as kubepkg looks at it. */
  install(version: Readonly<Record<string, unknown>> = {}): void {
    this.cluster.put({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'applications.argoproj.io' },
      spec: { versions: [{ ...CRD_VERSION, ...version }] },
    });
    this.cluster.put({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default', namespace: 'argocd' },
    });
  }

  put(object: KubeObject): KubeObject {
    return this.cluster.put(object);
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.cluster.get(ref);
  }

  application(target: ReleaseTarget = TARGET): KubeObject | undefined {
    return this.cluster.get(applicationRef(target, OPTIONS.namespace));
  }

  async present(target: ReleaseTarget = TARGET): Promise<PresentRelease> {
    const observed = await this.backend.observe(target);
    if (observed.state !== 'present') throw new Error(observed.state);
    return observed;
  }

  /** `accepted`, or how it was refused or failed. */
  async submit(action: BackendAction): Promise<string> {
    const outcome = await this.backend.submit(action, NO_ABORT);
    return outcome.kind === 'accepted' ? 'accepted' : `${outcome.kind} ${outcome.error.code}`;
  }

  #answer(command: Command): CommandResult {
    if (command.args[0] === 'version') return { exitCode: 0, stdout: 'v4.1.4', stderr: '' };
    if (command.args[0] !== 'template') throw new KubepkgError('Internal', `helm ${command.args.join(' ')}`);
    this.commands.push(command);
    return { exitCode: 0, stdout: '', stderr: '', ...this.rendered };
  }
}
