import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';
import { adminAccess, clientOf } from './clients.ts';

const access = adminAccess();
const client = clientOf(access, { strictGroups: ['networking.k8s.io'] });
const namespace = `errors-${randomUUID().slice(0, 8)}`;

function configMap(name: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels } };
}

beforeAll(async () => {
  await client.write({
    verb: 'create',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { errors: namespace } } },
  });
});

afterAll(async () => {
  const ref = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: namespace,
  };
  await client.write({ verb: 'delete', ref });
  client.close();
});

describe('what a real API server answers', () => {
  it('when a webhook has no endpoint is WebhookNotAnswering', async () => {
    await client.write({
      verb: 'create',
      object: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: namespace },
        webhooks: [
          {
            name: 'nobody.kubepkg.test',
            clientConfig: { url: 'https://127.0.0.1:1/validate' },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
            namespaceSelector: { matchLabels: { errors: namespace } },
            objectSelector: { matchLabels: { hooked: 'yes' } },
            failurePolicy: 'Fail',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 1,
          },
        ],
      },
    });
    // The server learns of a webhook a moment after it was made.
    const tried = async (): Promise<unknown> => {
      const object = configMap(`hooked-${randomUUID()}`, { hooked: 'yes' });
      return client.write({ verb: 'create', object }).catch((error: unknown) => error);
    };
    await expect.poll(tried, { timeout: 10_000 }).toMatchObject({ code: 'WebhookNotAnswering', class: 'transient' });
  });

  it('to a field that it does not know, in a group that we write strictly, is ApiInvalid', async () => {
    const spec = { defaultBackend: { service: { name: 'a', port: { number: 80 } } }, unheardOf: true };
    const object = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'strict', namespace },
      spec,
    };
    await expect(client.write({ verb: 'create', object })).rejects.toMatchObject({
      code: 'ApiInvalid',
      message: expect.stringContaining('unheardOf') as string,
    });
  });

  it('when the quota is used up is ApiForbidden', async () => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace } };
    await client.write({ verb: 'create', object: { ...quota, spec: { hard: { 'count/secrets': '0' } } } });
    const secret = (): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: randomUUID(), namespace },
    });
    const tried = (): Promise<unknown> =>
      client.write({ verb: 'create', object: secret() }).catch((error: unknown) => error);
    await expect.poll(tried, { timeout: 10_000 }).toMatchObject({
      code: 'ApiForbidden',
      hint: expect.stringContaining('ResourceQuota') as string,
    });
  });

  it('to a wrong token is ApiUnauthorized', async () => {
    const stranger = clientOf({ ...access, user: { token: 'wrong' } });
    await expect(stranger.list({ apiVersion: 'v1', kind: 'Namespace' })).rejects.toMatchObject({
      code: 'ApiUnauthorized',
    });
    stranger.close();
  });

  it('to one who acts as another depends on the other', async () => {
    const impersonate = { user: 'nobody', groups: ['system:authenticated'], extra: { 'x.dev/y': ['z'] } };
    const other = clientOf({ ...access, impersonate });
    await expect(other.read({ apiVersion: 'v1', kind: 'Secret', namespace, name: 's' })).rejects.toMatchObject({
      code: 'ApiForbidden',
      message: expect.stringContaining('"nobody"') as string,
    });
    other.close();
  });

  it('about its version is understood', async () => {
    expect((await client.serverVersion()).gitVersion).toMatch(/^v1\.\d+\./);
  });

  it('to the log of a pod that does not exist is that there is none', async () => {
    const request = { namespace, pod: 'absent', container: 'c', tailLines: 5, limitBytes: 1000 };
    expect(await client.logs(request)).toBeUndefined();
  });

  it('to a stranger who asks by TLS without the right authority is not even heard', async () => {
    const stranger = clientOf({ ...access, tls: { insecure: false } });
    await expect(stranger.serverVersion()).rejects.toMatchObject({
      code: 'ApiUnreachable',
      hint: expect.stringContaining('certificate-authority') as string,
    });
    stranger.close();
  });
});
