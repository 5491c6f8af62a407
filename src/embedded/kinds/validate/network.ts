import { asArray } from '../../../lib/json.ts';
import { forbidden, invalidNull, invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { hasFormat } from '../../schema/formats.ts';
import { isDnsLabel, isDnsSubdomain, isWildcardSubdomain } from '../../schema/names.ts';
import { portProblems } from './handlers.ts';
import { type Causes, each, mapAt, named, need, oneOf, present, textOf } from './kit.ts';
import { validateSelector } from './selectors.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

export function validateIngress(spec: JsonMap): Causes {
  const { defaultBackend, rules, tls, ingressClassName } = spec;
  const isEmpty = defaultBackend === undefined && asArray(rules).length === 0;
  return [
    ...(isEmpty ? [invalidNull('spec', 'either `defaultBackend` or `rules` must be specified')] : []),
    ...each(rules, 'spec.rules', ({ host, http }, path) => [
      ...hostProblems(textOf(host), `${path}.host`),
      ...(http === undefined ? [] : pathsProblems(mapAt(http)['paths'], `${path}.http.paths`)),
    ]),
    ...(defaultBackend === undefined ? [] : backendProblems(mapAt(defaultBackend), 'spec.defaultBackend')),
    ...each(tls, 'spec.tls', ({ hosts, secretName }, path) => [
      ...asArray(hosts).flatMap((host, index) => nameOf(textOf(host), `${path}.hosts[${String(index)}]`)),
      ...(textOf(secretName) === '' ? [] : named(secretName, `${path}.secretName`, isDnsSubdomain)),
    ]),
    ...(ingressClassName === undefined ? [] : named(ingressClassName, 'spec.ingressClassName', isDnsSubdomain)),
  ];
}

function hostProblems(host: string, path: string): Causes {
  if (host === '') return [];
  const isIp = ['ipv4', 'ipv6'].some((format) => hasFormat(host, format) === true);
  return isIp ? [invalidValue(path, host, 'must be a DNS name, not an IP address')] : nameOf(host, path);
}

function nameOf(host: string, path: string): Causes {
  return named(host, path, host.includes('*') ? isWildcardSubdomain : isDnsSubdomain);
}

function pathsProblems(paths: unknown, path: string): Causes {
  return [
    ...need(paths, path),
    ...each(paths, path, ({ path: own, pathType, backend }, place) => [
      ...pathProblems(textOf(own), pathType, place),
      ...backendProblems(mapAt(backend), `${place}.backend`),
    ]),
  ];
}

function pathProblems(own: string, pathType: unknown, place: string): Causes {
  if (pathType === undefined || pathType === null) return [required(`${place}.pathType`, 'pathType must be specified')];
  const unknown = oneOf(pathType, `${place}.pathType`, PATH_TYPES);
  const isFree = pathType === 'ImplementationSpecific' && own === '';
  if (unknown.length > 0 || own.startsWith('/') || isFree) return unknown;
  return [invalidValue(`${place}.path`, own, 'must be an absolute path')];
}

function backendProblems({ service }: JsonMap, path: string): Causes {
  if (service === undefined) return [];
  const { name, port } = mapAt(service);
  const { name: portName, number } = mapAt(port);
  const place = `${path}.service`;
  return [
    ...(textOf(name) === '' ? [required(`${place}.name`)] : named(name, `${place}.name`, isDnsLabel)),
    ...(portName === undefined && number === undefined ? [required(path, 'port name or number is required')] : []),
    ...(portName === undefined ? [] : portProblems(portName, `${place}.port.name`)),
    ...(number === undefined ? [] : portProblems(number, `${place}.port.number`)),
  ];
}

export function validateNetworkPolicy(spec: JsonMap): Causes {
  return [
    ...validateSelector(spec['podSelector'], 'spec.podSelector'),
    ...each(spec['ingress'], 'spec.ingress', ({ ports, from }, path) => [
      ...each(ports, `${path}.ports`, policyPort),
      ...each(from, `${path}.from`, peerProblems),
    ]),
    ...each(spec['egress'], 'spec.egress', ({ ports, to }, path) => [
      ...each(ports, `${path}.ports`, policyPort),
      ...each(to, `${path}.to`, peerProblems),
    ]),
    ...asArray(spec['policyTypes']).flatMap((type, index) =>
      oneOf(type, `spec.policyTypes[${String(index)}]`, ['Ingress', 'Egress']),
    ),
  ];
}

function policyPort({ port, protocol }: JsonMap, path: string): Causes {
  return [
    ...oneOf(protocol, `${path}.protocol`, ['TCP', 'UDP', 'SCTP']),
    ...(port === undefined ? [] : portProblems(port, `${path}.port`)),
  ];
}

function peerProblems(peer: JsonMap, path: string): Causes {
  const kinds = present(peer, ['podSelector', 'namespaceSelector', 'ipBlock']);
  if (kinds.length === 0) return [required(path, 'must specify a peer')];
  return [
    ...validateSelector(peer['podSelector'], `${path}.podSelector`),
    ...validateSelector(peer['namespaceSelector'], `${path}.namespaceSelector`),
    ...(peer['ipBlock'] === undefined ? [] : blockProblems(mapAt(peer, 'ipBlock'), `${path}.ipBlock`)),
    ...(peer['ipBlock'] !== undefined && kinds.length > 1
      ? [forbidden(path, 'may not specify both ipBlock and another peer')]
      : []),
  ];
}

function blockProblems({ cidr, except }: JsonMap, path: string): Causes {
  const own = textOf(cidr);
  if (own === '') return [required(`${path}.cidr`)];
  if (hasFormat(own, 'cidr') !== true) return [invalidValue(`${path}.cidr`, own, NO_CIDR)];
  return asArray(except).flatMap((inner, index) => {
    const place = `${path}.except[${String(index)}]`;
    if (hasFormat(textOf(inner), 'cidr') !== true) return [invalidValue(place, inner, NO_CIDR)];
    return isInside(textOf(inner), own) ? [] : [invalidValue(place, inner, 'must be a strict subset of `cidr`')];
  });
}

const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Of IPv4; other blocks are not compared. */
function isInside(inner: string, outer: string): boolean {
  const [a, b] = [bitsOf(inner), bitsOf(outer)];
  return a === undefined || b === undefined || (a.startsWith(b) && a !== b);
}

function bitsOf(block: string): string | undefined {
  const [address = '', length = ''] = block.split('/');
  if (hasFormat(address, 'ipv4') !== true) return undefined;
  const bits = address.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  return bits.join('').slice(0, Number(length));
}
