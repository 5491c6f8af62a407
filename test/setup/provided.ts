/** Beside the administrator: the one kubepkg acts as, so that the audit log tells its writes, and one without rights. */
export const TEST_USERS = [{ name: 'kubepkg', groups: ['system:masters'] }, { name: 'powerless' }] as const;

type TestUser = (typeof TEST_USERS)[number]['name'];

export interface ProvidedRegistry {
  /** `127.0.0.1:PORT`, served over TLS. */
  readonly host: string;
  /** The certificate to trust, as a PEM file. */
  readonly caFile: string;
}

/** What the cluster tests are handed: a running control plane and the programs that belong to it. */
declare module 'vitest' {
  export interface ProvidedContext {
    /** File with the administrator's credentials. */
    kubeconfig: string;
    kubeconfigs: Readonly<Record<TestUser, string>>;
    /** Absolute paths of executables, by name. */
    binaries: Readonly<Record<string, string>>;
    helm: string;
    kubectl: string;
    registry: ProvidedRegistry;
    /** The API server's audit log: one JSON event on each line. */
    auditLog: string;
    /** The environment in which helm and kubectl find all this. */
    commandEnv: Readonly<Record<string, string | undefined>>;
  }
}
