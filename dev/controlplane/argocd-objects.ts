import { randomBytes } from 'node:crypto';
import type { ApiAccess } from './api-client.ts';
import { applyObject, mustCallApi } from './api-client.ts';
import type { Registry } from './contract.ts';

export const ARGOCD_NAMESPACE = 'argocd';

const CORE = `/api/v1/namespaces/${ARGOCD_NAMESPACE}`;
const ARGOPROJ = `/apis/argoproj.io/v1alpha1/namespaces/${ARGOCD_NAMESPACE}`;
const PROBE = `${ARGOPROJ}/applications/kubepkg-probe`;

/** What Argo CD's own manifests bring along, and the registry's credentials. Needs the definitions. */
export async function applyArgocdObjects(access: ApiAccess, registry: Registry | undefined): Promise<void> {
  await applyObject(access, `/api/v1/namespaces/${ARGOCD_NAMESPACE}`, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: ARGOCD_NAMESPACE },
  });
  await Promise.all([
    ...['argocd-cm', 'argocd-rbac-cm', 'argocd-gpg-keys-cm'].map((name) =>
      applyObject(access, `${CORE}/configmaps/${name}`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: settingsMetadata(name),
      }),
    ),
    applyObject(access, `${CORE}/secrets/argocd-secret`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: settingsMetadata('argocd-secret'),
      stringData: { 'server.secretkey': randomBytes(32).toString('base64') },
    }),
    applyObject(access, `${ARGOPROJ}/appprojects/default`, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default', namespace: ARGOCD_NAMESPACE },
      spec: {
        sourceRepos: ['*'],
        destinations: [{ namespace: '*', server: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    }),
    ...(registry === undefined ? [] : [applyRegistry(access, registry)]),
  ]);
}

async function applyRegistry(access: ApiAccess, { hostByName, basicAuth }: Registry): Promise<void> {
  await applyObject(access, `${CORE}/secrets/registry`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'registry',
      namespace: ARGOCD_NAMESPACE,
      // Unlike a repository, a template for credentials holds for everything below its URL.
      labels: { 'argocd.argoproj.io/secret-type': 'repo-creds' },
    },
    stringData: { type: 'helm', enableOCI: 'true', url: hostByName, ...basicAuth },
  });
}

// Argo CD looks for its settings by this label, not by name alone.
function settingsMetadata(name: string): object {
  return { name, namespace: ARGOCD_NAMESPACE, labels: { 'app.kubernetes.io/part-of': 'argocd' } };
}

/** An Application that can only be refused; that it was proves the controller without a chart. */
export async function createProbe(access: ApiAccess): Promise<void> {
  await applyObject(access, PROBE, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'kubepkg-probe', namespace: ARGOCD_NAMESPACE },
    spec: {
      project: 'none',
      source: { repoURL: '127.0.0.1', chart: 'none', targetRevision: '0.0.0' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
  });
}

export async function probeJudged(access: ApiAccess): Promise<boolean> {
  const { status } = (await mustCallApi(access, { path: PROBE })) as {
    readonly status?: { readonly conditions?: readonly unknown[] };
  };
  return (status?.conditions ?? []).length > 0;
}

export async function deleteProbe(access: ApiAccess): Promise<void> {
  await mustCallApi(access, { method: 'DELETE', path: PROBE });
}
