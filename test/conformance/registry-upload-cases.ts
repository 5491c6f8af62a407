import { describe, expect, it } from 'vitest';
import { codeOf, digestOf, freshName, type RegistryUser } from './registry-world.ts';

export function uploadCases(user: () => RegistryUser): void {
  describe('a blob', () => {
    it('sent at once can be read, and be asked for', async () => {
      const name = freshName();
      const digest = digestOf('hello');
      const sent = await user().finish(await user().begin(name), digest, 'hello');
      expect(sent).toMatchObject({ status: 201, headers: { 'docker-content-digest': digest } });
      const read = await user().get(sent.headers.location ?? '');
      expect(read).toMatchObject({ status: 200, headers: { 'content-length': '5', 'docker-content-digest': digest } });
      expect(read.body.toString()).toBe('hello');
      const asked = await user().ask('HEAD', `/v2/${name}/blobs/${digest}`);
      expect(asked).toMatchObject({ status: 200, headers: { 'content-length': '5', 'docker-content-digest': digest } });
      expect(asked.body).toHaveLength(0);
    });

    it('of no bytes is one, too', async () => {
      const name = freshName();
      await user().pushBlob(name, '');
      expect(await user().get(`/v2/${name}/blobs/${digestOf('')}`)).toMatchObject({
        status: 200,
        body: Buffer.alloc(0),
      });
    });

    it('sent in chunks is put together', async () => {
      const name = freshName();
      const first = await sendChunk(await user().begin(name), 'hello ', '0-5');
      expect(first).toMatchObject({ status: 202, headers: { range: '0-5' } });
      const second = await sendChunk(first.headers.location ?? '', 'big ', '6-9');
      expect(second).toMatchObject({ status: 202, headers: { range: '0-9' } });
      const told = await user().get(second.headers.location ?? '');
      expect(told).toMatchObject({ status: 204, headers: { range: '0-9' } });
      const digest = digestOf('hello big world');
      expect((await user().finish(told.headers.location ?? '', digest, 'world')).status).toBe(201);
      expect((await user().get(`/v2/${name}/blobs/${digest}`)).body.toString()).toBe('hello big world');
    });

    it('sent as a stream of unknown length, and ended without more, is whole', async () => {
      const name = freshName();
      const headers = { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' };
      const sent = await user().ask('PATCH', await user().begin(name), { headers, body: 'streamed' });
      expect(sent.status).toBe(202);
      expect((await user().finish(sent.headers.location ?? '', digestOf('streamed'))).status).toBe(201);
      expect((await user().get(`/v2/${name}/blobs/${digestOf('streamed')}`)).body.toString()).toBe('streamed');
    });

    it('whose chunks leave a gap is refused there, and goes on where it was', async () => {
      const name = freshName();
      const first = await sendChunk(await user().begin(name), 'abc', '0-2');
      const gap = await sendChunk(first.headers.location ?? '', 'xyz', '7-9');
      expect(gap.status).toBe(416);
      const told = await user().get(first.headers.location ?? '');
      expect(told).toMatchObject({ status: 204, headers: { range: '0-2' } });
      expect((await user().finish(told.headers.location ?? '', digestOf('abcd'), 'd')).status).toBe(201);
    });

    it('of another digest than it was sent with is not there, by either', async () => {
      const name = freshName();
      const refused = await user().finish(await user().begin(name), digestOf('right'), 'wrong');
      expect([refused.status, codeOf(refused)]).toEqual([400, 'DIGEST_INVALID']);
      expect((await user().get(`/v2/${name}/blobs/${digestOf('right')}`)).status).toBe(404);
      expect((await user().get(`/v2/${name}/blobs/${digestOf('wrong')}`)).status).toBe(404);
    });

    it.for(['', 'sha256:abc', `md4:${'0'.repeat(32)}`])('sent with the digest %j is refused', async (digest) => {
      const refused = await user().finish(await user().begin(freshName()), digest, 'x');
      expect([refused.status, codeOf(refused)]).toEqual([400, 'DIGEST_INVALID']);
    });

    it('whose upload was cancelled cannot go on', async () => {
      const location = await user().begin(freshName());
      expect((await user().ask('DELETE', location)).status).toBe(204);
      const told = await user().get(location);
      expect([told.status, codeOf(told)]).toEqual([404, 'BLOB_UPLOAD_UNKNOWN']);
    });

    it('is not mixed with another that comes in at the same time', async () => {
      const name = freshName();
      const [one, two] = [await user().begin(name), await user().begin(name)];
      const [first, second] = await Promise.all([sendChunk(one, 'one', '0-2'), sendChunk(two, 'two', '0-2')]);
      expect((await user().finish(first.headers.location ?? '', digestOf('one'))).status).toBe(201);
      expect((await user().finish(second.headers.location ?? '', digestOf('two'))).status).toBe(201);
    });
  });

  function sendChunk(location: string, body: string, range: string) {
    const headers = { 'content-type': 'application/octet-stream', 'content-range': range };
    return user().ask('PATCH', location, { headers, body });
  }
}

export function blobCases(user: () => RegistryUser): void {
  describe('a blob that is there', () => {
    it.for([
      ['bytes=2-4', 'cde', 'bytes 2-4/6'],
      ['bytes=4-', 'ef', 'bytes 4-5/6'],
      ['bytes=4-99', 'ef', 'bytes 4-5/6'],
      ['bytes=-2', 'ef', 'bytes 4-5/6'],
    ] as const)('is given in part: %s', async ([range, part, placed]) => {
      const name = freshName();
      const digest = await user().pushBlob(name, 'abcdef');
      const read = await user().get(`/v2/${name}/blobs/${digest}`, { range });
      expect(read).toMatchObject({ status: 206, headers: { 'content-range': placed } });
      expect(read.body.toString()).toBe(part);
    });

    it('is not given from behind its end', async () => {
      const name = freshName();
      const digest = await user().pushBlob(name, 'abcdef');
      expect((await user().get(`/v2/${name}/blobs/${digest}`, { range: 'bytes=6-' })).status).toBe(416);
    });

    it('is mounted into another repository without being sent, and is nowhere else', async () => {
      const [from, name] = [freshName(), freshName()];
      const digest = await user().pushBlob(from, 'shared');
      expect((await user().get(`/v2/${name}/blobs/${digest}`)).status).toBe(404);
      const mounted = await user().ask('POST', `/v2/${name}/blobs/uploads/?mount=${digest}&from=${from}`);
      expect(mounted).toMatchObject({ status: 201, headers: { 'docker-content-digest': digest } });
      expect((await user().get(`/v2/${name}/blobs/${digest}`)).body.toString()).toBe('shared');
    });

    it('is deleted here, and stays where it was mounted', async () => {
      const [from, name] = [freshName(), freshName()];
      const digest = await user().pushBlob(from, 'kept');
      await user().ask('POST', `/v2/${name}/blobs/uploads/?mount=${digest}&from=${from}`);
      expect((await user().ask('DELETE', `/v2/${from}/blobs/${digest}`)).status).toBe(202);
      expect((await user().get(`/v2/${from}/blobs/${digest}`)).status).toBe(404);
      expect((await user().get(`/v2/${name}/blobs/${digest}`)).body.toString()).toBe('kept');
    });
  });

  describe('a blob that is not there', () => {
    it('is said to be unknown', async () => {
      const read = await user().get(`/v2/${freshName()}/blobs/${digestOf('nothing')}`);
      expect([read.status, codeOf(read)]).toEqual([404, 'BLOB_UNKNOWN']);
      expect((await user().ask('HEAD', `/v2/${freshName()}/blobs/${digestOf('nothing')}`)).status).toBe(404);
    });

    it('is an upload where it cannot be mounted from', async () => {
      const [from, name] = [freshName(), freshName()];
      const asked = await user().ask('POST', `/v2/${name}/blobs/uploads/?mount=${digestOf('no')}&from=${from}`);
      expect(asked.status).toBe(202);
      expect((await user().finish(asked.headers.location ?? '', digestOf('no'), 'no')).status).toBe(201);
    });
  });
}
