import type { JsonMap } from '../../../src/embedded/model/object.ts';
import type { Rng } from '../../simulation/prng.ts';
import { CUSTOM_KINDS } from './custom-kinds.ts';
import type { Kind } from './kind.ts';
import { deploymentBody } from './deployment.ts';
import { MORE_KINDS } from './more-kinds.ts';
import { listOf, mapOf, maybe, words } from './values.ts';

function builtIn(
  plural: string,
  [apiVersion, kind]: readonly [string, string],
  more: Pick<Kind, 'body'> & Partial<Kind>,
): Kind {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return {
    collection: `${root}/namespaces/{ns}/${plural}`,
    apiVersion,
    kind,
    custom: false,
    subresources: [],
    marker: { apiVersion, kind },
    ...more,
  };
}

const DATA = ['AQ==', 'eA==', ''] as const;

const BUILT_IN_KINDS: readonly Kind[] = [
  builtIn('configmaps', ['v1', 'ConfigMap'], {
    body: (rng) => ({
      ...maybe(rng, 0.8, () => ({ data: mapOf(rng, words) })),
      ...maybe(rng, 0.15, () => ({ binaryData: { bin: rng.pick(DATA) } })),
      ...maybe(rng, 0.04, () => ({ immutable: rng.chance(0.7) })),
    }),
  }),
  builtIn('secrets', ['v1', 'Secret'], {
    body: (rng) => ({
      ...maybe(rng, 0.7, () => ({ data: mapOf(rng, () => rng.pick(DATA)) })),
      ...maybe(rng, 0.3, () => ({ stringData: mapOf(rng, words) })),
      ...maybe(rng, 0.2, () => ({ type: rng.pick(['Opaque', 'example.org/own']) })),
    }),
  }),
  builtIn('services', ['v1', 'Service'], {
    body: serviceBody,
    marker: { apiVersion: 'v1', kind: 'Service', spec: { clusterIP: 'None', ports: [{ port: 1 }] } },
  }),
  builtIn('deployments', ['apps/v1', 'Deployment'], {
    subresources: ['status', 'scale'],
    body: deploymentBody,
    status: (rng) => ({
      ...maybe(rng, 0.8, () => ({ replicas: rng.int(0, 3), observedGeneration: rng.int(1, 3) })),
      ...maybe(rng, 0.5, () => ({
        conditions: listOf(rng, 2, () => ({
          type: rng.pick(['Available', 'Progressing']),
          status: rng.pick(['True', 'False']),
        })),
      })),
    }),
    marker: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
  }),
  builtIn('serviceaccounts', ['v1', 'ServiceAccount'], {
    body: (rng) => ({
      ...maybe(rng, 0.4, () => ({ automountServiceAccountToken: rng.chance(0.5) })),
      ...maybe(rng, 0.5, () => ({ secrets: listOf(rng, 2, () => ({ name: words(rng) })) })),
      ...maybe(rng, 0.5, () => ({ imagePullSecrets: listOf(rng, 2, () => ({ name: words(rng) })) })),
    }),
  }),
  builtIn('roles', ['rbac.authorization.k8s.io/v1', 'Role'], {
    body: (rng) => ({
      rules: listOf(rng, 2, () => ({ apiGroups: [''], resources: ['configmaps'], verbs: [rng.pick(['get', 'list'])] })),
    }),
    marker: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] },
  }),
];

function serviceBody(rng: Rng): JsonMap {
  const isExternal = rng.chance(0.1);
  return {
    spec: {
      ...(isExternal ? { type: 'ExternalName', externalName: 'example.org' } : { clusterIP: 'None' }),
      ...maybe(rng, 0.6, () => ({ selector: mapOf(rng, words) })),
      ports: portList(rng),
      ...maybe(rng, 0.1, () => ({ publishNotReadyAddresses: true })),
    },
  };
}

function portList(rng: Rng): readonly JsonMap[] {
  return listOf(rng, 3, (index) => ({
    name: `p${String(index)}`,
    port: 80 + rng.int(0, 2),
    ...maybe(rng, 0.3, () => ({ protocol: rng.pick(['TCP', 'UDP']) })),
    ...maybe(rng, 0.3, () => ({ targetPort: rng.pick<string | number>([8080, 'http']) })),
  }));
}

export const KINDS: readonly Kind[] = [...BUILT_IN_KINDS, ...MORE_KINDS, ...CUSTOM_KINDS];

export function kindOfCollection(collection: string): Kind {
  const kind = KINDS.find((known) => known.collection === collection);
  if (kind === undefined) throw new Error(`no kind at ${collection}`);
  return kind;
}
