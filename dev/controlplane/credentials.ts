import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import type { Authority } from '../../src/lib/tls/certificate.ts';

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface UserAccess {
  readonly token: string;
  readonly kubeconfig: string;
}

const MASTERS = ['system:masters'];

/** Each part has a user of its own, so that the audit log tells who wrote what. */
export const BUILT_IN_USERS = [
  { name: 'admin', groups: MASTERS },
  { name: 'kubepkg-controlplane', groups: MASTERS },
  { name: 'system:kube-controller-manager', groups: MASTERS },
  { name: 'system:kube-scheduler', groups: MASTERS },
  { name: 'kwok', groups: MASTERS },
  { name: 'argocd-application-controller', groups: MASTERS },
  { name: 'source-controller', groups: MASTERS },
] as const satisfies readonly User[];

export interface CredentialFiles {
  readonly ca: string;
  readonly serverCertificate: string;
  readonly serverKey: string;
  readonly signingKey: string;
  readonly signingPublicKey: string;
  readonly tokens: string;
}

export function writeCredentials(dir: string, authority: Authority): CredentialFiles {
  const folder = join(dir, 'pki');
  mkdirSync(folder);
  const server = authority.issue('kube-apiserver');
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const write = (name: string, content: string): string => writePrivate(join(folder, name), content);
  return {
    ca: write('ca.crt', authority.certificate),
    serverCertificate: write('apiserver.crt', server.certificate),
    serverKey: write('apiserver.key', server.key),
    signingKey: write('service-account.key', privateKey),
    signingPublicKey: write('service-account.pub', publicKey),
    tokens: join(folder, 'tokens.csv'),
  };
}

export interface ClusterAddress {
  readonly url: string;
  readonly ca: string;
}

/** One token and one kubeconfig file for each user. The API server reads the tokens only when it starts. */
export function writeUsers(
  dir: string,
  users: readonly User[],
  options: { readonly tokens: string; readonly cluster: ClusterAddress },
): ReadonlyMap<string, UserAccess> {
  const folder = join(dir, 'kubeconfig');
  mkdirSync(folder);
  const access = new Map<string, UserAccess>();
  const rows = users.map(({ name, groups }) => {
    const token = randomBytes(16).toString('hex');
    const file = join(folder, `${name.replace(/[^\w.-]/g, '_')}.yaml`);
    access.set(name, { token, kubeconfig: writePrivate(file, kubeconfig(options.cluster, name, token)) });
    return [token, name, name, (groups ?? []).join(',')].map((field) => `"${field}"`).join(',');
  });
  writePrivate(options.tokens, `${rows.join('\n')}\n`);
  return access;
}

function kubeconfig(cluster: ClusterAddress, user: string, token: string): string {
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'kubepkg',
    clusters: [
      {
        name: 'kubepkg',
        cluster: {
          server: cluster.url,
          'certificate-authority-data': Buffer.from(cluster.ca).toString('base64'),
        },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'kubepkg', context: { cluster: 'kubepkg', user } }],
  });
}

function writePrivate(file: string, content: string): string {
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}
