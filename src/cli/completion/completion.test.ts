import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { aPackage, aRevision } from '../../../test/build/objects.ts';
import { CliWorld } from '../../../test/fakes/cli-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { COMPLETION_SCRIPTS } from './scripts.ts';
import { SHELLS } from './shells.ts';

async function complete(world: CliWorld, ...words: readonly string[]): Promise<readonly string[]> {
  expect(await world.run('__complete', ...words)).toBe(0);
  expect(world.stderr.text).toBe('');
  const lines = world.stdout.text.trimEnd().split('\n');
  return lines.map((line) => line.split('\t')[0] ?? '');
}

function withPackages(): CliWorld {
  const world = new CliWorld();
  for (const name of ['shop', 'shelf', 'db']) {
    const pkg = aPackage({}, { name }) as unknown as KubeObject;
    world.cluster.set(pkg);
    world.cluster.set({
      ...pkg,
      kind: 'PackageSource',
      metadata: { name: `${name}-source` },
      spec: { version: '1.2.0' },
    });
  }
  for (const number of [1, 2]) {
    const revision = aRevision({ number });
    const metadata = { ...revision.metadata, labels: { [LABEL.package]: 'shop' } };
    world.cluster.set({ ...revision, metadata });
  }
  return world;
}

describe('completion', () => {
  it.each([
    [['ins'], ['install', ':4']],
    [['c'], ['crds', 'completion', ':4']],
    [
      ['list', '-o', ''],
      ['table', 'wide', 'json', 'yaml', 'name', ':4'],
    ],
    [
      ['list', '--output', 'j'],
      ['json', ':4'],
    ],
    [
      ['list', '--output=j'],
      ['--output=json', ':4'],
    ],
    [
      ['list', '--no-c'],
      ['--no-color', ':4'],
    ],
    [
      ['operator', '--log-l'],
      ['--log-level', ':4'],
    ],
    [
      ['operator', '--log-level', 'e'],
      ['error', ':4'],
    ],
    [
      ['completion', 'z'],
      ['zsh', ':4'],
    ],
    [['push', ''], [':0']],
    [['push', 'dir', ''], [':4']],
    [['install', '-f', ''], [':0']],
    [['install', '--values', ''], [':0']],
    [['install', '--variant', ''], [':4']],
    [
      ['status', 'sh'],
      ['shop', 'shelf', ':4'],
    ],
    [['status', 'shop', ''], [':4']],
    [
      ['--context', 'x', 'status', 'd'],
      ['db', ':4'],
    ],
    [
      ['status', '-w', 'sh'],
      ['shop', 'shelf', ':4'],
    ],
    [
      ['install', 's'],
      ['shop-source', 'shelf-source', ':4'],
    ],
    [
      ['install', 'shop-source', 's'],
      ['shelf-source', ':4'],
    ],
    [['nonsense', ''], [':4']],
    [
      ['get', 'm'],
      ['manifest', ':4'],
    ],
    [
      ['get', 'values', 'sh'],
      ['shop', 'shelf', ':4'],
    ],
    [
      ['get', 'values', 'shop', ''],
      ['store', 'app', ':4'],
    ],
    [
      ['logs', 'shop', 'a'],
      ['app', ':4'],
    ],
    [
      ['diff', 'shop', '--from', ''],
      ['1', '2', ':4'],
    ],
    [
      ['diff', 'shop', '--to=2'],
      ['--to=2', ':4'],
    ],
    [['diff', '--from', ''], [':4']],
    [
      ['remove', 'shop', 's'],
      ['shelf', ':4'],
    ],
  ])('of %j', async (words, offered) => {
    expect(await complete(withPackages(), ...words)).toEqual(offered);
  });

  it.each([
    [
      ['install', 'shop-source@'],
      ['shop-source@1.2.0', ':4'],
    ],
    [
      ['upgrade', 'shop-source@1'],
      ['shop-source@1.2.0', ':4'],
    ],
    [['adopt', 'db-source@2'], [':4']],
    [['status', 'shop@'], [':4']],
    [
      ['rollback', 'shop', '--to', ''],
      ['1', '2', ':4'],
    ],
    [
      ['remove', 'db', 's'],
      ['shop', 'shelf', ':4'],
    ],
    [
      ['wait', 'sh'],
      ['shop', 'shelf', ':4'],
    ],
  ])('knows versions, revisions and packages: %j', async (words, expected) => {
    expect(await complete(withPackages(), ...words)).toEqual(expected);
  });

  it('describes what it offers', async () => {
    const world = new CliWorld();
    await world.run('__complete', 'cr');
    expect(world.stdout.text).toMatch(/^crds\tprint the CustomResourceDefinitions/);
  });

  it('asks the cluster that the words before name', async () => {
    const world = withPackages();
    await complete(world, '--kubeconfig=file', 'status', '--context', 'x', 's');
    expect(world.connections).toEqual([{ kubeconfig: 'file', context: 'x' }]);
  });

  it('offers nothing, and says nothing, when the cluster fails', async () => {
    const world = withPackages();
    world.connectFailure = new KubepkgError('KubeconfigInvalid', 'no');
    expect(await complete(world, 'status', '')).toEqual([':4']);
  });

  it('waits for the cluster three seconds at most', async () => {
    const world = withPackages();
    world.cluster.list = () => new Promise(() => undefined);
    const done = complete(world, 'status', '');
    await world.clock.armed(3000);
    await world.clock.advance(3000);
    expect(await done).toEqual([':4']);
  });
});

describe('completion scripts', () => {
  it.each(SHELLS)('%s has one that calls back', async (shell) => {
    const world = new CliWorld();
    expect(await world.run('completion', shell)).toBe(0);
    expect(world.stdout.text).toContain('__complete');
  });

  /** The words of bash after `kubepkg`, the last being completed; the program is replaced by a function. */
  function bash(words: readonly string[], answer: string): { readonly asked: string; readonly reply: string } {
    const script = `
      ${COMPLETION_SCRIPTS.bash}
      kubepkg() { printf '<%s>' "$@" >&3; printf '%s\\n' ${answer}; }
      COMP_WORDS=(kubepkg ${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${String(words.length)}
      exec 3>&1
      _kubepkg
      printf '\\n'
      printf '[%s]' "\${COMPREPLY[@]}"`;
    const [asked = '', reply = ''] = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n');
    return { asked, reply };
  }

  it('that of bash hands on the words and takes the candidates', () => {
    expect(bash(['status', 'sh'], "shop $'shelf\\tdescribed' :4")).toEqual({
      asked: '<__complete><status><sh>',
      reply: '[shop][shelf]',
    });
  });

  it('that of bash completes an empty word', () => {
    expect(bash(['status', ''], 'shop :4').asked).toBe('<__complete><status><>');
  });

  it('that of bash puts together again what bash parts at @', () => {
    expect(bash(['install', 'shop', '@', '1'], 'shop@1.2.0 :4')).toEqual({
      asked: '<__complete><install><shop@1>',
      reply: '[1.2.0]',
    });
  });

  it('that of bash puts together again what bash parts at =', () => {
    expect(bash(['list', '--output', '=', 'j'], '--output=json :4')).toEqual({
      asked: '<__complete><list><--output=j>',
      reply: '[json]',
    });
  });
});
