import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createAuthority } from '../../lib/tls/certificate.ts';
import { chartArchive } from '../../../test/build/archives.ts';
import { type OciWorld, ociTest as it } from '../../../test/fakes/oci-world.ts';
import type { Fault } from '../../../test/fakes/scripted-registry.ts';
import type { KubepkgError } from '../../api/errors.ts';
import type { ClientOptions } from './client.ts';

const SECRET = 's3cret-value';

async function loginFor(world: OciWorld, password: string): Promise<string> {
  const file = join(world.folder, 'config.json');
  const auth = Buffer.from(`ada:${password}`).toString('base64');
  await writeFile(file, JSON.stringify({ auths: { [world.registry.host]: { auth } } }));
  return file;
}

/** Answers so many times with a status, then no more. */
function failing(times: number, status: number, headers: Record<string, string> = {}): Fault {
  let left = times;
  return (_, response) => {
    if (left === 0) return false;
    left -= 1;
    response.writeHead(status, headers).end();
    return true;
  };
}

function failureOf(world: OciWorld, options: ClientOptions = {}): Promise<unknown> {
  return world
    .source(options)
    .fetch(world.chartRef())
    .catch((error: unknown) => error);
}

describe.for(['basic', 'bearer'] as const)('a registry with %s authentication', (scheme) => {
  it('lets those in whose credentials are in the Docker configuration', async ({ world }) => {
    await world.useRegistry({ auth: { scheme, username: 'ada', password: SECRET } });
    world.publishChart();
    const registryConfig = await loginFor(world, SECRET);
    expect(await world.source({ registryConfig }).fetch(world.chartRef())).toMatchObject({ name: 'web' });
  });

  it('is asked for a token once, not for each request', async ({ world }) => {
    await world.useRegistry({ auth: { scheme, username: 'ada', password: SECRET } });
    world.publishChart();
    const registryConfig = await loginFor(world, SECRET);
    const source = world.source({ registryConfig });
    await source.fetch(world.chartRef());
    await source.fetch(world.chartRef());
    const refused = world.registry.seen.filter(
      ({ path, authorization }) => path.startsWith('/v2') && authorization === undefined,
    );
    expect(refused).toHaveLength(1);
  });

  it.for([
    ['no', undefined],
    ['wrong', 'another'],
  ] as const)('refuses %s credentials with a remedy, without naming them', async ([, password], { world }) => {
    await world.useRegistry({ auth: { scheme, username: 'ada', password: SECRET } });
    world.publishChart();
    const registryConfig = password === undefined ? undefined : await loginFor(world, password);
    const error = (await failureOf(world, { registryConfig })) as KubepkgError;
    expect(error).toMatchObject({ code: 'RegistryUnauthorized', class: 'transient' });
    expect(error.message).toContain(world.chartRef().repository);
    expect(error.hint).not.toBe(undefined);
    expect(JSON.stringify(error) + String(error)).not.toContain('another');
  });

  it('F88 goes on when tokens expire and when the secret was rotated', async ({ world }) => {
    const auth = { scheme, username: 'ada', password: SECRET };
    await world.useRegistry({ auth });
    world.publishChart();
    const source = world.source({ registryConfig: await loginFor(world, SECRET) });
    await source.fetch(world.chartRef());
    world.registry.revokeTokens();
    await source.fetch(world.chartRef());
    world.registry.revokeTokens();
    auth.password = 'rotated';
    await expect(source.fetch(world.chartRef())).rejects.toMatchObject({ code: 'RegistryUnauthorized' });
    await loginFor(world, 'rotated');
    expect(await source.fetch(world.chartRef())).toMatchObject({ name: 'web' });
  });

  it('is not sent credentials unencrypted unless that was allowed', async ({ world }) => {
    await world.useRegistry({ auth: { scheme, username: 'ada', password: SECRET } });
    const registryConfig = await loginFor(world, SECRET);
    const fetching = world.source({ registryConfig, plainHttp: false }).fetch(world.webRef());
    await expect(fetching).rejects.toMatchObject({ code: 'RegistryUnauthorized' });
    expect(world.registry.seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });
});

describe('a token service', () => {
  it('is asked with an identity token by POST', async ({ world }) => {
    world.publishChart();
    const registryConfig = join(world.folder, 'config.json');
    await writeFile(registryConfig, JSON.stringify({ auths: { [world.registry.host]: { identitytoken: SECRET } } }));
    const realm = `http://${world.registry.host}/oauth?client=x`;
    world.registry.misbehave((seen, response) => {
      if (seen.path.startsWith('/oauth')) response.end(JSON.stringify({ access_token: 'given' }));
      else if (seen.authorization === 'Bearer given') return false;
      else
        response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="s",scope="a:b:pull"` }).end();
      return true;
    });
    expect(await world.source({ registryConfig }).fetch(world.chartRef())).toMatchObject({ name: 'web' });
    expect(world.registry.seen.filter(({ path }) => path.startsWith('/oauth'))).toEqual([
      { method: 'POST', path: '/oauth?client=x', authorization: undefined },
    ]);
  });

  it.for([
    ['is broken', 503, '', 'RegistryUnreachable'],
    ['is overloaded', 429, '', 'RegistryUnreachable'],
    ['refuses', 403, '', 'RegistryUnauthorized'],
    ['answers nonsense', 200, 'no json', 'RegistryUnauthorized'],
    ['gives no token', 200, '{}', 'RegistryUnauthorized'],
    ['gives a token that would break a header', 200, '{"token":"a\\nb"}', 'RegistryUnauthorized'],
  ] as const)('that %s gives a clear error', async ([, status, body, code], { world }) => {
    world.registry.misbehave((seen, response) => {
      const realm = `Bearer realm="http://${world.registry.host}/oauth"`;
      if (seen.path.startsWith('/oauth')) response.writeHead(status).end(body);
      else response.writeHead(401, { 'www-authenticate': realm }).end();
      return true;
    });
    expect(await failureOf(world)).toMatchObject({ code });
  });

  it.for(['Bearer realm="nowhere"', 'Bearer', 'Negotiate', ''])(
    'cannot be found from %j',
    async (challenge, { world }) => {
      world.registry.misbehave(failing(99, 401, { 'www-authenticate': challenge }));
      expect(await failureOf(world)).toMatchObject({ code: 'RegistryUnauthorized' });
    },
  );
});

describe('a registry that redirects', () => {
  it('to another host does not give away the credentials', async ({ world }) => {
    const storage = world.registry;
    await world.useRegistry({ auth: { scheme: 'basic', username: 'ada', password: SECRET } });
    const { layer } = world.publishChart();
    world.registry.misbehave((seen, response) => {
      if (!seen.path.includes('/blobs/') || seen.authorization === undefined) return false;
      response.writeHead(307, { location: `http://${storage.host}${seen.path}` }).end();
      return true;
    });
    storage.put(`/v2/charts/web/blobs/${layer}`, chartArchive());
    const registryConfig = await loginFor(world, SECRET);
    expect(await world.source({ registryConfig }).fetch(world.chartRef())).toMatchObject({ digest: layer });
    expect(storage.seen.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('to a host that asks for credentials is not given any', async ({ world }) => {
    const thief = world.registry;
    thief.misbehave(failing(9, 401, { 'www-authenticate': `Bearer realm="http://${thief.host}/token"` }));
    await world.useRegistry({});
    world.publishChart();
    world.registry.misbehave((seen, response) => {
      response.writeHead(302, { location: `http://${thief.host}${seen.path}` }).end();
      return true;
    });
    const registryConfig = await loginFor(world, SECRET);
    expect(await failureOf(world, { registryConfig })).toMatchObject({ code: 'RegistryUnauthorized' });
    expect(thief.seen).toHaveLength(1);
  });

  it.for([
    ['in circles', '/v2/'],
    ['to a file', 'file:///etc/passwd'],
    ['to nonsense', 'http://['],
  ] as const)('%s is given up', async ([, location], { world }) => {
    world.registry.misbehave(failing(99, 302, { location }));
    expect(await failureOf(world)).toMatchObject({ code: 'RegistryUnreachable' });
    expect(world.registry.seen.length).toBeLessThan(10);
  });
});

describe('a registry that fails', () => {
  it.for([
    [500, 'RegistryUnreachable'],
    [503, 'RegistryUnreachable'],
    [429, 'RegistryUnreachable'],
    [403, 'RegistryUnauthorized'],
    [404, 'ArtifactNotFound'],
    [418, 'RegistryUnreachable'],
  ] as const)('with %i gives %s, which may pass', async ([status, code], { world }) => {
    world.publishChart();
    world.registry.misbehave(failing(1, status));
    const source = world.source();
    await expect(source.fetch(world.chartRef())).rejects.toMatchObject({ code, class: 'transient' });
    expect(await source.fetch(world.chartRef())).toMatchObject({ name: 'web' });
  });

  it('says when to come back', async ({ world }) => {
    world.registry.misbehave(failing(1, 429, { 'retry-after': '7' }));
    expect(await failureOf(world)).toMatchObject({ retryAfterMs: 7000 });
  });

  it('is quoted, in one line and not at length', async ({ world }) => {
    const message = `no\n${'x'.repeat(1000)}`;
    world.registry.misbehave((_, response) => {
      response.writeHead(403).end(JSON.stringify({ errors: [{ code: 'DENIED', message }] }));
      return true;
    });
    const error = (await failureOf(world)) as KubepkgError;
    expect(error.message).toContain('DENIED: no x');
    expect(error.message.length).toBeLessThan(400);
  });

  it('by saying nothing is given up after a while', async ({ world }) => {
    world.registry.misbehave(() => true);
    const error = await failureOf(world, { idleTimeoutMs: 50 });
    expect(error).toMatchObject({ code: 'RegistryUnreachable', class: 'transient' });
  });

  it('by falling silent in the middle of a chart is given up after a while', async ({ world }) => {
    world.publishChart();
    world.registry.misbehave(({ path }, response) => {
      if (!path.includes('/blobs/')) return false;
      response.writeHead(200, { 'content-length': '1000' }).write('begin');
      return true;
    });
    expect(await failureOf(world, { idleTimeoutMs: 50 })).toMatchObject({ code: 'RegistryUnreachable' });
  });

  it('by not being there names the host', async ({ world }) => {
    await world.registry.stop();
    const error = (await failureOf(world)) as KubepkgError;
    expect(error.code).toBe('RegistryUnreachable');
    expect(error.message).toContain(world.registry.host);
  });

  it('by closing a kept connection is asked once more', async ({ world }) => {
    world.publishChart();
    const source = world.source();
    await source.fetch(world.chartRef());
    let dropped = 0;
    world.registry.misbehave((_, response) => {
      dropped += 1;
      if (dropped === 1) response.destroy();
      return dropped === 1;
    });
    expect(await source.fetch(world.chartRef())).toMatchObject({ name: 'web' });
    expect(dropped).toBeGreaterThan(1);
  });

  it.for([
    ['no JSON', '<html>'],
    ['an image index', '{"schemaVersion":2,"manifests":[]}'],
    ['layers without digests', '{"layers":[{"mediaType":"x"}]}'],
    ['a digest that is a path', '{"layers":[{"mediaType":"x","digest":"sha256:../../x"}]}'],
  ] as const)('by sending %s for a manifest is refused', async ([, manifest], { world }) => {
    world.registry.put('/v2/charts/web/manifests/1.2.3', manifest);
    expect(await failureOf(world)).toMatchObject({ code: 'ArchiveInvalid' });
  });

  it('by sending another manifest than the digest names is refused', async ({ world }) => {
    const digest = world.publishTree({ 'web/Chart.yaml': 'name: web\nversion: 1.0.0\n' });
    world.registry.put(`/v2/trees/shop/manifests/${digest}`, '{"layers":[]}');
    const ref = world.treeRef({ treeDigest: digest });
    await expect(world.source().fetch(ref)).rejects.toMatchObject({ code: 'ArchiveInvalid' });
    const other = { layers: [{ mediaType: 'x.tar+gzip', digest: `sha256:${'1'.repeat(64)}`, size: 1 }] };
    world.registry.put(`/v2/trees/shop/manifests/${digest}`, JSON.stringify(other));
    await expect(world.source().fetch(ref)).rejects.toMatchObject({ code: 'DigestMismatch' });
  });

  it('by sending a manifest without end is refused', async ({ world }) => {
    world.registry.put('/v2/charts/web/manifests/1.2.3', Buffer.alloc(5 * 1024 * 1024));
    expect(await failureOf(world)).toMatchObject({ code: 'ArchiveTooLarge' });
  });
});

describe('a registry with TLS', () => {
  it('of an authority of its own is trusted by file only', async ({ world }) => {
    const authority = createAuthority('test', Date.now());
    const { key, certificate } = authority.issue('registry');
    await world.useRegistry({ tls: { key, cert: certificate } });
    world.publishChart();
    const caFile = join(world.folder, 'ca.pem');
    await writeFile(caFile, authority.certificate);
    const chart = await world.source({ plainHttp: false, caFile }).fetch(world.chartRef());
    expect(chart).toMatchObject({ name: 'web' });
    const untrusted = (await failureOf(world, { plainHttp: false })) as KubepkgError;
    expect(untrusted.code).toBe('RegistryUnreachable');
    expect(untrusted.hint).toContain('certificate authority');
  });

  it('that speaks plain HTTP after all is named so', async ({ world }) => {
    const error = (await failureOf(world, { plainHttp: false })) as KubepkgError;
    expect(error.code).toBe('RegistryUnreachable');
    expect(error.hint).toContain('plain HTTP');
  });

  it('does not lead back to plain HTTP', async ({ world }) => {
    const plain = world.registry;
    const authority = createAuthority('test', Date.now());
    const { key, certificate } = authority.issue('registry');
    await world.useRegistry({ tls: { key, cert: certificate } });
    world.registry.misbehave(failing(9, 302, { location: `http://${plain.host}/v2/` }));
    const caFile = join(world.folder, 'ca.pem');
    await writeFile(caFile, authority.certificate);
    expect(await failureOf(world, { plainHttp: false, caFile })).toMatchObject({ code: 'RegistryUnreachable' });
    expect(plain.seen).toEqual([]);
  });

  it('is not asked when the file of its authority is missing', ({ world }) => {
    expect(() => world.source({ caFile: join(world.folder, 'none.pem') })).toThrow(
      expect.objectContaining({ code: 'InvalidConfiguration' }) as Error,
    );
  });
});
