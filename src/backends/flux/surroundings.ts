import { isCode, KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { asArray, at, isRecord } from '../../lib/json.ts';
import type { BackendSurroundings } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { HELM_RELEASE, HELM_REPOSITORY, OCI_REPOSITORY } from './names.ts';

const INSTALL_HINT = 'install Flux with helm-controller 1.6 or newer and source-controller, or choose another backend';
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'helmreleases.helm.toolkit.fluxcd.io',
} as const;

/** Fields of a HelmRelease's spec that a delivery may write: an API server drops those that its Flux does not know. */
export const WRITTEN_FIELDS: readonly string[] = [
  'chart.spec.chart',
  'chart.spec.version',
  'chart.spec.interval',
  'chart.spec.reconcileStrategy',
  'chart.spec.sourceRef',
  'chartRef',
  'dependsOn',
  'driftDetection.mode',
  'healthCheckExprs',
  'install.crds',
  'install.disableOpenAPIValidation',
  'install.disableSchemaValidation',
  'install.disableTakeOwnership',
  'install.disableWait',
  'install.disableWaitForJobs',
  'install.remediation.retries',
  'install.replace',
  'install.serverSideApply',
  'install.strategy.name',
  'interval',
  'maxHistory',
  'releaseName',
  'suspend',
  'timeout',
  'uninstall.deletionPropagation',
  'uninstall.disableHooks',
  'uninstall.disableWait',
  'uninstall.keepHistory',
  'upgrade.chartNameChangeStrategy',
  'upgrade.crds',
  'upgrade.disableOpenAPIValidation',
  'upgrade.disableSchemaValidation',
  'upgrade.disableTakeOwnership',
  'upgrade.disableWait',
  'upgrade.disableWaitForJobs',
  'upgrade.remediation.retries',
  'upgrade.serverSideApply',
  'upgrade.strategy.name',
  'valuesFrom',
  'waitStrategy.name',
];

export function fluxSurroundings(cluster: Cluster): Pick<BackendSurroundings, 'check'> {
  return {
    check: async () => (await findUnserved(cluster)) ?? (await findForbidden(cluster)) ?? findOutdated(cluster),
  };
}

async function findUnserved(cluster: Cluster): Promise<KubepkgError | undefined> {
  for (const { apiVersion, kind } of [HELM_RELEASE, OCI_REPOSITORY, HELM_REPOSITORY]) {
    if ((await cluster.served(apiVersion, kind)) !== undefined) continue;
    const message = `the API server does not serve ${kind} of ${apiVersion}, which the backend flux needs`;
    return new KubepkgError('KindNotServed', message, { hint: INSTALL_HINT });
  }
  return undefined;
}

/** Asks for nothing: what has the label and has it not. */
async function findForbidden(cluster: Cluster): Promise<KubepkgError | undefined> {
  const labelSelector = `${LABEL.package},!${LABEL.package}`;
  try {
    for (const kind of [HELM_RELEASE, OCI_REPOSITORY, HELM_REPOSITORY]) {
      await cluster.list({ ...kind, labelSelector, metadataOnly: true });
    }
    return undefined;
  } catch (error) {
    if (!isCode(error, 'ApiForbidden')) throw error;
    return new KubepkgError('ApiForbidden', `the backend flux lacks a permission: ${error.message}`, {
      hint: 'give the operator the permissions that the guide to the backend lists',
    });
  }
}

async function findOutdated(cluster: Cluster): Promise<KubepkgError | undefined> {
  const definition = await readDefinition(cluster);
  const missing = definition === undefined ? [] : missingFields(definition);
  if (missing.length === 0) return undefined;
  const message = `the HelmRelease of this cluster has no ${missing.join(', ')}: its Flux is too old for the backend flux`;
  return new KubepkgError('Unsupported', message, { hint: INSTALL_HINT });
}

/** Who may not look at definitions finds out by the first delivery. */
async function readDefinition(cluster: Cluster): Promise<KubeObject | undefined> {
  try {
    return await cluster.read(CRD);
  } catch (error) {
    if (isCode(error, 'ApiForbidden')) return undefined;
    throw error;
  }
}

export function missingFields(definition: KubeObject): readonly string[] {
  const versions = asArray(at(definition, 'spec', 'versions'));
  const version = versions.find((each) => at(each, 'name') === HELM_RELEASE.apiVersion.split('/')[1]);
  const spec = at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec');
  return WRITTEN_FIELDS.filter((field) => !hasField(spec, field)).map((field) => `spec.${field}`);
}

function hasField(schema: unknown, field: string): boolean {
  const found = field.split('.').reduce<unknown>((level, key) => at(level, 'properties', key), schema);
  return isRecord(found);
}
