import { apiVersionOf } from '../../model/resource.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, unless } from '../kit/hand.ts';
import type { Source } from '../kit/controller.ts';
import { CONFIG_MAPS, type Kind, NAMESPACES, SERVICE_ACCOUNTS } from '../kit/kinds.ts';
import { isDeleting } from '../kit/read.ts';

const COMPONENT = 'namespace-contents-controller';
const ACCOUNT = 'default';
const AUTHORITY = 'kube-root-ca.crt';

/** What every namespace has: a ServiceAccount for its pods, and the authority of the API server. */
export function accountsController({ api, informers }: Surroundings, authority: string): Controller {
  const hand = createHand(api, 'kube-controller-manager');
  const contents = [
    { kind: SERVICE_ACCOUNTS, name: ACCOUNT, fields: {} },
    { kind: CONFIG_MAPS, name: AUTHORITY, fields: { data: { 'ca.crt': authority } } },
  ];
  return {
    name: COMPONENT,
    sources: [changesOf(NAMESPACES), ...contents.map(({ kind, name }) => removalsOf(kind, name))],
    reconcile(key) {
      const namespace = lookUp(informers.of(NAMESPACES), key);
      if (namespace === undefined || isDeleting(namespace)) return undefined;
      for (const { kind, name, fields } of contents) {
        if (informers.of(kind).get(namespace.metadata.name, name) !== undefined) continue;
        const metadata = { name, namespace: namespace.metadata.name };
        const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...fields };
        unless('AlreadyExists', () => hand.create(kind, body));
      }
      return undefined;
    },
  };
}

function removalsOf(kind: Kind, name: string): Source {
  return {
    kind,
    keys: ({ type, object }) =>
      type === 'DELETED' && object.metadata.name === name ? [`/${object.metadata.namespace ?? ''}`] : [],
  };
}
