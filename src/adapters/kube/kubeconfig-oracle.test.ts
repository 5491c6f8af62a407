import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../lib/tls/certificate.ts';
import { writeYaml } from '../../lib/yaml.ts';
import type { ClusterAccess } from './access.ts';
import { findAccess } from './create-cluster.ts';

const DIR = mkdtempSync(join(tmpdir(), 'kubepkg-oracle-'));
const CA = createAuthority('ca', Date.now()).certificate;
const JANE = createAuthority('ca', Date.now()).issue('jane');

writeFileSync(join(DIR, 'ca.pem'), CA);
writeFileSync(join(DIR, 'jane.pem'), JANE.certificate);
writeFileSync(join(DIR, 'jane.key'), JANE.key);

afterAll(() => {
  rmSync(DIR, { recursive: true });
});

type Fields = Readonly<Record<string, unknown>>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
/** Scalars that YAML may take for something else than a string, among them. */
const secret = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom('yes', '0755', '1e3', 'null', '~', '2026-01-02', 'a: b'),
);

const server = fc.oneof(
  word.map((host) => `https://${host}:6443`),
  word.map((path) => `https://h/${path}/`),
  fc.constant('http://127.0.0.1:8001'),
);

const trust: fc.Arbitrary<Fields> = fc.constantFrom(
  {},
  { 'insecure-skip-tls-verify': true },
  { 'insecure-skip-tls-verify': false },
  { 'certificate-authority-data': base64(CA) },
  { 'certificate-authority': 'ca.pem' },
  { 'certificate-authority': join(DIR, 'ca.pem') },
);

const cluster: fc.Arbitrary<Fields> = fc
  .tuple(
    server,
    trust,
    fc.record({ 'tls-server-name': word, 'proxy-url': fc.constant('http://p:3128') }, { requiredKeys: [] }),
  )
  .map(([url, tls, more]) => ({ server: url, ...tls, ...more }));

const certificate: fc.Arbitrary<Fields> = fc.constantFrom(
  {},
  { 'client-certificate': 'jane.pem', 'client-key': './jane.key' },
  { 'client-certificate-data': base64(JANE.certificate), 'client-key-data': base64(JANE.key) },
);

const login: fc.Arbitrary<Fields> = fc.oneof(
  fc.constant({}),
  fc.record({ token: secret }),
  fc.record({ username: secret, password: secret }),
  fc.record({
    exec: fc.record({
      apiVersion: fc.constant('client.authentication.k8s.io/v1'),
      command: word,
      args: fc.array(secret),
      env: fc.array(fc.record({ name: word, value: secret }), { maxLength: 1 }),
      interactiveMode: fc.constant('Never'),
    }),
  }),
);

const user: fc.Arbitrary<Fields> = fc
  .tuple(certificate, login, fc.record({ as: word }, { requiredKeys: [] }))
  .map((parts) => Object.assign({}, ...parts) as Fields);

const config: fc.Arbitrary<Fields> = fc
  .record({
    clusters: fc.uniqueArray(fc.record({ name: word, cluster }), {
      minLength: 1,
      maxLength: 3,
      selector: (c) => c.name,
    }),
    users: fc.uniqueArray(fc.record({ name: word, user }), { minLength: 1, maxLength: 3, selector: (u) => u.name }),
    pick: fc.nat(),
    namespace: fc.option(word, { nil: undefined }),
  })
  .map(({ clusters, users, pick, namespace }) => ({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters,
    users,
    contexts: [
      {
        name: 'main',
        context: {
          cluster: clusters[pick % clusters.length]?.name,
          user: users[pick % users.length]?.name,
          ...(namespace === undefined ? {} : { namespace }),
        },
      },
    ],
  }));

/** What the official client makes of the same file, in our words. */
function official(path: string): Fields {
  const loaded = new KubeConfig();
  loaded.loadFromFile(path);
  const theirCluster = present(loaded.getCurrentCluster());
  const theirUser = present(loaded.getCurrentUser());
  return tidy({
    server: theirCluster.server,
    namespace: loaded.getContextObject('main')?.namespace ?? 'default',
    ca: pem(theirCluster.caData, theirCluster.caFile),
    insecure: theirCluster.skipTLSVerify,
    serverName: theirCluster.tlsServerName,
    proxyUrl: theirCluster.proxyUrl,
    cert: pem(theirUser.certData, theirUser.certFile),
    key: pem(theirUser.keyData, theirUser.keyFile),
    token: theirUser.token,
    username: theirUser.username,
    password: theirUser.password,
    impersonate: theirUser.impersonateUser,
    exec: plugin(theirUser.exec as Fields | undefined),
  });
}

/** The official client leaves out, or says null or undefined, as it comes. */
function tidy(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('the official client found nothing');
  return value;
}

function pem(data: string | undefined, file: string | undefined): string | undefined {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  return file === undefined ? undefined : readFileSync(resolve(DIR, file), 'utf8');
}

function plugin(exec: Fields | undefined): unknown {
  if (exec === undefined) return undefined;
  const env = exec['env'] as readonly { readonly name: string; readonly value: string }[];
  return { ...exec, env: Object.fromEntries(env.map((item) => [item.name, item.value])) };
}

function ours(access: ClusterAccess): Fields {
  const { certificate: pair, basic, token, exec } = access.user;
  return tidy({
    server: access.server,
    namespace: access.namespace,
    ca: access.tls.ca,
    insecure: access.tls.insecure,
    serverName: access.tls.serverName,
    proxyUrl: access.proxyUrl,
    cert: pair?.cert,
    key: pair?.key,
    token,
    username: basic?.username,
    password: basic?.password,
    impersonate: access.impersonate?.user,
    exec,
  });
}

describe('a kubeconfig', () => {
  it.each([
    ['JSON', (value: unknown) => JSON.stringify(value)],
    ['YAML', writeYaml],
  ])('of any form, in %s, means the same to the official client', (_name, write) => {
    const path = join(DIR, 'config');
    fc.assert(
      fc.property(config, (written) => {
        writeFileSync(path, write(written));
        expect(ours(findAccess({ kubeconfig: path, env: {} }))).toEqual(official(path));
      }),
      { numRuns: 150 },
    );
  });
});
