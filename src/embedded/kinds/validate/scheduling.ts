import { invalidValue, notSupported, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isLabelKey } from '../../schema/names.ts';
import { labelProblems } from '../../schema/object-meta-problems.ts';
import { type Causes, each, mapAt, named, oneOf, textOf } from './kit.ts';
import { operatorProblems, validateSelector } from './selectors.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Where a pod may run. */
export function validateScheduling(spec: JsonMap, path: string): Causes {
  return [
    ...labelProblems(spec['nodeSelector'], `${path}.nodeSelector`),
    ...nodeAffinity(mapAt(mapAt(spec, 'affinity'), 'nodeAffinity'), `${path}.affinity.nodeAffinity`),
    ...podAffinity(mapAt(mapAt(spec, 'affinity'), 'podAffinity'), `${path}.affinity.podAffinity`),
    ...podAffinity(mapAt(mapAt(spec, 'affinity'), 'podAntiAffinity'), `${path}.affinity.podAntiAffinity`),
    ...each(spec['tolerations'], `${path}.tolerations`, tolerationProblems),
    ...each(spec['topologySpreadConstraints'], `${path}.topologySpreadConstraints`, spreadProblems),
  ];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function nodeAffinity(affinity: JsonMap, path: string): Causes {
  const terms = mapAt(affinity, REQUIRED)['nodeSelectorTerms'];
  const place = `${path}.${REQUIRED}.nodeSelectorTerms`;
  const isMissing = affinity[REQUIRED] !== undefined && (!Array.isArray(terms) || terms.length === 0);
  return [
    ...(isMissing ? [required(place, 'must have at least one node selector term')] : []),
    ...each(terms, place, nodeTerm),
    ...each(affinity[PREFERRED], `${path}.${PREFERRED}`, ({ weight, preference }, inner) => [
      ...weightProblems(weight, `${inner}.weight`),
      ...nodeTerm(mapAt(preference), `${inner}.preference`),
    ]),
  ];
}

function nodeTerm({ matchExpressions }: JsonMap, path: string): Causes {
  return each(matchExpressions, `${path}.matchExpressions`, ({ key, operator, values }, place) => [
    ...nodeOperator(operator, values, place),
    ...named(key, `${place}.key`, isLabelKey),
  ]);
}

function nodeOperator(operator: unknown, values: unknown, path: string): Causes {
  if (operator !== 'Gt' && operator !== 'Lt') return operatorProblems(operator, values, path);
  const single = Array.isArray(values) && values.length === 1;
  return single ? [] : [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
}

function podAffinity(affinity: JsonMap, path: string): Causes {
  return [
    ...each(affinity[REQUIRED], `${path}.${REQUIRED}`, podTerm),
    ...each(affinity[PREFERRED], `${path}.${PREFERRED}`, ({ weight, podAffinityTerm }, place) => [
      ...weightProblems(weight, `${place}.weight`),
      ...podTerm(mapAt(podAffinityTerm), `${place}.podAffinityTerm`),
    ]),
  ];
}

function podTerm({ labelSelector, topologyKey }: JsonMap, path: string): Causes {
  return [
    ...validateSelector(labelSelector, `${path}.labelSelector`),
    ...(textOf(topologyKey) === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...named(topologyKey, `${path}.topologyKey`, isLabelKey),
  ];
}

function weightProblems(weight: unknown, path: string): Causes {
  const fits = typeof weight === 'number' && weight >= 1 && weight <= 100;
  return fits ? [] : [invalidValue(path, weight ?? 0, 'must be in the range 1-100')];
}

function tolerationProblems(toleration: JsonMap, path: string): Causes {
  const { key, operator, value, effect } = toleration;
  const place = `${path}.operator`;
  const mustExist = textOf(key) === '' && operator !== 'Exists';
  return [
    ...(textOf(key) === '' ? [] : named(key, `${path}.key`, isLabelKey)),
    ...(mustExist
      ? [
          invalidValue(
            place,
            operator ?? '',
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...operatorOf(operator, value, place),
    ...oneOf(effect, `${path}.effect`, EFFECTS),
  ];
}

function operatorOf(operator: unknown, value: unknown, path: string): Causes {
  if (operator === 'Exists') {
    return textOf(value) === '' ? [] : [invalidValue(path, value, "value must be empty when `operator` is 'Exists'")];
  }
  return operator === undefined || operator === 'Equal' ? [] : [notSupported(path, operator, ['Equal', 'Exists'])];
}

function spreadProblems({ maxSkew, topologyKey, whenUnsatisfiable, labelSelector }: JsonMap, path: string): Causes {
  return [
    ...(typeof maxSkew === 'number' && maxSkew > 0
      ? []
      : [invalidValue(`${path}.maxSkew`, maxSkew ?? 0, 'must be greater than zero')]),
    ...(textOf(topologyKey) === ''
      ? [required(`${path}.topologyKey`, 'can not be empty')]
      : named(topologyKey, `${path}.topologyKey`, isLabelKey)),
    ...oneOf(whenUnsatisfiable, `${path}.whenUnsatisfiable`, ['DoNotSchedule', 'ScheduleAnyway']),
    ...validateSelector(labelSelector, `${path}.labelSelector`),
  ];
}
