import { invalidValue, notSupported } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isConfigKey, isDnsSubdomain, isEnvName } from '../../schema/names.ts';
import { type Causes, each, mapAt, named, needName, present, textOf } from './kit.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

const FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

export function validateEnv(container: JsonMap, path: string): Causes {
  return [
    ...each(container['env'], `${path}.env`, (variable, place) => [
      ...needName(variable['name'], `${place}.name`, isEnvName),
      ...sourceProblems(variable, `${place}.valueFrom`),
    ]),
    ...each(container['envFrom'], `${path}.envFrom`, (source, place) => fromProblems(source, place, `${path}.envFrom`)),
  ];
}

function sourceProblems({ value, valueFrom }: JsonMap, path: string): Causes {
  if (valueFrom === undefined) return [];
  const source = mapAt(valueFrom);
  const names = present(source, SOURCES);
  const inner = names.flatMap((name) => SOURCE_CHECKS[name]?.(mapAt(source, name), `${path}.${name}`) ?? []);
  if (names.length === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalidValue(path, '', detail)];
  }
  if (textOf(value) !== '') return [...inner, invalidValue(path, '', 'may not be specified when `value` is not empty')];
  if (names.length === 1) return inner;
  return [...inner, invalidValue(path, '', 'may not have more than one field specified at a time')];
}

const SOURCE_CHECKS: Readonly<Record<string, (source: JsonMap, path: string) => Causes>> = {
  fieldRef: ({ fieldPath }, path) => fieldPathProblems(fieldPath, `${path}.fieldPath`),
  resourceFieldRef: ({ resource }, path) => {
    const name = textOf(resource);
    const isKnown = RESOURCE_FIELDS.includes(name) || /^(?:limits|requests)\.hugepages-/.test(name);
    return isKnown ? [] : [notSupported(`${path}.resource`, name, RESOURCE_FIELDS)];
  },
  configMapKeyRef: keyProblems,
  secretKeyRef: keyProblems,
};

function fieldPathProblems(fieldPath: unknown, path: string): Causes {
  const name = textOf(fieldPath);
  if (FIELD_PATHS.includes(name) || /^metadata\.(?:labels|annotations)\['.+'\]$/.test(name)) return [];
  if (/^metadata\.(?:labels|annotations)$/.test(name)) {
    return [notSupported(path, name, [...FIELD_PATHS].sort())];
  }
  return [invalidValue(path, name, `error converting fieldPath: field label not supported: ${name}`)];
}

function keyProblems({ name, key }: JsonMap, path: string): Causes {
  return [...named(name, `${path}.name`, isDnsSubdomain), ...needName(key, `${path}.key`, isConfigKey)];
}

function fromProblems(source: JsonMap, path: string, list: string): Causes {
  const names = present(source, ['configMapRef', 'secretRef']);
  const inner = names.flatMap((name) => named(mapAt(source, name)['name'], `${path}.${name}.name`, isDnsSubdomain));
  if (names.length === 0) return [invalidValue(list, '', 'must specify one of: `configMapRef` or `secretRef`')];
  if (names.length === 1) return inner;
  return [...inner, invalidValue(list, '', 'may not have more than one field specified at a time')];
}
