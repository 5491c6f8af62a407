import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestCases, tagCases } from './registry-manifest-cases.ts';
import { blobCases, uploadCases } from './registry-upload-cases.ts';
import { type RegistryAddress, RegistryUser } from './registry-world.ts';

/** What every registry does, by the words of the distribution specification. */
export function registryConformance(
  name: string,
  start: () => Promise<RegistryAddress & { readonly close: () => Promise<void> }>,
): void {
  describe(`registry conformance: ${name}`, () => {
    const parts: { user?: RegistryUser; close?: () => Promise<void> } = {};
    const user = (): RegistryUser => {
      if (parts.user === undefined) throw new Error('the registry has not been started');
      return parts.user;
    };
    beforeAll(async () => {
      const started = await start();
      Object.assign(parts, { user: new RegistryUser(started), close: started.close });
    });
    afterAll(async () => {
      parts.user?.close();
      await parts.close?.();
    });

    it('says what it speaks', async () => {
      const answer = await user().get('/v2/');
      expect(answer).toMatchObject({
        status: 200,
        headers: { 'docker-distribution-api-version': 'registry/2.0' },
      });
    });

    uploadCases(user);
    blobCases(user);
    manifestCases(user);
    tagCases(user);

    it.for([
      ['PUT', '/v2/conformance/x/tags/list'],
      ['PATCH', '/v2/conformance/x/manifests/1'],
    ] as const)('refuses %s %s', async ([method, path]) => {
      expect((await user().ask(method, path)).status).toBe(405);
    });

    it.for(['/v2/conformance/x/nothing', '/v1/', '/v2/conformance/x/referrers/y'])(
      'has nothing at %s',
      async (path) => {
        expect((await user().get(path)).status).toBe(404);
      },
    );
  });
}
