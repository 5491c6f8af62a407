import type { KubeObject } from '../../../src/api/kube.ts';
import { LABEL } from '../../../src/api/names.ts';
import { APPLICATION, readApplication, releaseOf } from '../../../src/backends/argocd/application.ts';
import { HELM_RELEASE, STAMP } from '../../../src/backends/flux/names.ts';
import { isUninstructed } from '../../../src/backends/flux/situation.ts';
import { asString, at } from '../../../src/lib/json.ts';
import type { ReleaseTarget } from '../../../src/ports/backend.ts';
import type { MemoryCluster } from '../../fakes/memory-cluster.ts';
import type { Deliverer, Place } from '../record.ts';

/** On a HelmRelease of a model: what is in its source. */
export const CONTENT = 'sim.example.org/content';

/** What a controller is told about one release. */
export interface Order extends ReleaseTarget {
  readonly by: Exclude<Deliverer, 'helm'>;
  /** Of the attempt that it was written for. */
  readonly token: string | undefined;
}

/** Undefined for what is no order of ours: a HelmRelease of which nothing may happen yet is none. */
export function orderIn(object: KubeObject | undefined): Order | undefined {
  if (object === undefined) return undefined;
  const by = ordered(object);
  const pkg = object.metadata.labels?.[LABEL.package];
  const component = object.metadata.labels?.[LABEL.component];
  if (by === undefined || pkg === undefined || component === undefined) return undefined;
  const { name, namespace = '' } = object.metadata;
  const place = by === 'flux' ? { namespace, releaseName: name } : releaseOf(object);
  return { by, package: pkg, component, ...place, token: object.metadata.annotations?.[LABEL.attempt] };
}

function ordered(object: KubeObject): Order['by'] | undefined {
  if (object.kind === HELM_RELEASE.kind) return isUninstructed(object) ? undefined : 'flux';
  return object.kind === APPLICATION.kind ? 'argocd' : undefined;
}

/** It is another attempt's now, or that of the same one is to be carried out once more. */
export function isNewOrder(before: KubeObject | undefined, after: KubeObject): boolean {
  const order = orderIn(after);
  if (order?.token === undefined || after.metadata.deletionTimestamp !== undefined) return false;
  if (orderIn(before)?.token !== order.token) return true;
  return order.by === 'argocd' && before?.['operation'] === undefined && requestOf(after) === order.token;
}

function requestOf(application: KubeObject): string | undefined {
  return readApplication(application).requested?.token;
}

/** Of the chart that is to be delivered. */
export function contentOf(order: KubeObject): string {
  const isFlux = order.kind === HELM_RELEASE.kind;
  return (isFlux ? order.metadata.annotations?.[CONTENT] : asString(at(order, 'spec', 'source', 'chart'))) ?? '';
}

/** What tells a controller about a release, as it is now. */
export function ordersAt(cluster: MemoryCluster, { namespace, releaseName }: Place): readonly KubeObject[] {
  return [...cluster.all(HELM_RELEASE.kind), ...cluster.all(APPLICATION.kind)].filter((object) => {
    const order = orderIn(object);
    return order?.namespace === namespace && order.releaseName === releaseName;
  });
}

/** Somebody keeps the controller from it. */
export function isOnHold(object: KubeObject): boolean {
  if (object.kind === APPLICATION.kind) {
    const { isPaused, requested, token } = readApplication(object);
    return isPaused && requested !== undefined && requested.token === token;
  }
  return at(object, 'spec', 'suspend') === true && object.metadata.annotations?.[STAMP.stopped] === undefined;
}
