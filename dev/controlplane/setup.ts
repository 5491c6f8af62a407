import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { ApiAccess } from './api-client.ts';
import type { Authority } from '../../src/lib/tls/certificate.ts';
import { createAuthority } from '../../src/lib/tls/certificate.ts';
import type { Layout } from './components.ts';
import type { ControlPlaneOptions } from './contract.ts';
import type { UserAccess } from './credentials.ts';
import { BUILT_IN_USERS, writeCredentials, writeUsers } from './credentials.ts';
import { freePorts } from './ports.ts';
import type { Binaries } from './prepare.ts';
import { controlPlaneFile } from './project-root.ts';
import { UserError } from './user-error.ts';

/** All that is decided and written before the first process starts. */
export interface Setup {
  readonly layout: Layout;
  readonly authority: Authority;
  readonly url: string;
  readonly access: ApiAccess;
  readonly users: ReadonlyMap<string, UserAccess>;
  readonly env: NodeJS.ProcessEnv;
}

export interface SetupInput {
  readonly dir: string;
  readonly projectRoot: string;
  readonly binaries: Binaries;
  readonly options: ControlPlaneOptions;
}

export async function writeSetup({ dir, projectRoot, binaries, options }: SetupInput): Promise<Setup> {
  const [etcd = 0, etcdPeer = 0, apiServer = 0] = await freePorts(3);
  const authority = createAuthority('kubepkg control plane', Date.now());
  const files = writeCredentials(dir, authority);
  const url = `https://127.0.0.1:${String(apiServer)}`;
  const cluster = { url, ca: authority.certificate };
  const users = writeUsers(dir, [...BUILT_IN_USERS, ...(options.users ?? [])], { tokens: files.tokens, cluster });
  const logs = resolve(options.logDir ?? join(dir, 'logs'));
  mkdirSync(logs, { recursive: true });
  const layout: Layout = {
    dir,
    logs,
    auditLog: options.audit === false ? undefined : join(logs, 'audit.log'),
    ports: { etcd, etcdPeer, apiServer },
    files,
    stages: controlPlaneFile(projectRoot, 'stages'),
    kubeconfigFor: (user) => accessOf(users, user).kubeconfig,
    apiServerArgs: options.apiServerArgs ?? [],
  };
  const access = { ...cluster, token: accessOf(users, 'kubepkg-controlplane').token };
  return { layout, authority, url, access, users, env: clientEnvironment(layout, binaries) };
}

export function accessOf(users: ReadonlyMap<string, UserAccess>, name: string): UserAccess {
  const access = users.get(name);
  if (access !== undefined) return access;
  throw new UserError(
    `The control plane has no user "${name}".`,
    `Pass it in the option "users" at the start. There are: ${[...users.keys()].join(', ')}.`,
  );
}

function clientEnvironment({ dir, files, kubeconfigFor }: Layout, binaries: Binaries): NodeJS.ProcessEnv {
  const helm = join(dir, 'helm');
  const tools = [...new Set([dirname(binaries.helm), dirname(binaries.kubectl)])].filter((folder) =>
    existsSync(folder),
  );
  return {
    ...process.env,
    KUBECONFIG: kubeconfigFor('admin'),
    SSL_CERT_FILE: files.ca,
    HELM_CACHE_HOME: join(helm, 'cache'),
    HELM_CONFIG_HOME: join(helm, 'config'),
    HELM_DATA_HOME: join(helm, 'data'),
    PATH: [...tools, process.env['PATH'] ?? ''].join(delimiter),
  };
}
