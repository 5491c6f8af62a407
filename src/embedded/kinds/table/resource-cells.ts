import { asArray, asString, at } from '../../../lib/json.ts';
import type { JsonMap } from '../../model/object.ts';
import { humanDuration } from './human-duration.ts';
import { scalerWithMetrics } from '../convert.ts';
import { mapAt, shown } from '../validate/kit.ts';
import {
  type Cell,
  type Cells,
  count,
  flag,
  labels,
  NONE,
  numberAt,
  selector,
  sizeOf,
  text,
  textAt,
  UNSET,
} from './cells.ts';
import { eventCells } from './event-cells.ts';

const MOST = 3;

/** Of kinds that no pods belong to, by `GROUP/PLURAL` and column. */
export const RESOURCE_CELLS: Readonly<Record<string, Cells>> = {
  '/configmaps': { Data: sizeOf(['data'], ['binaryData']) },
  '/secrets': { Type: text('type')(), Data: sizeOf(['data']) },
  '/namespaces': { Status: text('status', 'phase')() },
  '/endpoints': { Endpoints: endpoints },
  '/events': eventCells('involvedObject'),
  'events.k8s.io/events': eventCells('regarding'),
  '/services': {
    Type: text('spec', 'type')(),
    'Cluster-IP': (service) => asString(asArray(at(service, 'spec', 'clusterIPs'))[0]) ?? NONE,
    'External-IP': externalIp,
    'Port(s)': (service) =>
      asArray(at(service, 'spec', 'ports'))
        .map(servicePort)
        .join(',') || NONE,
    Selector: labels('spec', 'selector'),
  },
  '/persistentvolumeclaims': {
    Status: phaseOf,
    Volume: text('spec', 'volumeName')(),
    Capacity: (claim) => (isBound(claim) ? textAt(claim, 'status', 'capacity', 'storage') || '0' : ''),
    'Access Modes': (claim) => (isBound(claim) ? modes(at(claim, 'status', 'accessModes')) : ''),
    StorageClass: text('spec', 'storageClassName')(),
    VolumeAttributesClass: text('spec', 'volumeAttributesClassName')(UNSET),
    VolumeMode: text('spec', 'volumeMode')(UNSET),
  },
  '/persistentvolumes': {
    Capacity: text('spec', 'capacity', 'storage')('0'),
    'Access Modes': (volume) => modes(at(volume, 'spec', 'accessModes')),
    'Reclaim Policy': text('spec', 'persistentVolumeReclaimPolicy')(),
    Status: phaseOf,
    Claim: (volume) => {
      const claim = mapAt(mapAt(volume, 'spec'), 'claimRef');
      return claim['name'] === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
    },
    StorageClass: text('spec', 'storageClassName')(),
    VolumeAttributesClass: text('spec', 'volumeAttributesClassName')(UNSET),
    Reason: text('status', 'reason')(),
    VolumeMode: text('spec', 'volumeMode')(UNSET),
  },
  '/resourcequotas': { Request: (quota) => usage(quota, false), Limit: (quota) => usage(quota, true) },
  '/nodes': {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: text('status', 'nodeInfo', 'kubeletVersion')(),
    'Internal-IP': (node) => nodeAddress(node, 'InternalIP'),
    'External-IP': (node) => nodeAddress(node, 'ExternalIP'),
    'OS-Image': (node) => textAt(node, 'status', 'nodeInfo', 'osImage') || '<unknown>',
    'Kernel-Version': (node) => {
      const architecture = textAt(node, 'status', 'nodeInfo', 'architecture');
      const version = textAt(node, 'status', 'nodeInfo', 'kernelVersion') || '<unknown>';
      return architecture === '' ? version : `${version} (${architecture})`;
    },
    'Container-Runtime': (node) => textAt(node, 'status', 'nodeInfo', 'containerRuntimeVersion') || '<unknown>',
  },
  'autoscaling/horizontalpodautoscalers': {
    Reference: (scaler) =>
      `${textAt(scaler, 'spec', 'scaleTargetRef', 'kind')}/${textAt(scaler, 'spec', 'scaleTargetRef', 'name')}`,
    Targets: (scaler) => targets(scaler['apiVersion'] === 'autoscaling/v1' ? scalerWithMetrics(scaler) : scaler),
    MinPods: (scaler) =>
      at(scaler, 'spec', 'minReplicas') === undefined ? UNSET : String(numberAt(scaler, 'spec', 'minReplicas')),
    MaxPods: count('spec', 'maxReplicas'),
    Replicas: count('status', 'currentReplicas'),
  },
  'policy/poddisruptionbudgets': {
    'Min Available': (budget) => amount(at(budget, 'spec', 'minAvailable')),
    'Max Unavailable': (budget) => amount(at(budget, 'spec', 'maxUnavailable')),
    'Allowed Disruptions': count('status', 'disruptionsAllowed'),
  },
  'networking.k8s.io/ingresses': {
    Class: text('spec', 'ingressClassName')(NONE),
    Hosts: hosts,
    Address: (ingress) => balancerAddress(ingress),
    Ports: (ingress) => (asArray(at(ingress, 'spec', 'tls')).length > 0 ? '80, 443' : '80'),
  },
  'networking.k8s.io/ingressclasses': {
    Name: named('ingressclass.kubernetes.io/is-default-class'),
    Controller: text('spec', 'controller')(),
    Parameters: (one) => {
      const { kind, apiGroup, name } = mapAt(mapAt(one, 'spec'), 'parameters');
      if (kind === undefined) return NONE;
      return `${shown(kind)}${apiGroup === undefined ? '' : `.${shown(apiGroup)}`}/${shown(name)}`;
    },
  },
  'networking.k8s.io/networkpolicies': { 'Pod-Selector': selector('spec', 'podSelector') },
  'rbac.authorization.k8s.io/rolebindings': bindingCells(),
  'rbac.authorization.k8s.io/clusterrolebindings': bindingCells(),
  'storage.k8s.io/storageclasses': {
    Name: named('storageclass.kubernetes.io/is-default-class'),
    Provisioner: text('provisioner')(),
    ReclaimPolicy: text('reclaimPolicy')('Delete'),
    VolumeBindingMode: text('volumeBindingMode')('Immediate'),
    AllowVolumeExpansion: flag('allowVolumeExpansion'),
  },
  'scheduling.k8s.io/priorityclasses': {
    Value: count('value'),
    'Global-Default': flag('globalDefault'),
    PreemptionPolicy: text('preemptionPolicy')(),
  },
  'networking.k8s.io/ipaddresses': {
    ParentRef: (address) => {
      const { group, resource, namespace, name } = mapAt(mapAt(address, 'spec'), 'parentRef');
      const kind = [resource, group]
        .filter((part) => part !== undefined && part !== '')
        .map(shown)
        .join('.');
      return [kind, namespace, name]
        .filter((part) => part !== undefined && part !== '')
        .map(shown)
        .join('/');
    },
  },
  'networking.k8s.io/servicecidrs': {
    CIDRs: (range) =>
      asArray(at(range, 'spec', 'cidrs'))
        .map(String)
        .join(','),
  },
  'storage.k8s.io/csidrivers': {
    AttachRequired: flag('spec', 'attachRequired'),
    PodInfoOnMount: flag('spec', 'podInfoOnMount'),
    StorageCapacity: flag('spec', 'storageCapacity'),
    TokenRequests: () => UNSET,
    RequiresRepublish: flag('spec', 'requiresRepublish'),
    Modes: (driver) =>
      asArray(at(driver, 'spec', 'volumeLifecycleModes'))
        .map(String)
        .join(','),
  },
  'admissionregistration.k8s.io/validatingadmissionpolicies': {
    Validations: sizeOf(['spec', 'validations']),
    ParamKind: () => UNSET,
  },
  'certificates.k8s.io/certificatesigningrequests': {
    SignerName: text('spec', 'signerName')(NONE),
    Requestor: text('spec', 'username')(NONE),
    RequestedDuration: (request) => {
      const seconds = numberAt(request, 'spec', 'expirationSeconds');
      return seconds === 0 ? NONE : humanDuration(seconds * 1000);
    },
    Condition: (request) => {
      const types = asArray(at(request, 'status', 'conditions')).map((condition) => shown(at(condition, 'type')));
      const all = at(request, 'status', 'certificate') === undefined ? types : [...types, 'Issued'];
      return all.join(',') || 'Pending';
    },
  },
  'coordination.k8s.io/leases': { Holder: text('spec', 'holderIdentity')() },
  'discovery.k8s.io/endpointslices': {
    AddressType: text('addressType')(),
    Ports: (slice) =>
      listed(
        asArray(at(slice, 'ports')).map((port) => shown(at(port, 'port') ?? '*')),
        UNSET,
      ),
    Endpoints: (slice) => {
      return listed(
        asArray(at(slice, 'endpoints')).flatMap((one) => asArray(at(one, 'addresses')).map(String)),
        UNSET,
      );
    },
  },
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': { Webhooks: sizeOf(['webhooks']) },
  'admissionregistration.k8s.io/validatingwebhookconfigurations': { Webhooks: sizeOf(['webhooks']) },
  'node.k8s.io/runtimeclasses': { Handler: text('handler')() },
  'apiregistration.k8s.io/apiservices': {
    Service: (one) => {
      const service = mapAt(mapAt(one, 'spec'), 'service');
      return service['name'] === undefined ? 'Local' : `${textAt(service, 'namespace')}/${textAt(service, 'name')}`;
    },
    Available: (one) => {
      const condition = asArray(at(one, 'status', 'conditions')).find(
        (candidate) => at(candidate, 'type') === 'Available',
      );
      if (condition === undefined) return 'Unknown';
      const status = String(at(condition, 'status'));
      return status === 'True' ? status : `${status} (${String(at(condition, 'reason'))})`;
    },
  },
};

function amount(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'N/A';
}

/** The first few, and how many more. */
function listed(list: readonly string[], otherwise: string): string {
  if (list.length === 0) return otherwise;
  const first = list.slice(0, MOST).join(',');
  return list.length > MOST ? `${first} + ${String(list.length - MOST)} more...` : first;
}

function endpoints(object: JsonMap): string {
  const addresses = asArray(at(object, 'subsets')).flatMap((subset) => {
    const ips = asArray(at(subset, 'addresses')).map((address) => String(at(address, 'ip')));
    const ports = asArray(at(subset, 'ports')).map((port) => String(at(port, 'port')));
    return ports.length === 0 ? ips : ports.flatMap((port) => ips.map((ip) => `${ip}:${port}`));
  });
  return listed(addresses, NONE);
}

function externalIp(service: JsonMap): string {
  const type = textAt(service, 'spec', 'type');
  if (type === 'ExternalName') return textAt(service, 'spec', 'externalName');
  const external = asArray(at(service, 'spec', 'externalIPs')).map(String);
  const balanced = type === 'LoadBalancer' ? balancerAddress(service) : '';
  const all = [...(balanced === '' ? [] : [balanced]), ...external];
  if (all.length > 0) return all.join(',');
  return type === 'LoadBalancer' ? '<pending>' : NONE;
}

function balancerAddress(object: JsonMap): string {
  const ingress = asArray(at(object, 'status', 'loadBalancer', 'ingress'));
  const addresses = ingress.map((one) => textAt(mapAt(one), 'ip') || textAt(mapAt(one), 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].sort().join(',');
}

function servicePort(port: unknown): string {
  const { port: own, nodePort, protocol } = mapAt(port);
  const outer = typeof nodePort === 'number' && nodePort > 0 ? `:${String(nodePort)}` : '';
  return `${String(own)}${outer}/${String(protocol)}`;
}

function phaseOf(object: JsonMap): string {
  return at(object, 'metadata', 'deletionTimestamp') === undefined ? textAt(object, 'status', 'phase') : 'Terminating';
}

function isBound(claim: JsonMap): boolean {
  return textAt(claim, 'spec', 'volumeName') !== '';
}

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function modes(list: unknown): string {
  const own = asArray(list);
  return Object.keys(MODES)
    .filter((mode) => own.includes(mode))
    .map((mode) => MODES[mode])
    .join(',');
}

function usage(quota: JsonMap, limits: boolean): string {
  return Object.entries(mapAt(mapAt(quota, 'status'), 'hard'))
    .filter(([name]) => name.startsWith('limits.') === limits)
    .map(([name, hard]) => `${name}: ${shown(at(quota, 'status', 'used', name) ?? '0')}/${shown(hard)}`)
    .join(', ');
}

function nodeStatus(node: JsonMap): string {
  const ready = asArray(at(node, 'status', 'conditions')).find((condition) => at(condition, 'type') === 'Ready');
  const status = ready === undefined ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

const ROLE = 'node-role.kubernetes.io/';

function nodeRoles(node: JsonMap): string {
  const own = Object.entries(mapAt(mapAt(node, 'metadata'), 'labels')).flatMap(([key, value]) => {
    if (key.startsWith(ROLE) && key !== ROLE) return [key.slice(ROLE.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [String(value)] : [];
  });
  return own.sort().join(',') || NONE;
}

function nodeAddress(node: JsonMap, type: string): string {
  const found = asArray(at(node, 'status', 'addresses')).find((address) => at(address, 'type') === type);
  return asString(at(found, 'address')) ?? NONE;
}

function targets(scaler: JsonMap): string {
  const metrics = asArray(at(scaler, 'spec', 'metrics'));
  const measured = asArray(at(scaler, 'status', 'currentMetrics'));
  const list = metrics.map((metric, index) => target(mapAt(metric), mapAt(measured[index])));
  if (list.length === 0) return NONE;
  const first = list.slice(0, 2).join(', ');
  return list.length > 2 ? `${first} + ${String(list.length - 2)} more...` : first;
}

function target(metric: JsonMap, status: JsonMap): string {
  const type = textAt(metric, 'type');
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const wanted = mapAt(mapAt(metric, field), 'target');
  const current = mapAt(mapAt(status, field), 'current');
  const name = type.endsWith('Resource') ? `${textAt(mapAt(metric, field), 'name')}: ` : '';
  const average = wanted['averageValue'];
  if (average !== undefined) {
    const suffix = type === 'External' || type === 'Object' ? ' (avg)' : '';
    return `${name}${asString(current['averageValue']) ?? '<unknown>'}/${shown(average)}${suffix}`;
  }
  if (name === '') return `${asString(current['value']) ?? '<unknown>'}/${shown(wanted['value'])}`;
  const percent = (value: unknown, otherwise: string): string => (value === undefined ? otherwise : `${shown(value)}%`);
  return `${name}${percent(current['averageUtilization'], '<unknown>')}/${percent(wanted['averageUtilization'], '<auto>')}`;
}

function hosts(ingress: JsonMap): string {
  const names = asArray(at(ingress, 'spec', 'rules')).map((rule) => textAt(mapAt(rule), 'host'));
  return listed(
    names.filter((name) => name !== ''),
    '*',
  );
}

function bindingCells(): Cells {
  const subjects = (kind: string): Cell => {
    return (binding) =>
      asArray(at(binding, 'subjects'))
        .filter((subject) => at(subject, 'kind') === kind)
        .map((subject) => {
          const name = textAt(mapAt(subject), 'name');
          return kind === 'ServiceAccount' ? `${textAt(mapAt(subject), 'namespace')}/${name}` : name;
        })
        .join(', ');
  };
  return {
    Role: (binding) => `${textAt(binding, 'roleRef', 'kind')}/${textAt(binding, 'roleRef', 'name')}`,
    Users: subjects('User'),
    Groups: subjects('Group'),
    ServiceAccounts: subjects('ServiceAccount'),
  };
}

function named(annotation: string): Cell {
  return (object) => {
    const isDefault = textAt(object, 'metadata', 'annotations', annotation) === 'true';
    return `${textAt(object, 'metadata', 'name')}${isDefault ? ' (default)' : ''}`;
  };
}
