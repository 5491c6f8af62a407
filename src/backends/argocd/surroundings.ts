import { asKubepkgError, isCode, KubepkgError } from '../../api/errors.ts';
import { asArray, at } from '../../lib/json.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { APPLICATION } from './application.ts';
import type { ArgoCdOptions } from './tools.ts';

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'applications.argoproj.io',
} as const;
const PERMISSIONS = 'give kubepkg the permissions that docs/guides/argocd.md lists';

/** Why nothing can be delivered by Argo CD here; undefined: it can. */
export async function checkSurroundings(cluster: Cluster, options: ArgoCdOptions): Promise<KubepkgError | undefined> {
  try {
    const missing = (await checkKind(cluster)) ?? (await checkProject(cluster, options));
    // Nothing has this name; who may not ask for it may not ask for any.
    if (missing === undefined) await cluster.read({ ...APPLICATION, namespace: options.namespace, name: 'kubepkg' });
    return missing;
  } catch (error) {
    if (!isCode(error, 'ApiForbidden')) return asKubepkgError(error);
    return unavailable(`backend argocd lacks a permission: ${error.message}`, PERMISSIONS);
  }
}

async function checkKind(cluster: Cluster): Promise<KubepkgError | undefined> {
  const crd = await cluster.read(CRD);
  if (crd === undefined) {
    return unavailable('Argo CD is not installed: the cluster serves no Applications', 'install Argo CD 3.1 or newer');
  }
  const versions = asArray(at(crd, 'spec', 'versions'));
  const served = versions.find((version) => `argoproj.io/${String(at(version, 'name'))}` === APPLICATION.apiVersion);
  if (served !== undefined && at(served, 'served') === true && isUsable(served)) return undefined;
  return unavailable(
    'this version of Argo CD is not supported: its Applications lack what kubepkg sets, or hold it otherwise',
    'use Argo CD 3.1 or newer',
  );
}

/**
 * Operations are started and ended by writing the whole Application, its status included. With the switch of automated
 * sync came the charts that are named by a digest.
 */
function isUsable(version: unknown): boolean {
  const spec = at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties');
  const fields = [
    ...['valuesObject', 'skipSchemaValidation', 'skipTests'].map((field) =>
      at(spec, 'source', 'properties', 'helm', 'properties', field),
    ),
    at(spec, 'syncPolicy', 'properties', 'automated', 'properties', 'enabled'),
  ];
  return at(version, 'subresources', 'status') === undefined && !fields.includes(undefined);
}

async function checkProject(cluster: Cluster, options: ArgoCdOptions): Promise<KubepkgError | undefined> {
  const { namespace, project: name } = options;
  const ref = { apiVersion: APPLICATION.apiVersion, kind: 'AppProject', namespace, name };
  if ((await cluster.read(ref, { metadataOnly: true })) !== undefined) return undefined;
  return unavailable(`there is no AppProject ${namespace}/${name}`, 'create it, or name another with --argo-project');
}

function unavailable(message: string, hint: string): KubepkgError {
  return new KubepkgError('BackendUnavailable', message, { hint });
}
