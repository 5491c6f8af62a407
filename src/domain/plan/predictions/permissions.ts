import type { KubeObject } from '../../../api/kube.ts';
import { asArray, asString, at } from '../../../lib/json.ts';
import { eachComponent, someOf } from './each-object.ts';

const GROUP = 'rbac.authorization.k8s.io/';

/** What a component allows its service accounts in the whole cluster. */
export const findClusterPermissions = eachComponent(({ objects }) => {
  const written = objects.map(({ after }) => after).filter(({ apiVersion }) => apiVersion.startsWith(GROUP));
  const bindings = written.filter(({ kind }) => kind === 'ClusterRoleBinding');
  if (bindings.length === 0) return undefined;
  const roles = [...new Set(bindings.map((binding) => roleOf(binding)))].sort();
  const all = roles.filter((role) => role === 'cluster-admin' || written.some((each) => isAlmighty(each, role)));
  return {
    message:
      all.length === 0
        ? `gives permissions in the whole cluster: ClusterRole ${someOf(roles)}`
        : `gives every permission in the whole cluster: ClusterRole ${someOf(all)}`,
    remedy: 'see that this is what the package needs',
  };
});

function roleOf(binding: KubeObject): string {
  return asString(at(binding, 'roleRef', 'name')) ?? '';
}

function isAlmighty(role: KubeObject, name: string): boolean {
  if (role.kind !== 'ClusterRole' || role.metadata.name !== name) return false;
  return asArray(role['rules']).some((rule) =>
    ['apiGroups', 'resources', 'verbs'].every((field) => asArray(at(rule, field)).includes('*')),
  );
}
