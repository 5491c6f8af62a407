import { groupOf } from './fields.ts';

const KUBERNETES_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Whether objects of this API come from a CustomResourceDefinition or an aggregated server; many of those end in `.k8s.io` too. */
export function isCustomKind(ref: { readonly apiVersion: string }): boolean {
  const group = groupOf(ref.apiVersion);
  return group.includes('.') && !KUBERNETES_GROUPS.has(group);
}
