import type { ApiAccess } from './api-client.ts';
import { mustCallApi } from './api-client.ts';

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: { readonly containerStatuses?: readonly { readonly ready: boolean }[] };
}

/**
 * See stages/node-not-ready.yaml for the loss and stages/node-ready.yaml for the return. The readiness of the node's
 * pods goes along: lost, by what the node lifecycle controller does after its grace period; restored, by what a kubelet
 * does. kwok can play neither, because its stages see a pod, but not the pod's node.
 */
export async function setNodeReady(access: ApiAccess, node: string, ready: boolean): Promise<void> {
  await mustCallApi(access, {
    method: 'PATCH',
    path: `/api/v1/nodes/${node}`,
    contentType: MERGE,
    body: { metadata: { annotations: { 'sim.kubepkg.dev/not-ready': ready ? null : 'true' } } },
  });
  const list = (await mustCallApi(access, { path: `/api/v1/pods?fieldSelector=spec.nodeName=${node}` })) as {
    readonly items: readonly Pod[];
  };
  await Promise.all(list.items.filter(containersReady).map((pod) => markPod(access, pod, ready)));
}

function containersReady({ status }: Pod): boolean {
  const containers = status?.containerStatuses ?? [];
  return containers.length > 0 && containers.every(({ ready }) => ready);
}

async function markPod(access: ApiAccess, { metadata }: Pod, ready: boolean): Promise<void> {
  const condition = { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: new Date().toISOString() };
  await mustCallApi(access, {
    method: 'PATCH',
    path: `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`,
    contentType: STRATEGIC,
    body: { status: { conditions: [condition] } },
  });
}
