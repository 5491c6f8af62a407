import { asString, at } from '../../../lib/json.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { Core } from '../core.ts';
import { forbidden } from '../refusals.ts';
import { childOf, type KindRules, withSpec } from './kind-rules.ts';

const PODS = { group: '', plural: 'pods' };
const DEFAULT_ACCOUNT = 'default';

/** A pod's account and priority class must be there. */
export const POD_RULES: KindRules = {
  create: (core, object) => withPriority(core, withAccount(core, object)),
};

function withAccount(core: Core, pod: JsonMap): JsonMap {
  const { name, namespace } = childOf(pod, 'metadata');
  const account = asString(childOf(pod, 'spec')['serviceAccountName']) ?? '';
  // That of every namespace comes soon by itself.
  if (account === '' || account === DEFAULT_ACCOUNT) return pod;
  if (core.store.get('/serviceaccounts', `${String(namespace)}/${account}`) !== undefined) return pod;
  throw forbidden(PODS, asString(name) ?? '', {
    why: `error looking up service account ${String(namespace)}/${account}: serviceaccount "${account}" not found`,
  });
}

function withPriority(core: Core, pod: JsonMap): JsonMap {
  const className = asString(childOf(pod, 'spec')['priorityClassName']) ?? '';
  const found = className === '' ? defaultPriority(core) : priorityClass(core, className);
  if (found === undefined) {
    if (className === '') return pod;
    const name = asString(at(pod, 'metadata', 'name')) ?? '';
    throw forbidden(PODS, name, { why: `no PriorityClass with name ${className} was found` });
  }
  return withSpec(pod, {
    priorityClassName: found.metadata.name,
    priority: found['value'],
    preemptionPolicy: found['preemptionPolicy'],
  });
}

function priorityClass(core: Core, name: string): StoredObject | undefined {
  return core.store.get('scheduling.k8s.io/priorityclasses', `/${name}`);
}

function defaultPriority(core: Core): StoredObject | undefined {
  return core.store.all('scheduling.k8s.io/priorityclasses').find((own) => own['globalDefault'] === true);
}
