/** How to reach one API server, and as whom: what a kubeconfig's context, or the pod's service account, says. */
export interface ClusterAccess {
  /** Base URL; may have a path. */
  readonly server: string;
  /** Namespace of the context. */
  readonly namespace: string;
  /** Where this was read, for messages. */
  readonly origin: string;
  readonly tls: TlsSettings;
  readonly proxyUrl?: string;
  readonly user: UserAccess;
  readonly impersonate?: Impersonation;
}

export interface TlsSettings {
  /** PEM; absent: the system's roots. */
  readonly ca?: string;
  /** Name that the server's certificate is checked against, when not the URL's host. */
  readonly serverName?: string;
  readonly insecure: boolean;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Credentials as written; fixed ones go before an exec plugin, as in kubectl. */
export interface UserAccess {
  readonly certificate?: ClientCertificate;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly token?: string;
  /** Read anew every minute; goes before `token` while it can be read. */
  readonly tokenFile?: string;
  readonly exec?: ExecPlugin;
}

export type ExecInteractiveMode = 'Never' | 'IfAvailable' | 'Always';

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly interactiveMode: ExecInteractiveMode;
  /** `spec.cluster` of KUBERNETES_EXEC_INFO, when the plugin asked for it. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
