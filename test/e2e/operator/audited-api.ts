import type { EmbeddedApi, Patch, Target } from '../../../src/embedded/model/api.ts';
import { asString, at } from '../../../src/lib/json.ts';
import type { AuditEvent } from './backends/backend.ts';

interface Asked {
  readonly verb: string;
  readonly target: Target;
  readonly dryRun?: boolean | undefined;
  readonly body?: unknown;
}

/** The same API, that tells of what is asked of it before it answers, as an audit log does. */
export function auditedApi(api: EmbeddedApi, user: string, record: (event: AuditEvent) => void): EmbeddedApi {
  const ask = (asked: Asked): void => {
    record(eventOf(user, asked));
  };
  return {
    resources: () => api.resources(),
    resource: (name) => api.resource(name),
    get: (target) => {
      ask({ verb: 'get', target });
      return api.get(target);
    },
    list: (target, options) => {
      ask({ verb: 'list', target });
      return api.list(target, options);
    },
    create: (target, body, options) => {
      ask({ verb: 'create', target, dryRun: options?.dryRun, body });
      return api.create(target, body, options);
    },
    update: (target, body, options) => {
      ask({ verb: 'update', target, dryRun: options?.dryRun });
      return api.update(target, body, options);
    },
    patch: (target, patch: Patch, options) => {
      ask({ verb: 'patch', target, dryRun: options?.dryRun });
      return api.patch(target, patch, options);
    },
    delete: (target, options) => {
      ask({ verb: 'delete', target, dryRun: options?.dryRun });
      return api.delete(target, options);
    },
    deleteCollection: (target, options) => {
      ask({ verb: 'deletecollection', target, dryRun: options?.dryRun });
      return api.deleteCollection(target, options);
    },
    watch: (target, options, onEvent) => {
      ask({ verb: 'watch', target });
      return api.watch(target, options, onEvent);
    },
    log: (target, options) => {
      ask({ verb: 'get', target: { ...target, subresource: 'log' } });
      return api.log(target, options);
    },
  };
}

function eventOf(username: string, { verb, target, dryRun, body }: Asked): AuditEvent {
  const { plural: resource, namespace } = target;
  const name = target.name ?? asString(at(body, 'metadata', 'name'));
  return {
    verb,
    requestURI: `${pathOf(target)}${dryRun === true ? '?dryRun=All' : ''}`,
    requestReceivedTimestamp: new Date().toISOString(),
    user: { username },
    objectRef: {
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
    },
  };
}

function pathOf({ group, version, plural, namespace, name, subresource }: Target): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === undefined ? [] : ['namespaces', namespace];
  return [root, ...place, plural, name, subresource].filter((part) => part !== undefined).join('/');
}
