import type { NodeSpec } from './cluster-objects.ts';
import type { ComponentName } from './components.ts';
import type { User } from './credentials.ts';
import type { Binaries, Progress } from './prepare.ts';
import type { Registry, RegistryOptions } from './registry.ts';

export type ProcessName = ComponentName | 'registry';

export interface ControlPlaneOptions {
  readonly projectRoot?: string;
  /** Made by `prepare`; without them it is called first. */
  readonly binaries?: Binaries;
  /** Further users, each with a token and a kubeconfig file; without RBAC rules they may do nothing. */
  readonly users?: readonly User[];
  /** How many fake nodes, or which. One when left out. */
  readonly nodes?: number | readonly NodeSpec[];
  readonly registry?: boolean | RegistryOptions;
  /** Every request at level Metadata. On when left out. */
  readonly audit?: boolean;
  readonly apiServerArgs?: readonly string[];
  /** Keeps the logs there; otherwise they go with everything else. */
  readonly logDir?: string;
  readonly onProgress?: Progress;
}

export interface ControlPlane {
  /** Everything is below it; gone after `stop`. */
  readonly dir: string;
  /** Of the user `admin`, who may do everything. */
  readonly kubeconfig: string;
  readonly url: string;
  /** The authority's certificate as PEM, and where it is; it signed the registry's certificate as well. */
  readonly ca: string;
  readonly caFile: string;
  readonly logs: string;
  readonly auditLog: string | undefined;
  readonly binaries: Binaries;
  readonly registry: Registry | undefined;
  /** For helm and kubectl: KUBECONFIG, SSL_CERT_FILE, PATH with both in front, and helm's folders inside `dir`. */
  readonly env: NodeJS.ProcessEnv;
  readonly supervisorPid: number | undefined;
  readonly startMs: number;
  kubeconfigFor(user: string): string;
  tokenFor(user: string): string;
  pidOf(name: ProcessName): number | undefined;
  /** Kills the API server and returns when a new one answers on the same port. */
  restartApiServer(): Promise<void>;
  pause(name: ProcessName): void;
  resume(name: ProcessName): void;
  /** As a lost node and a returned one; the latter restores the pods' readiness, as a kubelet would. */
  setNodeReady(node: string, ready: boolean): Promise<void>;
  stop(): Promise<void>;
}
