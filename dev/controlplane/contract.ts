import type { NodeSpec } from './cluster-objects.ts';
import type { ComponentName } from './components.ts';
import type { User } from './credentials.ts';
import type { PartName } from './pins.ts';
import type { Binaries, Progress } from './prepare.ts';

export type ArgocdProcess = 'redis' | 'argocd-repo-server' | 'argocd-application-controller';

export type FluxProcess = 'source-controller';

export type ProcessName = ComponentName | 'registry' | ArgocdProcess | FluxProcess;

export interface RegistryOptions {
  /** Asks for the user and password in `Registry.basicAuth`. */
  readonly basicAuth?: boolean;
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

export interface Registry {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** `localhost:PORT`, for Argo CD: it takes an address that starts with a digit for no registry. */
  readonly hostByName: string;
  readonly caFile: string;
  readonly dir: string;
  readonly basicAuth?: BasicAuth;
}

export interface ControlPlaneOptions {
  readonly projectRoot?: string;
  /** Made by `prepare`, which is called first for what is missing. */
  readonly binaries?: Partial<Binaries<PartName>>;
  /** Further users, each with a token and a kubeconfig file; without RBAC rules they may do nothing. */
  readonly users?: readonly User[];
  /** How many fake nodes, or which. One when left out. */
  readonly nodes?: number | readonly NodeSpec[];
  readonly registry?: boolean | RegistryOptions;
  /** Argo CD's application controller and repo server, with a Redis. */
  readonly argocd?: boolean;
  /** The definitions of Flux, and its source-controller. */
  readonly flux?: boolean;
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
  readonly argocd: { readonly namespace: string } | undefined;
  readonly flux: { readonly namespace: string } | undefined;
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
  /** Ends it as a crash would, and leaves it so; returns when it is gone. */
  kill(name: ProcessName): Promise<void>;
  /** Kills it if it runs, and returns when a new one can be used, at the same address and with the same data. */
  restart(name: ProcessName): Promise<void>;
  /** As a lost node and a returned one; the latter restores the pods' readiness, as a kubelet would. */
  setNodeReady(node: string, ready: boolean): Promise<void>;
  stop(): Promise<void>;
}
