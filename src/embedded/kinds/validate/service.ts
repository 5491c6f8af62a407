import { asArray } from '../../../lib/json.ts';
import { duplicate, forbidden, invalidValue, notSupported, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { hasFormat } from '../../schema/formats.ts';
import { isDnsLabel, isDnsSubdomain } from '../../schema/names.ts';
import { labelProblems } from '../../schema/object-meta-problems.ts';
import { portProblems } from './handlers.ts';
import { type Causes, each, mapAt, named, oneOf, PORTS, textOf, within } from './kit.ts';
import { NO_IP } from './pod.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateService(object: JsonMap): Causes {
  const spec = mapAt(object, 'spec');
  const { type, ports } = spec;
  const addresses = addressProblems(spec);
  // An address that is none ends the look at the rest.
  if (addresses.some(({ message }) => message.endsWith(NO_IP))) return addresses;
  return [
    ...needPorts(spec),
    ...(type === 'ExternalName' ? externalProblems(textOf(spec['externalName'])) : []),
    ...addresses,
    ...each(ports, 'spec.ports', (port, path) => portOf(port, path, asArray(ports).length > 1)),
    ...repeatedNames(ports),
    ...labelProblems(spec['selector'], 'spec.selector'),
    ...oneOf(spec['sessionAffinity'], 'spec.sessionAffinity', ['ClientIP', 'None']),
    ...oneOf(type, 'spec.type', TYPES),
    ...repeatedPorts(ports),
    ...nodePortProblems(spec),
    ...policyProblems(spec),
  ];
}

function needPorts({ type, ports, clusterIP }: JsonMap): Causes {
  const isHeadless = clusterIP === 'None';
  return asArray(ports).length > 0 || isHeadless || type === 'ExternalName' ? [] : [required('spec.ports')];
}

function externalProblems(name: string): Causes {
  if (name === '') return [required('spec.externalName')];
  return named(name.replace(/\.$/, ''), 'spec.externalName', isDnsSubdomain);
}

function addressProblems({ type, clusterIP }: JsonMap): Causes {
  const address = textOf(clusterIP);
  if (address === '' || type === 'ExternalName') return [];
  if (address === 'None') {
    if (type !== 'NodePort' && type !== 'LoadBalancer') return [];
    return [invalidValue('spec.clusterIPs[0]', address, `may not be set to 'None' for ${type} services`)];
  }
  const isIp = ['ipv4', 'ipv6'].some((format) => hasFormat(address, format) === true);
  return isIp ? [] : [invalidValue('spec.clusterIPs[0]', address, NO_IP)];
}

function portOf(port: JsonMap, path: string, isNamed: boolean): Causes {
  const { name, protocol, targetPort } = port;
  return [
    ...(textOf(name) === '' ? (isNamed ? [required(`${path}.name`)] : []) : named(name, `${path}.name`, isDnsLabel)),
    ...within(port['port'], `${path}.port`, PORTS),
    ...oneOf(protocol, `${path}.protocol`, PROTOCOLS),
    ...portProblems(targetPort, `${path}.targetPort`),
  ];
}

function repeatedNames(ports: unknown): Causes {
  const names = asArray(ports).map((port) => textOf(mapAt(port)['name']));
  return names.flatMap((name, index) => {
    return name !== '' && names.indexOf(name) < index ? [duplicate(`spec.ports[${String(index)}].name`, name)] : [];
  });
}

function repeatedPorts(ports: unknown): Causes {
  const keys = asArray(ports).map((port) => `${String(mapAt(port)['protocol'])} ${String(mapAt(port)['port'])}`);
  return keys.flatMap((key, index) => {
    if (keys.indexOf(key) === index) return [];
    const { protocol, port } = mapAt(asArray(ports)[index]);
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    return [duplicate(`spec.ports[${String(index)}]`, shown)];
  });
}

function nodePortProblems({ type, ports }: JsonMap): Causes {
  if (type !== 'ClusterIP') return [];
  return each(ports, 'spec.ports', ({ nodePort }, path) => {
    if (typeof nodePort !== 'number' || nodePort === 0) return [];
    return [forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'")];
  });
}

function policyProblems({ type, externalTrafficPolicy: policy, externalIPs }: JsonMap): Causes {
  const path = 'spec.externalTrafficPolicy';
  const isExternal = type === 'NodePort' || type === 'LoadBalancer' || asArray(externalIPs).length > 0;
  if (policy === undefined) return [];
  if (!isExternal) return [invalidValue(path, policy, 'may only be set for externally-accessible services')];
  return policy === 'Cluster' || policy === 'Local' ? [] : [notSupported(path, policy, ['Cluster', 'Local'])];
}
