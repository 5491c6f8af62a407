import { describe, expect, it } from 'vitest';
import { codeOf, digestOf, freshName, INDEX, MANIFEST, type RegistryUser } from './registry-world.ts';

export function manifestCases(user: () => RegistryUser): void {
  describe('a manifest', () => {
    it('is there by its tag and by its digest, byte by byte', async () => {
      const name = freshName();
      const manifest = await user().pushArtifact(name, '1.0.0');
      const expected = { 'content-type': MANIFEST, 'docker-content-digest': digestOf(manifest) };
      for (const reference of ['1.0.0', digestOf(manifest)]) {
        const read = await user().manifest(name, reference);
        expect(read).toMatchObject({ status: 200, headers: expected });
        expect(read.body.toString()).toBe(manifest);
        const asked = await user().manifest(name, reference, 'HEAD');
        expect(asked).toMatchObject({
          status: 200,
          headers: { ...expected, 'content-length': String(manifest.length) },
        });
      }
    });

    it('is put by its digest without a tag', async () => {
      const name = freshName();
      const manifest = JSON.stringify(await user().artifactOf(name, 'x'));
      expect((await user().putManifest(name, digestOf(manifest), manifest)).status).toBe(201);
      expect((await user().manifest(name, digestOf(manifest))).status).toBe(200);
    });

    it('stays by its digest when its tag is moved', async () => {
      const name = freshName();
      const first = await user().pushArtifact(name, 'moved', 'first');
      const second = await user().pushArtifact(name, 'moved', 'second');
      expect((await user().manifest(name, 'moved')).body.toString()).toBe(second);
      expect((await user().manifest(name, digestOf(first))).body.toString()).toBe(first);
    });

    it('of several is an index, and is refused while one of them is missing', async () => {
      const name = freshName();
      const manifest = await user().pushArtifact(name, 'part');
      const part = { mediaType: MANIFEST, digest: digestOf(manifest), size: manifest.length };
      const platform = { architecture: 'amd64', os: 'linux' };
      const index = { schemaVersion: 2, mediaType: INDEX, manifests: [{ ...part, platform }] };
      expect((await user().putManifest(name, 'all', index, INDEX)).status).toBe(201);
      expect((await user().manifest(name, 'all')).headers['content-type']).toBe(INDEX);
      const missing = { ...index, manifests: [{ ...part, platform, digest: digestOf('no') }] };
      expect(codeOf(await user().putManifest(name, 'none', missing, INDEX))).toBe('MANIFEST_BLOB_UNKNOWN');
    });

    it('is refused while a blob of it is missing', async () => {
      const name = freshName();
      const layers = [{ mediaType: 'text/plain', digest: digestOf('missing'), size: 7 }];
      const manifest = { ...((await user().artifactOf(name, 'x')) as object), layers };
      const refused = await user().putManifest(name, 'missing', manifest);
      expect(codeOf(refused)).toBe('MANIFEST_BLOB_UNKNOWN');
      expect((await user().manifest(name, 'missing')).status).toBe(404);
    });

    it('is refused by another digest than its own', async () => {
      const name = freshName();
      const refused = await user().putManifest(name, digestOf('other'), await user().artifactOf(name, 'x'));
      expect([refused.status, codeOf(refused)]).toEqual([400, 'DIGEST_INVALID']);
    });

    it.for([
      ['no JSON', '<html>', MANIFEST],
      ['no object', '[]', MANIFEST],
      ['another kind than it is sent as', `{"schemaVersion":2,"mediaType":"${INDEX}","manifests":[]}`, MANIFEST],
    ] as const)('that is %s is refused', async ([, manifest, mediaType]) => {
      const refused = await user().putManifest(freshName(), 'bad', manifest, mediaType);
      expect([refused.status, codeOf(refused)]).toEqual([400, 'MANIFEST_INVALID']);
    });

    it('larger than 4 MiB is refused', async () => {
      const refused = await user().putManifest(freshName(), 'large', ' '.repeat(4 * 1024 * 1024 + 1));
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.status).toBeLessThan(500);
    });

    it('that is not there is said to be unknown', async () => {
      for (const reference of ['1.0.0', digestOf('nothing')]) {
        const read = await user().manifest(freshName(), reference);
        expect([read.status, codeOf(read)]).toEqual([404, 'MANIFEST_UNKNOWN']);
        expect((await user().manifest(freshName(), reference, 'HEAD')).status).toBe(404);
      }
    });

    it('deleted by its digest is gone with its tags', async () => {
      const name = freshName();
      const manifest = await user().pushArtifact(name, 'gone');
      await user().pushArtifact(name, 'left');
      expect((await user().ask('DELETE', `/v2/${name}/manifests/${digestOf(manifest)}`)).status).toBe(202);
      expect((await user().manifest(name, 'gone')).status).toBe(404);
      expect((await user().manifest(name, digestOf(manifest))).status).toBe(404);
      expect(await tagsOf(name)).toEqual(['left']);
    });

    it('deleted by a tag loses that tag alone', async () => {
      const name = freshName();
      const manifest = await user().pushArtifact(name, 'one', 'same');
      await user().pushArtifact(name, 'two', 'same');
      expect((await user().ask('DELETE', `/v2/${name}/manifests/one`)).status).toBe(202);
      expect((await user().manifest(name, 'one')).status).toBe(404);
      expect((await user().manifest(name, 'two')).body.toString()).toBe(manifest);
      expect((await user().manifest(name, digestOf(manifest))).status).toBe(200);
    });
  });

  async function tagsOf(name: string): Promise<unknown> {
    const { body } = await user().get(`/v2/${name}/tags/list`);
    return (JSON.parse(body.toString()) as { tags: unknown }).tags;
  }
}

export function tagCases(user: () => RegistryUser): void {
  describe('tags', () => {
    it('are listed in order, some at a time', async () => {
      const name = freshName();
      for (const tag of ['b', 'a', 'c', 'A']) await user().pushArtifact(name, tag);
      expect(await tagsAt(`/v2/${name}/tags/list`)).toEqual({ tags: ['A', 'a', 'b', 'c'], next: undefined });
      const first = await tagsAt(`/v2/${name}/tags/list?n=3`);
      expect(first).toMatchObject({ tags: ['A', 'a', 'b'], next: expect.any(String) as string });
      expect(await tagsAt(first.next ?? '')).toEqual({ tags: ['c'], next: undefined });
      expect(await tagsAt(`/v2/${name}/tags/list?n=0`)).toEqual({ tags: [], next: undefined });
      expect(await tagsAt(`/v2/${name}/tags/list?last=a`)).toEqual({ tags: ['b', 'c'], next: undefined });
    });

    it.for(['-1', 'x'])('cannot be listed %j at a time', async (n) => {
      const name = freshName();
      await user().pushArtifact(name, '1');
      const refused = await user().get(`/v2/${name}/tags/list?n=${n}`);
      expect([refused.status, codeOf(refused)]).toEqual([400, 'PAGINATION_NUMBER_INVALID']);
    });

    it('of a repository that does not exist are not there', async () => {
      const read = await user().get(`/v2/${freshName()}/tags/list`);
      expect([read.status, codeOf(read)]).toEqual([404, 'NAME_UNKNOWN']);
    });
  });

  async function tagsAt(path: string): Promise<{ readonly tags: unknown; readonly next: string | undefined }> {
    const { body, headers } = await user().get(path);
    const { tags } = JSON.parse(body.toString()) as { tags: unknown };
    const link = Array.isArray(headers.link) ? headers.link.join() : headers.link;
    return { tags, next: /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1] };
  }
}
