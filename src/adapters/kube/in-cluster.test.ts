import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inClusterAccess } from './in-cluster.ts';

const DIR = mkdtempSync(join(tmpdir(), 'kubepkg-in-cluster-'));
for (const [name, content] of [
  ['token', 't'],
  ['ca.crt', 'pem'],
  ['namespace', 'operators\n'],
] as const) {
  writeFileSync(join(DIR, name), content);
}

afterAll(() => {
  rmSync(DIR, { recursive: true });
});

describe('inside a pod', () => {
  it.each([
    ['10.0.0.1', 'https://10.0.0.1:443'],
    ['fd00::1', 'https://[fd00::1]:443'],
    ['kubernetes.default', 'https://kubernetes.default:443'],
  ])('the service account leads to the server at %s', (host, server) => {
    expect(inClusterAccess({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '443' }, DIR)).toEqual({
      server,
      namespace: 'operators',
      origin: `the service account of this pod (${DIR})`,
      tls: { insecure: false, ca: 'pem' },
      user: { tokenFile: join(DIR, 'token') },
    });
  });

  it.each([
    [{}],
    [{ KUBERNETES_SERVICE_HOST: '', KUBERNETES_SERVICE_PORT: '443' }],
    [{ KUBERNETES_SERVICE_HOST: 'h' }],
  ])('is not where the environment is %j', (env) => {
    expect(inClusterAccess(env, DIR)).toBeUndefined();
  });

  it('without a mounted token it says what to do', () => {
    const env = { KUBERNETES_SERVICE_HOST: 'h', KUBERNETES_SERVICE_PORT: '443' };
    expect(() => inClusterAccess(env, '/absent')).toThrow(
      expect.objectContaining({
        code: 'KubeconfigInvalid',
        hint: expect.stringContaining('automountServiceAccountToken') as string,
      }),
    );
  });
});
