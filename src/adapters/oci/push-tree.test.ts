import { chmod, cp, link, mkdir, readdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { chartFiles } from '../../../test/build/archives.ts';
import { type OciWorld, ociTest as it } from '../../../test/fakes/oci-world.ts';
import { type PushedTree, type PushOptions, pushTree } from './push-tree.ts';

async function writeTree(world: OciWorld, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = join(world.folder, 'tree');
  const charts = Object.entries(chartFiles()).map(([path, content]) => [`web/${path}`, content] as const);
  for (const [path, content] of [...charts, ...Object.entries(more)]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

function push(world: OciWorld, folder: string, options: PushOptions = {}): Promise<PushedTree> {
  return pushTree(folder, `oci://${world.registry.host}/trees/shop:1.0.0`, { plainHttp: true, env: {}, ...options });
}

async function manifestOf(world: OciWorld, digest: string): Promise<unknown> {
  return (await fetch(`http://${world.registry.host}/v2/trees/shop/manifests/${digest}`)).json();
}

describe('a pushed tree', () => {
  it('is fetched again as the chart that it was', async ({ world }) => {
    const pushed = await push(world, await writeTree(world));
    expect(pushed).toMatchObject({
      reference: `oci://${world.registry.host}/trees/shop:1.0.0@${pushed.digest}`,
      files: 3,
    });
    const chart = await world.source().fetch(world.treeRef());
    expect(chart).toMatchObject({ name: 'web', ref: { treeDigest: pushed.digest } });
  });

  it('looks like one of Flux', async ({ world }) => {
    const { digest, sizeBytes } = await push(world, await writeTree(world), {
      source: 'https://git/x',
      revision: 'main@sha1:1',
    });
    expect(await manifestOf(world, digest)).toMatchObject({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.cncf.flux.config.v1+json' },
      layers: [{ mediaType: 'application/vnd.cncf.flux.content.v1.tar+gzip', size: sizeBytes }],
      annotations: {
        'org.opencontainers.image.source': 'https://git/x',
        'org.opencontainers.image.revision': 'main@sha1:1',
      },
    });
  });

  it('has the digest that it had with every earlier version', async ({ world }) => {
    // In the order of folders `web` comes first, in that of paths `web.txt`.
    const { digest } = await push(world, await writeTree(world, { 'web.txt': 'x' }));
    expect(digest).toBe('sha256:f5a7032affed1aca879e014e6a753d42933927996fc9b702841457fc8ae653c6');
  });

  it('has the same digest whatever the times, the order, the umask and the folder', async ({ world }) => {
    const folder = await writeTree(world, { 'web/a.txt': 'a', 'z.txt': 'z' });
    const first = await push(world, folder);
    const copy = join(world.folder, 'copy');
    await cp(folder, copy, { recursive: true });
    await utimes(join(copy, 'z.txt'), 1, 1);
    await chmod(join(copy, 'z.txt'), 0o600);
    await chmod(join(copy, 'web'), 0o700);
    expect((await push(world, copy)).digest).toBe(first.digest);
  });

  it('has another digest when a content, a name, an executable bit or an annotation differs', async ({ world }) => {
    const folder = await writeTree(world, { 'run.sh': 'x' });
    const digests = [(await push(world, folder)).digest];
    digests.push((await push(world, folder, { revision: 'two' })).digest);
    await chmod(join(folder, 'run.sh'), 0o755);
    digests.push((await push(world, folder)).digest);
    await writeFile(join(folder, 'run.sh'), 'y');
    digests.push((await push(world, folder)).digest);
    await writeFile(join(folder, 'empty'), '');
    digests.push((await push(world, folder)).digest);
    expect(new Set(digests).size).toBe(5);
  });

  it('sends no layer that the registry has already', async ({ world }) => {
    const folder = await writeTree(world);
    await push(world, folder);
    const before = world.registry.seen.length;
    await push(world, folder, { revision: 'two' });
    const again = world.registry.seen
      .slice(before)
      .map(({ method, path }) => `${method} ${path.replace(/sha256.*/, '')}`);
    expect(again).toEqual([
      'HEAD /v2/trees/shop/blobs/',
      'HEAD /v2/trees/shop/blobs/',
      'PUT /v2/trees/shop/manifests/1.0.0',
    ]);
  });

  it('leaves out what version control keeps, and nothing else', async ({ world }) => {
    const plain = await push(world, await writeTree(world));
    const folder = await writeTree(world, { '.git/HEAD': 'x', 'web/.svn/entries': 'x', 'sub/.git': 'gitdir: ..' });
    expect((await push(world, folder)).digest).toBe(plain.digest);
    await writeTree(world, { '.gitignore': 'x', '.github/x': 'y', 'web/.helmignore': 'z' });
    expect((await push(world, folder)).files).toBe(plain.files + 3);
  });

  it('goes under latest without a tag', async ({ world }) => {
    const url = `${world.registry.host}/trees/shop`;
    const pushed = await pushTree(await writeTree(world), url, { plainHttp: true, env: {} });
    expect(pushed.reference).toBe(`oci://${world.registry.host}/trees/shop:latest@${pushed.digest}`);
    expect(await world.source().fetch(world.treeRef({ url }))).toMatchObject({ name: 'web' });
  });

  it('leaves a tag that names other content, unless it may be moved', async ({ world }) => {
    const otherwise = 'take another tag';
    const first = await push(world, await writeTree(world), { otherwise });
    expect((await push(world, await writeTree(world), { otherwise, revision: 'two' })).digest).toBe(first.digest);
    const changed = await writeTree(world, { 'web/a.txt': 'a' });
    const refusal: unknown = await push(world, changed, { otherwise }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'DigestMismatch', hint: otherwise });
    expect(
      world.registry.seen.filter(({ method, path }) => method === 'PUT' && path.includes('manifests')),
    ).toHaveLength(1);
    expect((await push(world, changed)).digest).not.toBe(first.digest);
  });

  it('moves latest, which is there to be moved', async ({ world }) => {
    const url = `${world.registry.host}/trees/shop`;
    const options = { plainHttp: true, env: {}, otherwise: 'no' };
    const first = await pushTree(await writeTree(world), url, options);
    const second = await pushTree(await writeTree(world, { 'web/a.txt': 'a' }), url, options);
    expect(second.digest).not.toBe(first.digest);
  });

  it('needs credentials that may push', async ({ world }) => {
    const folder = await writeTree(world);
    await world.useRegistry({ auth: { scheme: 'bearer', username: 'ada', password: 's3cret' } });
    await expect(push(world, folder)).rejects.toMatchObject({ code: 'RegistryUnauthorized' });
    const registryConfig = join(world.folder, 'config.json');
    const auth = Buffer.from('ada:s3cret').toString('base64');
    await writeFile(registryConfig, JSON.stringify({ auths: { [world.registry.host]: { auth } } }));
    await push(world, folder, { registryConfig });
    expect(world.registry.seen.some(({ path }) => /^\/token\?.*pull%2Cpush/.test(path))).toBe(true);
  });

  it('leaves nothing behind, also when it fails', async ({ world }) => {
    const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.endsWith('.part'));
    const before = await leftovers();
    await push(world, await writeTree(world));
    world.registry.misbehave((seen, response) => {
      if (seen.method === 'PUT') response.writeHead(507).end();
      return seen.method === 'PUT';
    });
    await expect(push(world, await writeTree(world, { new: '1' }))).rejects.toMatchObject({
      code: 'RegistryUnreachable',
    });
    expect(await leftovers()).toEqual(before);
  });
});

describe('a tree is not pushed', () => {
  it('with a digest for a name', async ({ world }) => {
    const url = `${world.registry.host}/trees/shop@sha256:${'0'.repeat(64)}`;
    await expect(pushTree(await writeTree(world), url, {})).rejects.toMatchObject({ code: 'ReferenceInvalid' });
  });

  it('from a folder that is not there, is a file, or is empty', async ({ world }) => {
    const folder = await writeTree(world);
    const empty = join(world.folder, 'empty');
    await mkdir(join(empty, 'sub'), { recursive: true });
    await expect(push(world, join(folder, 'gone'))).rejects.toMatchObject({ code: 'NotFound' });
    await expect(push(world, join(folder, 'web/Chart.yaml'))).rejects.toMatchObject({ code: 'NotFound' });
    await expect(push(world, empty)).rejects.toMatchObject({ code: 'TreeInvalid' });
    expect(world.registry.seen).toEqual([]);
  });

  it.for([
    ['a link', (path: string) => symlink('Chart.yaml', path)],
    ['a link to a folder', (path: string) => symlink('templates', path)],
    ['a link that leads nowhere', (path: string) => symlink('/nowhere', path)],
    [
      'a socket',
      (path: string) => {
        const server = createServer();
        return new Promise<void>((resolve) => {
          server.unref().listen(path, resolve);
        });
      },
    ],
  ] as const)('with %s, which is named', async ([, make], { world }) => {
    const folder = await writeTree(world);
    await make(join(folder, 'web/odd'));
    const error: unknown = await push(world, folder).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'TreeInvalid', message: expect.stringContaining('web/odd') as string });
  });

  it('with a file that is too large to be read, which is named before it is', async ({ world }) => {
    const folder = await writeTree(world, { 'web/disk.img': '' });
    await truncate(join(folder, 'web/disk.img'), 6 * 1024 ** 3);
    const error: unknown = await push(world, folder).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'ArchiveTooLarge', message: expect.stringContaining('disk.img') as string });
    expect(world.registry.seen).toEqual([]);
  });

  it('with a name that no archive may hold', async ({ world }) => {
    await expect(push(world, await writeTree(world, { 'web/a\\b': 'x' }))).rejects.toMatchObject({
      code: 'ArchiveUnsafe',
    });
    expect(world.registry.seen).toEqual([]);
  });

  it('but a hard link is a file like any other', async ({ world }) => {
    const folder = await writeTree(world);
    await link(join(folder, 'web/Chart.yaml'), join(folder, 'web/copy.yaml'));
    expect(await push(world, folder)).toMatchObject({ files: 4 });
  });
});
