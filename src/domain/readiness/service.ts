import type { KubeObject } from '../../api/kube.ts';
import { asArray, at } from '../../lib/json.ts';
import { recordsOf, textOf } from './fields.ts';
import { warningQueries } from './pod-queries.ts';
import { type KindRule, progressing, ready } from './verdict.ts';

/** Has its cluster IP, and an external address when the component asks for one. */
export const service: KindRule = {
  alwaysObserved: false,
  assess(object, context) {
    const type = textOf(object, 'spec', 'type') || 'ClusterIP';
    if (type === 'ExternalName') return ready('an external name needs nothing');
    const clusterIP = textOf(object, 'spec', 'clusterIP');
    if (clusterIP === '') return progressing('NoClusterIP', 'has no cluster IP yet');
    if (type !== 'LoadBalancer') return ready(`cluster IP ${clusterIP}`);
    if (hasAddress(object)) return ready('has an external address');
    if (context.options.loadBalancer === 'Address') return progressing('NoAddress', 'has no external address yet');
    return ready(`cluster IP ${clusterIP}`, 'has no external address (none is asked for)');
  },
  related: warningQueries,
};

function hasAddress(object: KubeObject): boolean {
  const given = asArray(at(object, 'spec', 'externalIPs')).length > 0;
  return given || recordsOf(object, 'status', 'loadBalancer', 'ingress').length > 0;
}
