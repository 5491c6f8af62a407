import type { Convert, Writer } from '../fields/index.ts';
import type { WriteOptions } from '../model/api.ts';
import { apiVersionOf, type Resource, type SubresourceName } from '../model/resource.ts';
import { convertObject } from './convert-object.ts';
import { type Core, timeNow } from './core.ts';

const DEFAULT_MANAGER = 'unknown';

/** Who writes through a request, for the managed fields. */
export function writerOf(
  core: Core,
  resource: Resource,
  { options, subresource }: { readonly options: WriteOptions; readonly subresource?: SubresourceName | undefined },
): Writer {
  return {
    manager: options.fieldManager ?? DEFAULT_MANAGER,
    apiVersion: apiVersionOf(resource),
    time: timeNow(core),
    subresource,
    schema: resource.schema,
    resource,
    convert: conversionOf(core, resource),
  };
}

function conversionOf(core: Core, resource: Resource): Convert {
  return (object, apiVersion) => {
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
    const to = core.kinds.find({ group: resource.group, version, plural: resource.plural });
    return to === undefined ? undefined : { object: convertObject(object, to), schema: to.schema };
  };
}
