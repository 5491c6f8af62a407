import { asArray, asNumber, asString, at } from '../../../lib/json.ts';
import { invalidValue } from '../../model/causes.ts';
import { invalidObject } from '../../model/invalid.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { StatusCause } from '../../model/status-error.ts';
import type { Core } from '../core.ts';
import { childOf, type KindRules } from './kind-rules.ts';

/** No two Services have one address, or one port of the nodes. */
export const SERVICE_RULES: KindRules = {
  create: (core, object) => checked(core, object, undefined),
  update: (core, { object, live }) => checked(core, object, live),
  written: (core, object, before) => {
    if (before !== undefined) core.addresses.release(ipsOf(before), portsOf(before));
    core.addresses.claim(ipsOf(object), portsOf(object));
  },
  known: (core, object) => {
    core.addresses.claim(ipsOf(object), portsOf(object));
  },
  forgotten: (core, object) => {
    core.addresses.release(ipsOf(object), portsOf(object));
  },
  removed: (core, object) => {
    core.addresses.release(ipsOf(object), portsOf(object));
  },
};

/** What a Service asks for must be free, or its own already. */
function checked<T extends JsonMap>(core: Core, object: T, live: StoredObject | undefined): T {
  if (at(object, 'spec', 'type') === 'ExternalName') return object;
  const causes = [...ipCauses(core, object, live), ...portCauses(core, object, live)];
  if (causes.length === 0) return object;
  throw invalidObject({ group: '', kind: 'Service', name: asString(at(object, 'metadata', 'name')) ?? '' }, causes);
}

function ipCauses(core: Core, object: JsonMap, live: StoredObject | undefined): readonly StatusCause[] {
  const ip = asString(childOf(object, 'spec')['clusterIP']) ?? '';
  if (ip === '' || ip === 'None' || live !== undefined) return [];
  const problem = core.addresses.problemOf(ip);
  return problem === undefined
    ? []
    : [invalidValue('spec.clusterIPs', [ip], `failed to allocate IP ${ip}: ${problem}`)];
}

function portCauses(core: Core, object: JsonMap, live: StoredObject | undefined): readonly StatusCause[] {
  const own = live === undefined ? [] : portsOf(live);
  return asArray(at(object, 'spec', 'ports')).flatMap((port, index) => {
    const nodePort = asNumber(at(port, 'nodePort')) ?? 0;
    if (nodePort === 0 || own.includes(nodePort) || !core.addresses.isPortTaken(nodePort)) return [];
    return [invalidValue(`spec.ports[${String(index)}].nodePort`, nodePort, 'provided port is already allocated')];
  });
}

function ipsOf(service: JsonMap): readonly string[] {
  return asArray(at(service, 'spec', 'clusterIPs')).filter(
    (ip): ip is string => typeof ip === 'string' && ip !== 'None',
  );
}

function portsOf(service: JsonMap): readonly number[] {
  return asArray(at(service, 'spec', 'ports')).flatMap((port) => {
    const nodePort = asNumber(at(port, 'nodePort')) ?? 0;
    return nodePort === 0 ? [] : [nodePort];
  });
}
