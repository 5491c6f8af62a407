import { describe, expect, it } from 'vitest';
import { judge, service } from '../../../test/build/readiness-objects.ts';
import { DEFAULT_READINESS_OPTIONS } from './verdict.ts';

const ADDRESS = { ...DEFAULT_READINESS_OPTIONS, loadBalancer: 'Address' } as const;
const loadBalancer = { type: 'LoadBalancer', clusterIP: '10.0.0.1' };
const ingress = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };

describe('a Service', () => {
  it.each([
    ['a cluster IP', { type: 'ClusterIP', clusterIP: '10.0.0.1' }, 'ready'],
    ['no type', { clusterIP: '10.0.0.1' }, 'ready'],
    ['no cluster IP on purpose', { clusterIP: 'None' }, 'ready'],
    ['no cluster IP yet', { type: 'NodePort' }, 'progressing'],
    ['an external name', { type: 'ExternalName', externalName: 'example.dev' }, 'ready'],
  ])('with %s is %s', (_case, spec, verdict) => {
    expect(judge(service({ spec })).status).toBe(verdict);
  });

  it.each([
    ['cluster IP only, which is enough', DEFAULT_READINESS_OPTIONS, loadBalancer, {}, 'ready'],
    ['cluster IP only, an address is asked for', ADDRESS, loadBalancer, {}, 'progressing'],
    ['an address, as asked for', ADDRESS, loadBalancer, ingress, 'ready'],
    ['an external IP of the spec', ADDRESS, { ...loadBalancer, externalIPs: ['192.0.2.2'] }, {}, 'ready'],
    ['no cluster IP yet', DEFAULT_READINESS_OPTIONS, { type: 'LoadBalancer' }, {}, 'progressing'],
  ])('F44 of type LoadBalancer with %s', (_case, options, spec, status, verdict) => {
    expect(judge(service({ spec, status }), { options }).status).toBe(verdict);
  });
});
