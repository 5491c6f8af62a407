import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';

/** Addresses and ports of a Service that asks for none: IPv4 alone, as a cluster with one family has it. */
export function prepareService(object: JsonMap, allotment: { clusterIp(): string; nodePort(): number }): JsonMap {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  if (spec['type'] === 'ExternalName') return { ...object, spec: withoutPolicy(spec) };
  const clusterIP = asString(spec['clusterIP']) || allotment.clusterIp();
  const onNodes = hasNodePorts(spec);
  return {
    ...object,
    spec: {
      ...familiesOf(spec),
      ...spec,
      clusterIP,
      clusterIPs: [clusterIP],
      ...(onNodes ? { ports: asArray(spec['ports']).map((port) => withNodePort(port, allotment)) } : {}),
    },
  };
}

/** Whoever names the endpoints of a service that has neither a selector nor an address may name any. */
function familiesOf(spec: JsonMap): JsonMap {
  const hasSelector = isRecord(spec['selector']) && Object.keys(spec['selector']).length > 0;
  const isOpen = spec['clusterIP'] === 'None' && !hasSelector;
  if (isOpen) return { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
  return { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
}

function hasNodePorts(spec: JsonMap): boolean {
  if (spec['type'] === 'NodePort') return true;
  return spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false;
}

function withNodePort(port: unknown, allotment: { nodePort(): number }): unknown {
  if (!isRecord(port) || (port['nodePort'] ?? 0) !== 0) return port;
  return { ...port, nodePort: allotment.nodePort() };
}

const KEPT = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'healthCheckNodePort'];

/** An update that leaves these out keeps them, and those that its new type has no use for go when they are as before. */
export function keepAllocated(object: JsonMap, old: JsonMap): JsonMap {
  const [spec, before] = [object['spec'], old['spec']];
  if (!isRecord(spec) || !isRecord(before)) return object;
  if (spec['type'] === 'ExternalName')
    return { ...object, spec: without(withoutPolicy(spec), before, [...KEPT, 'externalTrafficPolicy']) };
  const kept = KEPT.flatMap((name) =>
    before[name] === undefined || spec[name] ? [] : [[name, before[name]] as const],
  );
  const changed = { ...spec, ...(before['type'] === 'ExternalName' ? {} : Object.fromEntries(kept)) };
  return { ...object, spec: withPorts(withoutUnused(changed, before), before) };
}

/** Nothing routes to another name. */
function withoutPolicy(spec: JsonMap): JsonMap {
  const { internalTrafficPolicy: _policy, ...rest } = spec;
  return rest;
}

/** Fields that only what is reached from outside has. */
function withoutUnused(spec: JsonMap, before: JsonMap): JsonMap {
  if (hasNodePorts(spec)) return spec;
  const external = asArray(spec['externalIPs']).length > 0 ? [] : ['externalTrafficPolicy', 'healthCheckNodePort'];
  return without(spec, before, [...external, 'allocateLoadBalancerNodePorts']);
}

function without(spec: JsonMap, before: JsonMap, names: readonly string[]): JsonMap {
  return Object.fromEntries(
    Object.entries(spec).filter(([name, value]) => !names.includes(name) || !isSame(value, before[name])),
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function withPorts(spec: JsonMap, before: JsonMap): JsonMap {
  if (!hasNodePorts(before) || !Array.isArray(spec['ports'])) return spec;
  const settle = hasNodePorts(spec) ? keepNodePort : dropNodePort;
  return { ...spec, ports: spec['ports'].map((port: unknown) => settle(port, asArray(before['ports']))) };
}

function keepNodePort(port: unknown, before: readonly unknown[]): unknown {
  if (!isRecord(port) || (port['nodePort'] ?? 0) !== 0) return port;
  const same = before.find((other) => at(other, 'port') === port['port'] && at(other, 'protocol') === port['protocol']);
  const nodePort = at(same, 'nodePort');
  return nodePort === undefined ? port : { ...port, nodePort };
}

function dropNodePort(port: unknown, before: readonly unknown[]): unknown {
  if (!isRecord(port)) return port;
  const { nodePort, ...rest } = port;
  return before.some((other) => at(other, 'nodePort') === nodePort) ? rest : port;
}
