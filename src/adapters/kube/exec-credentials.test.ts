import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAuthority } from '../../lib/tls/certificate.ts';
import { configMap, json, status } from '../../../test/fakes/scripted-api-server.ts';
import { type ScriptedWorld, scriptedWorld } from '../../../test/fakes/scripted-client.ts';
import type { ExecPlugin } from './access.ts';
import type { ClientSettings } from './create-cluster.ts';

const A = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };
const V1 = 'client.authentication.k8s.io/v1';

/** A plugin that a test writes, and the world that asks it. */
class Scene {
  readonly dir = mkdtempSync(join(tmpdir(), 'kubepkg-exec-'));
  readonly #worlds: ScriptedWorld[] = [];

  /** A program whose runs are noted; `body` prints, with `n` the number of the run. */
  plugin(body: string, over: Partial<ExecPlugin> = {}): ExecPlugin {
    const command = join(this.dir, 'plugin');
    const note = `require('fs').appendFileSync(${JSON.stringify(this.#log)}, process.env.KUBERNETES_EXEC_INFO + '\\n');`;
    const count = `const n = require('fs').readFileSync(${JSON.stringify(this.#log)}, 'utf8').trim().split('\\n').length;`;
    // A script without an extension is what the nearest package.json says; this one says: CommonJS.
    writeFileSync(join(this.dir, 'package.json'), '{}');
    writeFileSync(command, `#!${process.execPath}\n${note}\n${count}\n${PRINT}\n${body}\n`);
    chmodSync(command, 0o755);
    return { apiVersion: V1, command, args: [], env: {}, interactiveMode: 'Never', ...over };
  }

  async world(exec: ExecPlugin, settings: Partial<ClientSettings> = {}): Promise<ScriptedWorld> {
    const world = await scriptedWorld({ access: { user: { exec } }, settings });
    this.#worlds.push(world);
    return world;
  }

  /** What each run was told. */
  runs(): readonly unknown[] {
    return readFileSync(this.#log, 'utf8')
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  }

  async close(): Promise<void> {
    for (const world of this.#worlds) await world.close();
    rmSync(this.dir, { recursive: true });
  }

  get #log(): string {
    return join(this.dir, 'log');
  }
}

const PRINT = `const print = (status, more) => console.log(JSON.stringify({ apiVersion: '${V1}', kind: 'ExecCredential', status, ...more }));`;

const it = test.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  scene: async ({}, use) => {
    const scene = new Scene();
    await use(scene);
    await scene.close();
  },
});

function tokens(world: ScriptedWorld): readonly unknown[] {
  return world.server.seen.map((request) => request.headers.authorization);
}

describe('a credential plugin', () => {
  it('is run once for many requests', async ({ scene }) => {
    const world = await scene.world(scene.plugin("print({ token: 't' + n })"));
    await Promise.all(Array.from({ length: 5 }, () => world.client.read(A)));
    expect(new Set(tokens(world))).toEqual(new Set(['Bearer t1']));
    expect(scene.runs()).toEqual([{ kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } }]);
  });

  it('is run again when what it gave expires', async ({ scene }) => {
    const expirations = "['2030-01-01T00:05:00Z', '2031-01-01T00:00:00Z']";
    const plugin = scene.plugin(`print({ token: 't' + n, expirationTimestamp: ${expirations}[n - 1] })`);
    const world = await scene.world(plugin);
    await world.client.read(A);
    await world.clock.advance(299_999);
    await world.client.read(A);
    await world.clock.advance(1);
    await world.client.read(A);
    expect([...new Set(tokens(world))]).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('is run again, once for all, when the server refuses what it gave', async ({ scene }) => {
    const world = await scene.world(scene.plugin("print({ token: 't' + n })"));
    await world.client.served('v1', 'ConfigMap');
    world.server.others.push(status(401), status(401), json(configMap('a', '5')), json(configMap('a', '5')));
    await Promise.all([world.client.read(A), world.client.read(A)]);
    expect(scene.runs()).toHaveLength(2);
    world.server.others.push(status(401), status(401));
    await expect(world.client.read(A)).rejects.toMatchObject({ code: 'ApiUnauthorized' });
    expect(scene.runs()).toHaveLength(3);
  });

  it('is not run again for a refusal of what was replaced meanwhile', async ({ scene }) => {
    const world = await scene.world(scene.plugin("print({ token: 't' + n })"));
    await world.client.served('v1', 'ConfigMap');
    const late: (() => void)[] = [];
    world.server.others.push((response, request) => {
      late.push(() => {
        status(401)(response, request);
      });
    }, status(401));
    const slow = world.client.read(A);
    await expect.poll(() => late).toHaveLength(1);
    await world.client.read(A);
    for (const answer of late) answer();
    await slow;
    expect(scene.runs()).toHaveLength(2);
  });

  it('may give a certificate, and later another', async ({ scene }) => {
    const authority = createAuthority('a', Date.now());
    const given = ['jane', 'joan'].map((name) => {
      const { key, certificate } = authority.issue(name);
      return { clientCertificateData: certificate, clientKeyData: key };
    });
    const { key, certificate } = authority.issue('server');
    const world = await scriptedWorld({
      server: { tls: { key, cert: certificate, requestCert: true } },
      access: { tls: { insecure: true }, user: { exec: scene.plugin(`print(${JSON.stringify(given)}[n - 1])`) } },
    });
    await world.client.served('v1', 'ConfigMap');
    world.server.others.push(status(401));
    await world.client.read(A);
    expect(world.server.seen.map((request) => request.peer)).toEqual(['jane', 'jane', 'joan']);
    await world.close();
  });

  it('is told about the cluster when it asks, and gets the environment and arguments that are written', async ({
    scene,
  }) => {
    const plugin = scene.plugin(
      'print({ token: process.env.INHERITED + process.env.WRITTEN + process.argv.slice(2) })',
      {
        args: ['$HOME', 'a b'],
        env: { WRITTEN: 'w' },
        cluster: { server: 'https://x', config: { audience: 'y' } },
      },
    );
    const world = await scene.world(plugin, { env: { INHERITED: 'i' } });
    await world.client.read(A);
    expect(tokens(world)[0]).toBe('Bearer iw$HOME,a b');
    expect(scene.runs()[0]).toMatchObject({ spec: { cluster: { server: 'https://x', config: { audience: 'y' } } } });
  });

  it.for([
    ['Never', true, false],
    ['IfAvailable', false, false],
    ['IfAvailable', true, true],
    ['Always', true, true],
  ] as const)(
    'of mode %s, with a terminal: %s, may ask: %s',
    async ([interactiveMode, terminal, interactive], { scene }) => {
      const world = await scene.world(scene.plugin("print({ token: 't' })", { interactiveMode }), { terminal });
      await world.client.read(A);
      expect(scene.runs()).toMatchObject([{ spec: { interactive } }]);
    },
  );

  it('that must ask, without a terminal, is an error', async ({ scene }) => {
    const world = await scene.world(scene.plugin('', { interactiveMode: 'Always' }));
    await expect(world.client.read(A)).rejects.toMatchObject({ code: 'KubeconfigInvalid' });
  });

  it('gives way to credentials that are written', async ({ scene }) => {
    const exec = scene.plugin("print({ token: 't' })");
    const world = await scriptedWorld({ access: { user: { exec, token: 'written' } } });
    await world.client.read(A);
    expect(tokens(world)[0]).toBe('Bearer written');
    await world.close();
  });
});

describe('a credential plugin that fails', () => {
  it.for<readonly [string, string, string]>([
    ['prints nothing', '', 'KubeconfigInvalid'],
    ['prints what is not JSON', "console.log('token: hunter2')", 'KubeconfigInvalid'],
    ['prints another kind', "print({ token: 'hunter2' }, { kind: 'Secret' })", 'KubeconfigInvalid'],
    ['prints another version', "print({ token: 'hunter2' }, { apiVersion: 'x/v2' })", 'KubeconfigInvalid'],
    ['prints no credentials', 'print({})', 'KubeconfigInvalid'],
    [
      'prints a certificate without its key',
      "print({ token: 'hunter2', clientCertificateData: 'c' })",
      'KubeconfigInvalid',
    ],
    ['ends with an error', "console.log('hunter2'); process.exit(3)", 'ApiUnauthorized'],
    ['is killed', "process.kill(process.pid, 'SIGKILL')", 'ApiUnauthorized'],
  ])('because it %s is named, and nothing of its output is shown', async ([, body, code], { scene }) => {
    const world = await scene.world(scene.plugin(body));
    await expect(world.client.read(A)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^the credential plugin \S+ of the test (?!.*hunter2)/) as string,
    });
    expect(world.server.seen).toEqual([]);
  });

  it('shows what it complained of', async ({ scene }) => {
    const world = await scene.world(scene.plugin("console.error('please log in first'); process.exit(1)"));
    await expect(world.client.read(A)).rejects.toThrow(/please log in first/);
  });

  it('is asked again by the next request', async ({ scene }) => {
    const world = await scene.world(scene.plugin("if (n === 1) process.exit(1); print({ token: 't' + n })"));
    await expect(world.client.read(A)).rejects.toThrow();
    await world.client.read(A);
    expect(tokens(world)[0]).toBe('Bearer t2');
  });

  it('because it is not installed says how to install it', async ({ scene }) => {
    const plugin = { ...scene.plugin(''), command: 'no-such-plugin-anywhere', installHint: 'run: get it' };
    const world = await scene.world(plugin);
    await expect(world.client.read(A)).rejects.toMatchObject({ code: 'KubeconfigInvalid', hint: 'run: get it' });
  });

  it('because it hangs is ended', async ({ scene }) => {
    const pidFile = join(scene.dir, 'pid');
    const body = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, '' + process.pid); setInterval(() => undefined, 1000)`;
    const world = await scene.world(scene.plugin(body));
    const refused = expect(world.client.read(A)).rejects.toMatchObject({ code: 'ApiUnauthorized' });
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8'), { timeout: 10_000 }).toMatch(/\d/);
    await world.clock.advance(60_000);
    await refused;
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await expect.poll(() => existsSync(`/proc/${String(pid)}/exe`)).toBe(false);
  });
});
