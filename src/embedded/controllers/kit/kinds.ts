import type { ResourceName } from '../../model/api.ts';

/** A kind that a controller works with, in the version in which it does. */
export interface Kind extends ResourceName {
  readonly kind: string;
}

function core(plural: string, kind: string): Kind {
  return { group: '', version: 'v1', plural, kind };
}

function grouped(group: string, plural: string, kind: string): Kind {
  return { group, version: 'v1', plural, kind };
}

export const CONFIG_MAPS = core('configmaps', 'ConfigMap');
export const ENDPOINTS = core('endpoints', 'Endpoints');
export const EVENTS = core('events', 'Event');
export const NAMESPACES = core('namespaces', 'Namespace');
export const NODES = core('nodes', 'Node');
export const PERSISTENT_VOLUMES = core('persistentvolumes', 'PersistentVolume');
export const PERSISTENT_VOLUME_CLAIMS = core('persistentvolumeclaims', 'PersistentVolumeClaim');
export const PODS = core('pods', 'Pod');
export const RESOURCE_QUOTAS = core('resourcequotas', 'ResourceQuota');
export const SERVICES = core('services', 'Service');
export const SERVICE_ACCOUNTS = core('serviceaccounts', 'ServiceAccount');
export const CONTROLLER_REVISIONS = grouped('apps', 'controllerrevisions', 'ControllerRevision');
export const DAEMON_SETS = grouped('apps', 'daemonsets', 'DaemonSet');
export const DEPLOYMENTS = grouped('apps', 'deployments', 'Deployment');
export const REPLICA_SETS = grouped('apps', 'replicasets', 'ReplicaSet');
export const STATEFUL_SETS = grouped('apps', 'statefulsets', 'StatefulSet');
export const CRON_JOBS = grouped('batch', 'cronjobs', 'CronJob');
export const JOBS = grouped('batch', 'jobs', 'Job');
export const ENDPOINT_SLICES = grouped('discovery.k8s.io', 'endpointslices', 'EndpointSlice');
export const STORAGE_CLASSES = grouped('storage.k8s.io', 'storageclasses', 'StorageClass');
export const DEFINITIONS = grouped('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition');

/** The kind in all its versions. */
export function kindKey({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return `${group}/${plural}`;
}
