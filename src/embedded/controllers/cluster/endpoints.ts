import { apiVersionOf } from '../../model/resource.ts';
import { sameJson } from '../../api/equal.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, unless } from '../kit/hand.ts';
import type { Cache, Change } from '../kit/informers.ts';
import { ENDPOINT_SLICES, ENDPOINTS, PODS, SERVICES } from '../kit/kinds.ts';
import { controllerReference } from '../kit/owners.ts';
import { isPodFinished, isPodReady } from '../kit/pod-state.ts';
import { isDeleting, keyOf, labelsAt, mapAt, mapsAt, parseKey, textAt } from '../kit/read.ts';
import { includesLabels } from '../kit/selector.ts';

const COMPONENT = 'endpointslice-controller';
const SERVICE_LABEL = 'kubernetes.io/service-name';

/** Where the pods of each Service are, as EndpointSlice and as Endpoints. */
export function endpointsController({ api, informers }: Surroundings): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const services = informers.of(SERVICES);
  const pods = informers.of(PODS);
  const slices = informers.of(ENDPOINT_SLICES);
  const endpoints = informers.of(ENDPOINTS);
  return {
    name: COMPONENT,
    sources: [changesOf(SERVICES), { kind: PODS, keys: (change) => servicesOf(services, change) }],
    reconcile(key) {
      const service = lookUp(services, key);
      const { namespace, name } = parseKey(key);
      const old = endpoints.get(namespace, name);
      if (service === undefined || isDeleting(service)) {
        if (old !== undefined && isOurs(old)) hand.remove(ENDPOINTS, old);
        return undefined;
      }
      const selector = labelsAt(service, 'spec', 'selector');
      if (Object.keys(selector).length === 0 || textAt(service, 'spec', 'type') === 'ExternalName') return undefined;
      const chosen = pods
        .inNamespace(namespace)
        .filter((pod) => includesLabels(pod.metadata.labels ?? {}, selector) && hasPlace(pod));
      write(ENDPOINTS, old, endpointsOf(service, chosen));
      const slice = slices.inNamespace(namespace).find((each) => each.metadata.labels?.[SERVICE_LABEL] === name);
      write(ENDPOINT_SLICES, slice, sliceOf(service, chosen));
      return undefined;
    },
  };

  function write(kind: typeof ENDPOINTS, old: StoredObject | undefined, body: JsonMap): void {
    if (old === undefined) {
      unless('AlreadyExists', () => hand.create(kind, body));
      return;
    }
    const { metadata: _metadata, ...fields } = body;
    const isSame = Object.entries(fields).every(([key, value]) => sameJson(old[key], value));
    if (!isSame) hand.update(kind, { ...old, ...fields });
  }
}

function isOurs(endpoints: StoredObject): boolean {
  return endpoints.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller';
}

/** Only what says where a pod is, and whether it may be sent to. */
function servicesOf(services: Cache, { type, object, before }: Change): readonly string[] {
  if (type === 'MODIFIED' && before !== undefined && traits(before) === traits(object)) return [];
  const labels = [object, before].map((pod) => pod?.metadata.labels ?? {});
  return services
    .inNamespace(object.metadata.namespace ?? '')
    .filter((service) => {
      const selector = labelsAt(service, 'spec', 'selector');
      return Object.keys(selector).length > 0 && labels.some((each) => includesLabels(each, selector));
    })
    .map(keyOf);
}

function traits(pod: StoredObject): string {
  const state = [textAt(pod, 'status', 'podIP'), isPodReady(pod), isDeleting(pod), isPodFinished(pod)];
  return JSON.stringify([...state, pod.metadata.labels]);
}

function hasPlace(pod: StoredObject): boolean {
  return textAt(pod, 'status', 'podIP') !== '' && !isPodFinished(pod);
}

function isServing(service: StoredObject, pod: StoredObject): boolean {
  return isPodReady(pod) || mapAt(service, 'spec').publishNotReadyAddresses === true;
}

function portsOf(service: StoredObject, pod: StoredObject | undefined): readonly JsonMap[] {
  return mapsAt(service, 'spec', 'ports').flatMap((port) => {
    const number = portNumber(port, pod);
    if (number === undefined) return [];
    const { name, protocol = 'TCP' } = port;
    return [{ ...(name === undefined ? {} : { name }), port: number, protocol }];
  });
}

/** A name stands for a port of the container. */
function portNumber(port: JsonMap, pod: StoredObject | undefined): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === 'number') return target;
  const ports = mapsAt(pod, 'spec', 'containers').flatMap((container) => mapsAt(container, 'ports'));
  const found = ports.find(({ name }) => name === target)?.containerPort;
  return typeof found === 'number' ? found : undefined;
}

function targetRef(pod: StoredObject): JsonMap {
  const { name, namespace, uid } = pod.metadata;
  return { kind: 'Pod', namespace, name, uid };
}

function endpointsOf(service: StoredObject, pods: readonly StoredObject[]): JsonMap {
  const { name, namespace, labels } = service.metadata;
  const address = (pod: StoredObject): JsonMap => ({
    ip: textAt(pod, 'status', 'podIP'),
    nodeName: textAt(pod, 'spec', 'nodeName'),
    targetRef: targetRef(pod),
  });
  const alive = pods.filter((pod) => !isDeleting(pod));
  const ready = alive.filter((pod) => isServing(service, pod)).map(address);
  const unready = alive.filter((pod) => !isServing(service, pod)).map(address);
  const subset = {
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(unready.length === 0 ? {} : { notReadyAddresses: unready }),
    ports: portsOf(service, alive[0]),
  };
  return {
    apiVersion: apiVersionOf(ENDPOINTS),
    kind: ENDPOINTS.kind,
    metadata: { name, namespace, labels: { ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
    subsets: alive.length === 0 ? [] : [subset],
  };
}

function sliceOf(service: StoredObject, pods: readonly StoredObject[]): JsonMap {
  const { name, namespace, labels } = service.metadata;
  const endpoint = (pod: StoredObject): JsonMap => ({
    addresses: [textAt(pod, 'status', 'podIP')],
    conditions: {
      ready: isServing(service, pod) && !isDeleting(pod),
      serving: isServing(service, pod),
      terminating: isDeleting(pod),
    },
    targetRef: targetRef(pod),
    nodeName: textAt(pod, 'spec', 'nodeName'),
  });
  return {
    apiVersion: apiVersionOf(ENDPOINT_SLICES),
    kind: ENDPOINT_SLICES.kind,
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: {
        ...labels,
        [SERVICE_LABEL]: name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    endpoints: pods.map(endpoint),
    ports: portsOf(service, pods[0]).map((port) => ({ name: '', ...port })),
  };
}
