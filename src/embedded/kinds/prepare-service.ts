import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';

/** Addresses and ports of a Service that asks for none: IPv4 alone, as a cluster with one family has it. */
export function prepareService(object: JsonMap, allotment: { clusterIp(): string; nodePort(): number }): JsonMap {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  if (spec['type'] === 'ExternalName') return object;
  const clusterIP = asString(spec['clusterIP']) || allotment.clusterIp();
  const onNodes = hasNodePorts(spec);
  return {
    ...object,
    spec: {
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ...spec,
      clusterIP,
      clusterIPs: [clusterIP],
      ...(onNodes ? { ports: asArray(spec['ports']).map((port) => withNodePort(port, allotment)) } : {}),
    },
  };
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

/** An update that leaves these out keeps them, as long as the Service still has such things. */
export function keepAllocated(object: JsonMap, old: JsonMap): JsonMap {
  const [spec, before] = [object['spec'], old['spec']];
  if (!isRecord(spec) || !isRecord(before) || spec['type'] === 'ExternalName' || before['type'] === 'ExternalName') {
    return object;
  }
  const kept = Object.fromEntries(KEPT.map((name) => [name, spec[name] ?? before[name]]));
  const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  const changed = { ...spec, ...known };
  if (!hasNodePorts(spec) || !hasNodePorts(before)) return { ...object, spec: changed };
  const ports = asArray(spec['ports']).map((port) => keepNodePort(port, asArray(before['ports'])));
  return { ...object, spec: { ...changed, ports } };
}

function keepNodePort(port: unknown, before: readonly unknown[]): unknown {
  if (!isRecord(port) || (port['nodePort'] ?? 0) !== 0) return port;
  const same = before.find((other) => at(other, 'port') === port['port'] && at(other, 'protocol') === port['protocol']);
  const nodePort = at(same, 'nodePort');
  return nodePort === undefined ? port : { ...port, nodePort };
}
