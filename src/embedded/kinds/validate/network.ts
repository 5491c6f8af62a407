import { asArray } from '../../../lib/json.ts';
import { forbidden, invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { hasFormat } from '../../schema/formats.ts';
import { isDnsLabel, isDnsSubdomain, isPathSegment, isWildcardSubdomain } from '../../schema/names.ts';
import { portProblems } from './handlers.ts';
import { type Causes, each, mapAt, named, need, needName, oneOf, present, textOf } from './kit.ts';
import { validateSelector } from './selectors.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

export function validateIngress(spec: JsonMap): Causes {
  const { defaultBackend, rules, tls, ingressClassName } = spec;
  const isEmpty = defaultBackend === undefined && asArray(rules).length === 0;
  return [
    ...(isEmpty ? [invalidValue('spec', rules, 'either `defaultBackend` or `rules` must be specified')] : []),
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
    ...each(paths, path, ({ path: own, pathType, backend }, place) => {
      // Nothing else is looked at then.
      if (pathType === undefined || pathType === null)
        return [required(`${place}.pathType`, 'pathType must be specified')];
      return [...pathProblems(textOf(own), pathType, place), ...backendProblems(mapAt(backend), `${place}.backend`)];
    }),
  ];
}

function pathProblems(own: string, pathType: unknown, place: string): Causes {
  const unknown = oneOf(pathType, `${place}.pathType`, PATH_TYPES);
  const isFree = pathType === 'ImplementationSpecific' && own === '';
  if (unknown.length > 0 || own.startsWith('/') || isFree) return unknown;
  return [invalidValue(`${place}.path`, own, 'must be an absolute path')];
}

function backendProblems({ service, resource }: JsonMap, path: string): Causes {
  if (service !== undefined && resource !== undefined)
    return [invalidValue(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return referenceProblems(mapAt(resource), `${path}.resource`);
  if (service === undefined) return [invalidValue(path, '', 'resource or service backend is required')];
  const { name, port } = mapAt(service);
  const place = `${path}.service`;
  return [
    ...(textOf(name) === '' ? [required(`${place}.name`)] : named(name, `${place}.name`, isDnsLabel)),
    ...backendPort(mapAt(port), path),
  ];
}

function backendPort({ name, number = 0 }: JsonMap, path: string): Causes {
  const hasName = textOf(name) !== '';
  if (hasName && number !== 0) return [invalidValue(path, '', 'cannot set both port name & port number')];
  if (hasName) return portProblems(name, `${path}.service.port.name`);
  if (number === 0) return [required(path, 'port name or number is required')];
  return portProblems(number, `${path}.service.port.number`);
}

function referenceProblems({ apiGroup, kind, name }: JsonMap, path: string): Causes {
  return [
    ...(apiGroup === undefined || apiGroup === null ? [] : named(apiGroup, `${path}.apiGroup`, isDnsSubdomain)),
    ...needName(kind, `${path}.kind`, isPathSegment),
    ...needName(name, `${path}.name`, isPathSegment),
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
    ...policyTypeProblems(asArray(spec['policyTypes'])),
  ];
}

function policyTypeProblems(types: readonly unknown[]): Causes {
  if (types.length > 2) return [invalidValue('spec.policyTypes', types, 'may not specify more than two policyTypes')];
  return types.flatMap((type, index) => oneOf(type, `spec.policyTypes[${String(index)}]`, ['Ingress', 'Egress']));
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
