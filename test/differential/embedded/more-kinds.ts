import type { JsonMap } from '../../../src/embedded/model/object.ts';
import type { Rng } from '../../simulation/prng.ts';
import { podSpec } from './deployment.ts';
import type { Kind } from './kind.ts';
import { listOf, mapOf, maybe, word } from './values.ts';

const TEMPLATE = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

function inGroup(group: string, [plural, kind]: readonly [string, string], more: Pick<Kind, 'body' | 'marker'>): Kind {
  return {
    collection: `/apis/${group}/namespaces/{ns}/${plural}`,
    apiVersion: group,
    kind,
    custom: false,
    subresources: [],
    ...more,
    marker: { apiVersion: group, kind, ...more.marker },
  };
}

/** Kinds of other groups than the core's. */
export const MORE_KINDS: readonly Kind[] = [
  inGroup('apps/v1', ['statefulsets', 'StatefulSet'], {
    body: (rng) => ({
      spec: {
        ...maybe(rng, 0.4, () => ({ replicas: rng.int(0, 3) })),
        selector: { matchLabels: { app: 'a' } },
        ...maybe(rng, 0.6, () => ({ serviceName: word(rng) })),
        ...maybe(rng, 0.2, () => ({ podManagementPolicy: rng.pick(['OrderedReady', 'Parallel']) })),
        template: { metadata: { labels: { app: 'a' } }, spec: podSpec(rng) },
      },
    }),
    marker: { spec: { selector: { matchLabels: { app: 'a' } }, template: TEMPLATE } },
  }),
  inGroup('networking.k8s.io/v1', ['networkpolicies', 'NetworkPolicy'], {
    body: (rng) => ({
      spec: {
        podSelector: rng.chance(0.5) ? {} : { matchLabels: mapOf(rng, word) },
        ...maybe(rng, 0.5, () => ({ policyTypes: rng.pick([['Ingress'], ['Ingress', 'Egress']]) })),
        ...maybe(rng, 0.5, () => ({
          ingress: listOf(rng, 2, () =>
            maybe(rng, 0.7, () => ({ ports: [{ port: rng.pick<string | number>([80, 'http']) }] })),
          ),
        })),
      },
    }),
    marker: { spec: { podSelector: {} } },
  }),
  inGroup('networking.k8s.io/v1', ['ingresses', 'Ingress'], {
    body: (rng) => ({
      spec: {
        ...maybe(rng, 0.3, () => ({ ingressClassName: word(rng) })),
        ...maybe(rng, 0.3, () => ({ tls: [{ hosts: ['example.org'], secretName: word(rng) }] })),
        rules: listOf(rng, 2, () => ({ host: 'example.org', http: { paths: [ingressPath(rng)] } })),
        ...maybe(rng, 0.6, () => ({ defaultBackend: backend(rng) })),
      },
    }),
    marker: { spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } } },
  }),
  ...['v1', 'v2'].map((version) =>
    inGroup(`autoscaling/${version}`, ['horizontalpodautoscalers', 'HorizontalPodAutoscaler'], {
      body: (rng) => ({
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: word(rng) },
          ...maybe(rng, 0.4, () => ({ minReplicas: rng.int(1, 2) })),
          maxReplicas: rng.int(2, 4),
          ...(version === 'v1'
            ? maybe(rng, 0.5, () => ({ targetCPUUtilizationPercentage: rng.int(10, 20) }))
            : metrics(rng)),
        },
      }),
      marker: { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' }, maxReplicas: 1 } },
    }),
  ),
  inGroup('policy/v1', ['poddisruptionbudgets', 'PodDisruptionBudget'], {
    body: (rng) => ({
      spec: {
        ...maybe(rng, 0.7, () => ({ selector: { matchLabels: mapOf(rng, word) } })),
        ...(rng.chance(0.5) ? { minAvailable: rng.pick<string | number>([1, '50%']) } : { maxUnavailable: 1 }),
      },
    }),
    marker: { spec: { minAvailable: 1 } },
  }),
  inGroup('coordination.k8s.io/v1', ['leases', 'Lease'], {
    body: (rng) => ({
      spec: {
        ...maybe(rng, 0.6, () => ({ holderIdentity: word(rng) })),
        ...maybe(rng, 0.5, () => ({ leaseDurationSeconds: rng.int(1, 20) })),
        ...maybe(rng, 0.3, () => ({ renewTime: '2026-01-01T00:00:00.000000Z' })),
      },
    }),
    marker: {},
  }),
];

function ingressPath(rng: Rng): JsonMap {
  return {
    path: rng.pick(['/', '/a']),
    pathType: rng.pick(['Prefix', 'Exact', 'ImplementationSpecific']),
    backend: backend(rng),
  };
}

function backend(rng: Rng): JsonMap {
  return { service: { name: word(rng), port: rng.chance(0.5) ? { number: 80 } : { name: 'http' } } };
}

function metrics(rng: Rng): JsonMap {
  return maybe(rng, 0.5, () => ({
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: rng.int(10, 20) } },
      },
    ],
  }));
}
