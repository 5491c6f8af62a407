import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { accessOf, loadKubeconfig } from '../../../src/adapters/kube/kubeconfig.ts';
import { at, asArray, asString } from '../../../src/lib/json.ts';
import '../../setup/provided.ts';

const DIR = mkdtempSync(join(tmpdir(), 'kubepkg-merge-'));
const NAMES = ['a', 'b', 'c'] as const;

afterAll(() => {
  rmSync(DIR, { recursive: true });
});

const name = fc.constantFrom(...NAMES);
const cluster = fc.record({ server: fc.constantFrom('https://one', 'https://two', 'https://three') });
const user = fc.record({ token: fc.constantFrom('t1', 't2', 't3') });
const context = fc.record({ cluster: name, user: name, namespace: name });

/** One file: some of the names, each with some content. */
const file = fc
  .record({
    'current-context': fc.option(name, { nil: '' }),
    clusters: fc.dictionary(name, cluster),
    users: fc.dictionary(name, user),
    contexts: fc.dictionary(name, context),
  })
  .map((parts) => ({
    'current-context': parts['current-context'],
    clusters: Object.entries(parts.clusters).map(([key, value]) => ({ name: key, cluster: value })),
    users: Object.entries(parts.users).map(([key, value]) => ({ name: key, user: value })),
    contexts: Object.entries(parts.contexts).map(([key, value]) => ({ name: key, context: value })),
  }));

type Summary = Readonly<Record<string, unknown>>;

async function kubectl(paths: readonly string[]): Promise<Summary> {
  const env = { KUBECONFIG: paths.join(':'), HOME: DIR };
  const { stdout } = await promisify(execFile)(inject('kubectl'), ['config', 'view', '--raw', '-o', 'json'], { env });
  const view: unknown = JSON.parse(stdout);
  const named = (list: string, key: string): ReadonlyMap<string | undefined, unknown> =>
    new Map(asArray(at(view, list)).map((entry) => [asString(at(entry, 'name')), at(entry, key)]));
  const [clusters, users, contexts] = [
    named('clusters', 'cluster'),
    named('users', 'user'),
    named('contexts', 'context'),
  ];
  const of = (key: string): unknown => {
    const found = contexts.get(key);
    const server = at(clusters.get(asString(at(found, 'cluster'))), 'server');
    const token = at(users.get(asString(at(found, 'user'))), 'token');
    return server === undefined || token === undefined
      ? 'unusable'
      : { server, token, namespace: at(found, 'namespace') };
  };
  return { current: at(view, 'current-context') === '' ? undefined : at(view, 'current-context'), ...contextsOf(of) };
}

function ours(paths: readonly string[]): Summary {
  const config = loadKubeconfig({ env: { KUBECONFIG: paths.join(':') } });
  const of = (key: string): unknown => {
    if (config === undefined) return 'unusable';
    try {
      const { server, namespace, user: who } = accessOf(config, key);
      return { server, token: who.token, namespace };
    } catch (error) {
      return at(error, 'code') === 'KubeconfigInvalid' ? 'unusable' : error;
    }
  };
  return { current: config?.currentContext, ...contextsOf(of) };
}

function contextsOf(of: (key: string) => unknown): Summary {
  return Object.fromEntries(NAMES.map((key) => [`context ${key}`, of(key)]));
}

describe('several kubeconfig files', () => {
  it('are merged as kubectl merges them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
        const paths = files.map((content, index) => {
          const path = join(DIR, `config-${String(index)}`);
          writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...content }));
          return path;
        });
        expect(ours([join(DIR, 'absent'), ...paths])).toEqual(await kubectl([join(DIR, 'absent'), ...paths]));
      }),
      { numRuns: 40 },
    );
  });
});
