import type { KubeObject, ObjectRef } from '../../src/api/kube.ts';

export const OPERATOR_NAMESPACE = 'kubepkg-system';
export const WIDGET = { apiVersion: 'sim.example.org/v1', kind: 'Widget' } as const;

export const API_VERSIONS = {
  Deployment: 'apps/v1',
  Widget: WIDGET.apiVersion,
  Job: 'batch/v1',
  ConfigMap: 'v1',
  PersistentVolumeClaim: 'v1',
} as const;

export const SCRIPT = 'sim.example.org/script';
export const GUARD = 'sim.example.org/guard';
/** On objects of a release: `package/component`, and the token of the attempt that wrote them last. */
export const OWNER = 'sim.example.org/owner';
export const TOKEN = 'sim.example.org/token';
/** Where Applications are. */
export const ARGOCD_NAMESPACE = 'argocd';

export function ours(kind: 'Package' | 'PackageSource' | 'PackageRevision', name: string): ObjectRef {
  return { apiVersion: 'kubepkg.dev/v1', kind, name };
}

/** `Kind namespace/name`. */
export function lineOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
