import { asArray } from '../../../lib/json.ts';
import { invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { type Causes, each, mapAt, need, oneOf, textOf } from './kit.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Of a Role or ClusterRole. */
export function validateRole(object: JsonMap, isNamespaced: boolean): Causes {
  return each(object['rules'], 'rules', (rule, path) => ruleProblems(rule, path, isNamespaced));
}

function ruleProblems(rule: JsonMap, path: string, isNamespaced: boolean): Causes {
  const { verbs, nonResourceURLs, apiGroups, resources } = rule;
  const noVerbs =
    asArray(verbs).length === 0 ? [required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  if (asArray(nonResourceURLs).length > 0) {
    const place = `${path}.nonResourceURLs`;
    const mixed = [apiGroups, resources, rule['resourceNames']].some((list) => asArray(list).length > 0);
    const both = 'rules cannot apply to both regular resources and non-resource URLs';
    return [
      ...noVerbs,
      ...(isNamespaced
        ? [invalidValue(place, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs')]
        : []),
      ...(mixed ? [invalidValue(place, nonResourceURLs, both)] : []),
    ];
  }
  return [
    ...noVerbs,
    ...need(apiGroups, `${path}.apiGroups`, 'resource rules must supply at least one api group'),
    ...need(resources, `${path}.resources`, 'resource rules must supply at least one resource'),
  ];
}

/** Of a RoleBinding or ClusterRoleBinding. */
export function validateBinding(object: JsonMap, isNamespaced: boolean): Causes {
  const { apiGroup, kind, name } = mapAt(object, 'roleRef');
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...oneOf(apiGroup, 'roleRef.apiGroup', [GROUP]),
    ...oneOf(textOf(kind), 'roleRef.kind', kinds),
    ...need(name, 'roleRef.name'),
    ...each(object['subjects'], 'subjects', (subject, path) => subjectProblems(subject, path, isNamespaced)),
  ];
}

function subjectProblems({ kind, name, namespace, apiGroup }: JsonMap, path: string, isNamespaced: boolean): Causes {
  const missing = need(name, `${path}.name`);
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...missing,
        ...(textOf(apiGroup) === '' ? [] : oneOf(apiGroup, `${path}.apiGroup`, [''])),
        ...(!isNamespaced && textOf(namespace) === '' ? [required(`${path}.namespace`)] : []),
      ];
    case 'User':
    case 'Group':
      return [...missing, ...oneOf(apiGroup, `${path}.apiGroup`, [GROUP])];
    default:
      return [...missing, ...oneOf(textOf(kind), `${path}.kind`, ['ServiceAccount', 'User', 'Group'])];
  }
}
