import type { KubeObject } from '../../api/kube.ts';
import { selectorOf } from './pods.ts';
import type { RelatedPurpose, RelatedQuery } from './verdict.ts';

/** The pods of a workload, and the warnings of its namespace, which tell what no status does. */
export function podQueries(object: KubeObject, purpose: RelatedPurpose = 'cause'): readonly RelatedQuery[] {
  const labelSelector = selectorOf(object);
  const selection = { apiVersion: 'v1', kind: 'Pod', ...inNamespaceOf(object) };
  const pods: readonly RelatedQuery[] =
    labelSelector === undefined ? [] : [{ kind: 'selected', purpose, selection: { ...selection, labelSelector } }];
  return [...pods, ...warningQueries(object)];
}

/** Events about an object without a namespace are in `default`. */
export function warningQueries({ metadata }: KubeObject): readonly RelatedQuery[] {
  const namespace = metadata.namespace ?? 'default';
  const selection = { apiVersion: 'v1', kind: 'Event', namespace, fieldSelector: 'type=Warning' };
  return [{ kind: 'selected', purpose: 'cause', selection }];
}

function inNamespaceOf(object: KubeObject): { readonly namespace?: string } {
  const { namespace } = object.metadata;
  return namespace === undefined ? {} : { namespace };
}
