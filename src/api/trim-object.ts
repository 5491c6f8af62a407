import type { KubeObject, ManagedField, ObjectMeta } from './kube.ts';

/** The object without `managedFields`, but for who wrote its status and when. */
export function trimObject(object: KubeObject): KubeObject {
  const { managedFields, ...rest } = object.metadata;
  if (managedFields === undefined) return object;
  const written = managedFields.filter((entry) => entry.subresource === 'status').map(statusWrite);
  const metadata: ObjectMeta = written.length === 0 ? rest : { ...rest, managedFields: written };
  return { ...object, metadata };
}

function statusWrite(entry: ManagedField): ManagedField {
  const { manager, operation, subresource, time } = entry;
  return {
    ...(manager === undefined ? {} : { manager }),
    ...(operation === undefined ? {} : { operation }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
  };
}
