import { describe, expect } from 'vitest';
import { chartArchive } from '../../../test/build/archives.ts';
import { type OciWorld, ociTest as it } from '../../../test/fakes/oci-world.ts';
import { sha256 } from '../../lib/digest.ts';
import { writeYaml } from '../../lib/yaml.ts';
import { entriesOf } from './helm-index.ts';

interface Entry {
  readonly version: string;
  readonly digest?: string;
  readonly urls: readonly string[];
}

function serve(world: OciWorld, entries: readonly Entry[]): void {
  world.registry.put('/stable/index.yaml', writeYaml({ apiVersion: 'v1', entries: { web: entries } }));
}

const ARCHIVE = chartArchive();

describe('the archive of a chart in a web repository', () => {
  it.for([
    ['relative to the repository', 'web-1.2.3.tgz', '/stable/web-1.2.3.tgz'],
    ['in a folder beside it', '../charts/web.tgz', '/charts/web.tgz'],
    ['from the root of the server', '/files/web.tgz', '/files/web.tgz'],
  ] as const)('is found %s', async ([, url, path], { world }) => {
    serve(world, [{ version: '1.2.3', urls: [url] }]);
    world.registry.put(path, ARCHIVE);
    expect(await world.source().fetch(world.webRef())).toMatchObject({ name: 'web' });
  });

  it('is found on another server, which is not told the key of the first', async ({ world }) => {
    const { registry } = world;
    const other = await world.useRegistry({});
    other.put('/web.tgz', ARCHIVE);
    const urls = [`http://${other.host}/web.tgz`];
    registry.put('/stable/index.yaml?key=1', writeYaml({ entries: { web: [{ version: '1.2.3', urls }] } }));
    await world.source().fetch(world.webRef({ repository: `http://${registry.host}/stable?key=1` }));
    expect(other.seen.map(({ path }) => path)).toEqual(['/web.tgz']);
  });

  it('is asked for with the key of its repository', async ({ world }) => {
    const entries = { web: [{ version: '1.2.3', urls: ['web.tgz'] }] };
    world.registry.put('/stable/index.yaml?key=1', writeYaml({ entries }));
    world.registry.put('/stable/web.tgz?key=1', ARCHIVE);
    const repository = `http://${world.registry.host}/stable/?key=1`;
    expect(await world.source().fetch(world.webRef({ repository }))).toMatchObject({ name: 'web' });
  });

  it('is checked against the digest of the index, with and without its prefix', async ({ world }) => {
    world.registry.put('/stable/web.tgz', ARCHIVE);
    for (const digest of [sha256(ARCHIVE), `sha256:${sha256(ARCHIVE)}`]) {
      serve(world, [{ version: '1.2.3', digest, urls: ['web.tgz'] }]);
      expect(await world.source().fetch(world.webRef())).toMatchObject({ name: 'web' });
    }
    serve(world, [{ version: '1.2.3', digest: sha256('other'), urls: ['web.tgz'] }]);
    await expect(world.source().fetch(world.webRef())).rejects.toMatchObject({ code: 'DigestMismatch' });
  });

  it('that changed under its version is refused before it is fetched', async ({ world }) => {
    serve(world, [{ version: '1.2.3', digest: sha256('newer'), urls: ['web.tgz'] }]);
    const pinned = world.webRef({ digest: `sha256:${sha256(ARCHIVE)}` });
    await expect(world.source().fetch(pinned)).rejects.toMatchObject({ code: 'DigestMismatch' });
    expect(world.registry.seen.map(({ path }) => path)).toEqual(['/stable/index.yaml']);
  });

  it('that does not change is not fetched twice', async ({ world }) => {
    serve(world, [{ version: '1.2.3', digest: sha256(ARCHIVE), urls: ['web.tgz'] }]);
    world.registry.put('/stable/web.tgz', ARCHIVE);
    await world.source().fetch(world.webRef());
    await world.source().fetch(world.webRef());
    expect(world.registry.seen.filter(({ path }) => path.endsWith('.tgz'))).toHaveLength(1);
  });

  it('F85 is chosen by the exact version, build metadata included', async ({ world }) => {
    serve(world, [
      { version: '1.2.3+up5', urls: ['other.tgz'] },
      { version: '1.2.3+up4', urls: ['web.tgz'] },
    ]);
    world.registry.put('/stable/web.tgz', chartArchive({ version: '1.2.3+up4' }));
    const chart = await world.source().fetch(world.webRef({ version: '1.2.3+up4' }));
    expect(chart.version).toBe('1.2.3+up4');
  });

  it.for([
    ['lists no address', [], 'ChartInvalid'],
    ['lists an address of another kind', ['file:///etc/passwd'], 'ChartInvalid'],
    ['lists an archive that is not there', ['gone.tgz'], 'ArtifactNotFound'],
  ] as const)('whose index %s is refused', async ([, urls, code], { world }) => {
    serve(world, [{ version: '1.2.3', urls }]);
    await expect(world.source().fetch(world.webRef())).rejects.toMatchObject({ code });
  });

  it('of a repository with a password in its address is refused without naming it', async ({ world }) => {
    const repository = `http://ada:s3cret@${world.registry.host}/stable`;
    const error: unknown = await world
      .source()
      .fetch(world.webRef({ repository }))
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'ReferenceInvalid' });
    expect(String(error)).not.toContain('s3cret');
  });
});

describe('an index', () => {
  it('is transferred again only when it changed', async ({ world }) => {
    const entries = [{ version: '1.2.3', digest: sha256(ARCHIVE), urls: ['web.tgz'] }];
    serve(world, entries);
    world.registry.put('/stable/web.tgz', ARCHIVE);
    const answers: number[] = [];
    let etag = '"one"';
    world.registry.misbehave((seen, response) => {
      if (!seen.path.endsWith('index.yaml')) return false;
      const isKept = response.req.headers['if-none-match'] === etag;
      response.setHeader('etag', etag);
      answers.push(isKept ? 304 : 200);
      if (isKept) response.writeHead(304).end();
      return isKept;
    });
    await world.source().fetch(world.webRef());
    await world.source().fetch(world.webRef());
    etag = '"two"';
    serve(world, [{ version: '1.2.4', urls: ['web.tgz'] }]);
    await expect(world.source().fetch(world.webRef())).rejects.toMatchObject({ code: 'ArtifactNotFound' });
    expect(answers).toEqual([200, 304, 200]);
  });

  const web = [{ version: '1.2.3', urls: ['web.tgz'] }];
  const others = Object.fromEntries(['web-extra', 'we', 'x.web', 'zweb'].map((name) => [name, [{ version: '9.9.9' }]]));
  it.for([
    ['as helm writes it', writeYaml({ apiVersion: 'v1', entries: { ...others, web }, generated: 'now' })],
    ['with the chart in front', writeYaml({ entries: { web, ...others }, generated: 'now' })],
    ['in JSON', JSON.stringify({ entries: { ...others, web } })],
    ['in flow form', `entries: ${JSON.stringify({ ...others, web })}`],
    ['with quoted names', 'entries:\n  "we": []\n  "web":\n  - version: 1.2.3\n    urls: [web.tgz]\n'],
    [
      'with lists that are indented',
      'entries:\n    web:\n      - version: 1.2.3\n        urls: [web.tgz]\n    z: []\n',
    ],
    [
      'with comments and empty lines',
      'entries:\n\n  # all\n  web: \n  # one\n\n  - version: 1.2.3\n    urls: [web.tgz]\n',
    ],
    ['with Windows line ends', 'entries:\r\n  web:\r\n  - version: 1.2.3\r\n    urls: [web.tgz]\r\n  z: []\r\n'],
    [
      'with texts that look like names',
      `entries:\n  a:\n  - description: |\n      web:\n      x\n  web:\n  - version: 1.2.3\n    urls: [web.tgz]\n`,
    ],
  ] as const)('is understood %s', ([, index]) => {
    expect(entriesOf(index, 'web', 'chart web')).toEqual(web);
  });

  it('without the chart has no entries of it', () => {
    expect(entriesOf('entries:\n  we: []\n', 'web', 'chart web')).toEqual([]);
    expect(entriesOf('entries: {}\n', 'web', 'chart web')).toEqual([]);
    expect(entriesOf('', 'web', 'chart web')).toEqual([]);
  });

  it('does not take a dot in a name for any letter', () => {
    const index = 'entries:\n  wxb:\n  - version: 9.9.9\n  w.b:\n  - version: 1.0.0\n';
    expect(entriesOf(index, 'w.b', 'chart w.b')).toEqual([{ version: '1.0.0' }]);
  });

  it.for(['<html>', 'entries:\n  web:\n  - a: [\n', '{"entries":'])('that is %j is refused', (index) => {
    expect(() => entriesOf(index, 'web', 'chart web')).toThrow(
      expect.objectContaining({ code: 'ArchiveInvalid' }) as Error,
    );
  });
});
