import type { JsonMap } from '../../../src/embedded/model/object.ts';
import type { Rng } from '../../simulation/prng.ts';
import { listOf, mapOf, maybe, word } from './values.ts';

export function deploymentBody(rng: Rng): JsonMap {
  return {
    spec: {
      ...maybe(rng, 0.5, () => ({ replicas: rng.int(0, 3) })),
      selector: { matchLabels: { app: rng.chance(0.97) ? 'a' : 'b' } },
      ...maybe(rng, 0.15, () => ({ strategy: strategy(rng) })),
      ...maybe(rng, 0.1, () => ({ paused: rng.chance(0.5) })),
      ...maybe(rng, 0.1, () => ({ minReadySeconds: rng.int(0, 5) })),
      template: {
        metadata: { labels: { app: 'a', ...maybe(rng, 0.3, () => ({ tier: word(rng) })) } },
        spec: podSpec(rng),
      },
    },
  };
}

function strategy(rng: Rng): JsonMap {
  if (rng.chance(0.4)) return { type: 'Recreate' };
  return {
    type: 'RollingUpdate',
    ...maybe(rng, 0.5, () => ({ rollingUpdate: { maxSurge: rng.pick<string | number>([1, '50%']) } })),
  };
}

export function podSpec(rng: Rng): JsonMap {
  const names = ['c', 'd', 'e'].filter((_, index) => index === 0 || rng.chance(0.3));
  return {
    containers: rng.shuffled(names).map((name) => container(rng, name)),
    ...maybe(rng, 0.15, () => ({ initContainers: [container(rng, 'init')] })),
    ...maybe(rng, 0.2, () => ({ volumes: volumes(rng) })),
    ...maybe(rng, 0.15, () => ({ tolerations: [{ key: word(rng), operator: 'Exists' }] })),
    ...maybe(rng, 0.15, () => ({ nodeSelector: mapOf(rng, word) })),
    ...maybe(rng, 0.1, () => ({ imagePullSecrets: listOf(rng, 2, () => ({ name: word(rng) })) })),
    ...maybe(rng, 0.1, () => ({ securityContext: { runAsUser: rng.int(1, 3) } })),
    ...maybe(rng, 0.1, () => ({ serviceAccountName: word(rng) })),
    ...maybe(rng, 0.1, () => ({ hostAliases: [{ ip: '192.0.2.1', hostnames: [word(rng)] }] })),
  };
}

function container(rng: Rng, name: string): JsonMap {
  return {
    name,
    image: rng.pick(['app:1', 'app:2', 'app', 'app:latest']),
    ...maybe(rng, 0.3, () => ({ args: listOf(rng, 2, () => word(rng)) })),
    ...maybe(rng, 0.4, () => ({ env: environment(rng) })),
    ...maybe(rng, 0.3, () => ({
      ports: rng
        .shuffled([80, 81])
        .slice(0, rng.int(0, 2))
        .map((port) => ({
          containerPort: port,
          ...maybe(rng, 0.3, () => ({ name: `p${String(port)}` })),
          ...maybe(rng, 0.2, () => ({ protocol: 'TCP' })),
        })),
    })),
    ...maybe(rng, 0.2, () => ({ resources: { limits: { cpu: rng.pick(['1', '500m', '0.5']) } } })),
    ...maybe(rng, 0.15, () => ({ readinessProbe: { httpGet: { path: '/', port: 80 } } })),
    ...maybe(rng, 0.1, () => ({ imagePullPolicy: rng.pick(['Always', 'IfNotPresent']) })),
  };
}

function environment(rng: Rng): readonly JsonMap[] {
  return rng
    .shuffled(['A', 'B', 'C'])
    .slice(0, rng.int(0, 3))
    .map((name) =>
      rng.chance(0.8)
        ? { name, ...maybe(rng, 0.8, () => ({ value: word(rng) })) }
        : { name, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    );
}

function volumes(rng: Rng): readonly JsonMap[] {
  return ['v', 'w']
    .slice(0, rng.int(0, 2))
    .map((name) => (rng.chance(0.5) ? { name, emptyDir: {} } : { name, configMap: { name: word(rng) } }));
}
