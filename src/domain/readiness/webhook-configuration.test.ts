import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { builderOf, judge, service } from '../../../test/build/readiness-objects.ts';
import { relatedTo } from './assess.ts';

const clientConfig = { service: { name: 'web', namespace: 'shop', path: '/check' }, caBundle: 'Q0E=' };
const sibling = service();

function endpoints(...ready: readonly (boolean | undefined)[]): KubeObject {
  return builderOf(
    'discovery.k8s.io/v1',
    'EndpointSlice',
  )({
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    endpoints: ready.map((value) => ({ addresses: ['10.1.0.1'], conditions: { ready: value } })),
  });
}

describe.each(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])('a %s', (kind) => {
  const build = builderOf('admissionregistration.k8s.io/v1', kind);
  const own = build({ webhooks: [{ name: 'check.example.dev', clientConfig }] });

  it.each([
    ['a ready endpoint', [endpoints(false, true)], 'ready'],
    ['an endpoint that does not say', [endpoints(undefined)], 'ready'],
    ['no endpoint', [endpoints()], 'progressing'],
    ['no ready endpoint', [endpoints(false)], 'progressing'],
    ['no slice', [], 'progressing'],
  ])('F27 whose service in the release has %s', (_case, related, verdict) => {
    expect(judge(own, { related, siblings: [sibling] }).status).toBe(verdict);
  });

  it('F27 without a caBundle is not ready, and names the webhook', () => {
    const { caBundle: _missing, ...bare } = clientConfig;
    const verdict = judge(build({ webhooks: [{ name: 'check.example.dev', clientConfig: bare }] }), {
      related: [endpoints(true)],
      siblings: [sibling],
    });
    expect(verdict).toMatchObject({ status: 'progressing', reason: 'NoCABundle' });
    expect(verdict.message).toContain('check.example.dev');
  });

  it.each([
    ['whose service is of another release', own, []],
    ['whose service is in another namespace', own, [service({ metadata: { namespace: 'other' } })]],
    [
      'that is called by URL',
      build({ webhooks: [{ name: 'x', clientConfig: { url: 'https://example.dev' } }] }),
      [sibling],
    ],
    ['without webhooks', build({ webhooks: [] }), [sibling]],
  ])('%s is ready by existing', (_case, object, siblings) => {
    expect(judge(object, { siblings }).status).toBe('ready');
  });

  it('asks for the endpoints of each service once', () => {
    const two = build({
      webhooks: [
        { name: 'a', clientConfig },
        { name: 'b', clientConfig },
      ],
    });
    expect(relatedTo(two, judge(two, { siblings: [sibling] }))).toEqual([
      {
        kind: 'selected',
        purpose: 'verdict',
        selection: {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          namespace: 'shop',
          labelSelector: 'kubernetes.io/service-name=web',
        },
      },
    ]);
  });
});
