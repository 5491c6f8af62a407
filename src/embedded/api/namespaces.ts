import { at } from '../../lib/json.ts';
import type { StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Core } from './core.ts';
import { forbidden, notFound } from './refusals.ts';

const NAMESPACES = { group: '', plural: 'namespaces' };
const KEY = '/namespaces';

/** Nothing is made in a namespace that is not there or that is being deleted. */
export function requireOpenNamespace(core: Core, resource: Resource, object: StoredObject): void {
  const { name, namespace = '' } = object.metadata;
  const home = core.store.get(KEY, `/${namespace}`);
  if (home === undefined) throw notFound(NAMESPACES, namespace);
  if (home.metadata.deletionTimestamp === undefined && at(home, 'status', 'phase') !== 'Terminating') return;
  throw forbidden(resource, name, {
    why: `unable to create new content in namespace ${namespace} because it is being terminated`,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}
