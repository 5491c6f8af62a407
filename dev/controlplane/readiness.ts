import type { ApiAccess } from './api-client.ts';
import { callApi, mustCallApi } from './api-client.ts';

const PROBE_POD = '/api/v1/namespaces/kube-system/pods/kubepkg-probe';

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface Readable {
  readonly status?: { readonly conditions?: readonly Condition[] };
  readonly spec?: { readonly taints?: readonly unknown[] };
}

export async function apiServerReady(access: ApiAccess): Promise<boolean> {
  return (await callApi(access, { path: '/readyz' })).status === 200;
}

/** Ready, and the taint every new node is given has been lifted by the node lifecycle controller. */
export async function nodeReady(access: ApiAccess, node: { name: string; taints: number }): Promise<boolean> {
  const found = (await mustCallApi(access, { path: `/api/v1/nodes/${node.name}` })) as Readable;
  return isReady(found) && (found.spec?.taints ?? []).length <= node.taints;
}

/** The namespace controllers have done their first round. */
export async function defaultNamespaceReady(access: ApiAccess): Promise<boolean> {
  const paths = [
    '/api/v1/namespaces/kube-system',
    '/api/v1/namespaces/default/serviceaccounts/default',
    '/api/v1/namespaces/default/configmaps/kube-root-ca.crt',
  ];
  const answers = await Promise.all(paths.map((path) => callApi(access, { path })));
  return answers.every(({ status }) => status === 200);
}

/** A pod that becomes ready proves the scheduler and kwok at once. */
export async function createProbePod(access: ApiAccess): Promise<void> {
  await mustCallApi(access, {
    method: 'POST',
    path: '/api/v1/namespaces/kube-system/pods',
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'kubepkg-probe' },
      spec: {
        containers: [{ name: 'probe', image: 'probe' }],
        tolerations: [{ operator: 'Exists' }],
        terminationGracePeriodSeconds: 0,
      },
    },
  });
}

export async function probePodReady(access: ApiAccess): Promise<boolean> {
  return isReady((await mustCallApi(access, { path: PROBE_POD })) as Readable);
}

export async function deleteProbePod(access: ApiAccess): Promise<void> {
  await mustCallApi(access, { method: 'DELETE', path: PROBE_POD });
}

function isReady(object: Readable): boolean {
  return (object.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
}
