import { forbidden, invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { hasFormat } from '../../schema/formats.ts';
import { isDnsSubdomain } from '../../schema/names.ts';
import { atLeast, type Causes, each, mapAt, need, oneOf, PORTS, textOf, within } from './kit.ts';
import { NO_IP } from './pod.ts';

const PRIORITY_MAX = 1_000_000_000;
const SYSTEM_PRIORITIES = ['system-node-critical', 'system-cluster-critical'];

export function validatePriorityClass(object: JsonMap): Causes {
  const name = textOf(mapAt(object, 'metadata')['name']);
  const value = Number(object['value'] ?? 0);
  if (name.startsWith('system-')) {
    if (SYSTEM_PRIORITIES.includes(name)) return [];
    const reserved = "priority class names with 'system-' prefix are reserved for system use only. error:";
    return [forbidden('metadata.name', `${reserved} ${name} is not a known system priority class`)];
  }
  return [
    ...(value > PRIORITY_MAX
      ? [forbidden('value', `maximum allowed value of a user defined priority is ${String(PRIORITY_MAX)}`)]
      : []),
    ...oneOf(object['preemptionPolicy'], 'preemptionPolicy', ['PreemptLowerPriority', 'Never']),
  ];
}

export function validateLease(spec: JsonMap): Causes {
  const { leaseDurationSeconds: seconds } = spec;
  const isShort = typeof seconds === 'number' && seconds <= 0;
  return [
    ...(isShort ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')] : []),
    ...atLeast(spec['leaseTransitions'], 'spec.leaseTransitions', 0),
  ];
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** Of configurations of webhooks, both kinds. */
export function validateWebhooks(object: JsonMap): Causes {
  return each(object['webhooks'], 'webhooks', (hook, path) => [
    ...qualifiedProblems(textOf(hook['name']), `${path}.name`),
    ...each(hook['rules'], `${path}.rules`, ruleProblems),
    ...oneOf(hook['failurePolicy'], `${path}.failurePolicy`, ['Fail', 'Ignore']),
    ...oneOf(hook['matchPolicy'], `${path}.matchPolicy`, ['Equivalent', 'Exact']),
    ...(hook['sideEffects'] === undefined || hook['sideEffects'] === null
      ? [required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun')]
      : oneOf(hook['sideEffects'], `${path}.sideEffects`, ['None', 'NoneOnDryRun'])),
    ...timeoutProblems(hook['timeoutSeconds'], `${path}.timeoutSeconds`),
    ...clientProblems(mapAt(hook, 'clientConfig'), `${path}.clientConfig`),
    ...need(hook['admissionReviewVersions'], `${path}.admissionReviewVersions`, 'must specify one of v1, v1beta1'),
  ]);
}

function qualifiedProblems(name: string, path: string): Causes {
  if (name === '') return [required(path)];
  const malformed = isDnsSubdomain(name);
  if (malformed.length > 0) return [invalidValue(path, name, malformed.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(path, name, 'should be a domain with at least three segments separated by dots')];
}

function ruleProblems(rule: JsonMap, path: string): Causes {
  const { operations } = rule;
  return [
    ...need(operations, `${path}.operations`),
    ...(Array.isArray(operations) ? operations : []).flatMap((operation: unknown, index) =>
      oneOf(operation, `${path}.operations[${String(index)}]`, OPERATIONS),
    ),
    ...need(rule['apiGroups'], `${path}.apiGroups`),
    ...need(rule['apiVersions'], `${path}.apiVersions`),
    ...need(rule['resources'], `${path}.resources`),
  ];
}

function timeoutProblems(seconds: unknown, path: string): Causes {
  const fits = typeof seconds !== 'number' || (seconds >= 1 && seconds <= 30);
  return fits ? [] : [invalidValue(path, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

function clientProblems({ url, service }: JsonMap, path: string): Causes {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) {
    const isSecure = textOf(url).startsWith('https://');
    return isSecure
      ? []
      : [
          invalidValue(
            `${path}.url`,
            textOf(url).split(':')[0],
            `'https' is the only allowed URL scheme; desired format: https://host[/path]`,
          ),
        ];
  }
  const { name, namespace } = mapAt(service);
  return [...need(name, `${path}.service.name`), ...need(namespace, `${path}.service.namespace`)];
}

export function validateApiService(object: JsonMap): Causes {
  const { group, version, groupPriorityMinimum: groupPriority, versionPriority } = mapAt(object, 'spec');
  const name = textOf(mapAt(object, 'metadata')['name']);
  const expected = `${textOf(version)}.${textOf(group)}`;
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`;
  return [
    ...(name === expected ? [] : [invalidValue('metadata.name', name, detail)]),
    ...priorityProblems(groupPriority, 'spec.groupPriorityMinimum', 20_000),
    ...priorityProblems(versionPriority, 'spec.versionPriority', 1000),
  ];
}

function priorityProblems(priority: unknown, path: string, limit: number): Causes {
  const value = typeof priority === 'number' ? priority : 0;
  const fits = value > 0 && value <= limit;
  return fits ? [] : [invalidValue(path, value, `must be positive and less than ${String(limit)}`)];
}

export function validateEndpoints(object: JsonMap): Causes {
  return each(object['subsets'], 'subsets', ({ addresses, ports }, path) => [
    ...each(addresses, `${path}.addresses`, ({ ip }, place) => {
      if (['ipv4', 'ipv6'].some((format) => hasFormat(textOf(ip), format) === true)) return [];
      return [
        invalidValue(`${place}.ip`, textOf(ip), NO_IP),
        invalidValue(`${place}.ip`, textOf(ip), 'must be a valid IP address'),
      ];
    }),
    ...each(ports, `${path}.ports`, ({ port, protocol }, place) => [
      ...within(port, `${place}.port`, PORTS),
      ...oneOf(protocol, `${place}.protocol`, ['TCP', 'UDP', 'SCTP']),
    ]),
  ]);
}

export function validateIngressClass(spec: JsonMap): Causes {
  const { controller } = spec;
  return textOf(controller) === '' ? [required('spec.controller')] : [];
}
