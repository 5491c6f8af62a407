import type { ApiAccess } from './api-client.ts';
import { mustCallApi } from './api-client.ts';

export interface NodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly capacity?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

const ROOMY = { cpu: '1000', memory: '4Ti', pods: '100000', 'ephemeral-storage': '4Ti' };

export const STORAGE_CLASS = 'sim';

export function nodeSpecs(nodes: number | readonly NodeSpec[]): readonly NodeSpec[] {
  if (typeof nodes !== 'number') return nodes;
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${String(index + 1)}` }));
}

export async function createNodes(access: ApiAccess, nodes: readonly NodeSpec[]): Promise<void> {
  await Promise.all(
    nodes.map((node, index) =>
      mustCallApi(access, { method: 'POST', path: '/api/v1/nodes', body: nodeObject(node, index) }),
    ),
  );
}

function nodeObject(node: NodeSpec, index: number): object {
  const capacity = { ...ROOMY, ...node.capacity };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: node.name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        'kubernetes.io/hostname': node.name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...node.labels,
      },
    },
    spec: { taints: node.taints },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address: `172.30.${String(Math.floor(index / 250))}.${String((index % 250) + 1)}` },
        { type: 'Hostname', address: node.name },
      ],
    },
  };
}

/** The default class; kwok plays its provisioner (stages/pvc-provision.yaml). */
export async function createStorageClass(access: ApiAccess): Promise<void> {
  await mustCallApi(access, {
    method: 'POST',
    path: '/apis/storage.k8s.io/v1/storageclasses',
    body: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'sim.kubepkg.dev',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
  });
}
