import { asArray } from '../../../lib/json.ts';
import { duplicate, forbidden, invalidValue, notFound, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isDnsLabel, isPortName } from '../../schema/names.ts';
import { validateEnv } from './env.ts';
import { validateLifecycle, validateProbe } from './handlers.ts';
import { type Causes, each, mapAt, named, need, needName, oneOf, PORTS, textOf, unique, within } from './kit.ts';
import { validateResources } from './resources.ts';
import { validateSecurity } from './security.ts';
import { judgeVolumes } from './volumes.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateContainers(spec: JsonMap, path: string): Causes {
  const containers = asArray(spec['containers']);
  const names = containers.map((container) => mapAt(container)['name']);
  const place = `${path}.containers`;
  if (containers.length === 0) return [required(place)];
  return each(containers, place, (container, inner, index) => [
    ...containerProblems(container, spec, inner),
    ...repeatedName(names, index, inner),
    ...validateLifecycle(container, inner, spec['terminationGracePeriodSeconds']),
    ...validateProbe(container, 'livenessProbe', inner),
    ...validateProbe(container, 'readinessProbe', inner),
    ...validateProbe(container, 'startupProbe', inner),
  ]);
}

export function validateInitContainers(spec: JsonMap, path: string): Causes {
  const others = asArray(spec['containers']).map((container) => mapAt(container)['name']);
  const own = asArray(spec['initContainers']).map((container) => mapAt(container)['name']);
  return each(spec['initContainers'], `${path}.initContainers`, (container, place, index) => [
    ...containerProblems(container, spec, place),
    ...repeatedName([...others, ...own], others.length + index, place),
    ...(container['restartPolicy'] === 'Always'
      ? sidecarProblems(container, place, spec)
      : onceProblems(container, place)),
  ]);
}

function sidecarProblems(container: JsonMap, place: string, spec: JsonMap): Causes {
  return [
    ...validateLifecycle(container, place, spec['terminationGracePeriodSeconds']),
    ...validateProbe(container, 'livenessProbe', place),
    ...validateProbe(container, 'readinessProbe', place),
    ...validateProbe(container, 'startupProbe', place),
  ];
}

function onceProblems(container: JsonMap, place: string): Causes {
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((name) => container[name] !== undefined)
    .map((name) => forbidden(`${place}.${name}`, 'may not be set for init containers without restartPolicy=Always'));
}

function repeatedName(names: readonly unknown[], index: number, place: string): Causes {
  const name = names[index];
  return textOf(name) !== '' && names.indexOf(name) < index ? [duplicate(`${place}.name`, name)] : [];
}

function containerProblems(container: JsonMap, spec: JsonMap, path: string): Causes {
  const { name, image } = container;
  return [
    ...needName(name, `${path}.name`, isDnsLabel),
    ...need(image, `${path}.image`),
    ...oneOf(container['terminationMessagePolicy'], `${path}.terminationMessagePolicy`, [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...portsProblems(container['ports'], `${path}.ports`),
    ...validateEnv(container, path),
    ...mountProblems(container, spec, path),
    ...oneOf(container['imagePullPolicy'], `${path}.imagePullPolicy`, PULL_POLICIES),
    ...validateResources(container['resources'], `${path}.resources`),
    ...validateSecurity(container['securityContext'], `${path}.securityContext`),
  ];
}

function portsProblems(ports: unknown, path: string): Causes {
  const names = asArray(ports).map((port) => mapAt(port)['name']);
  return [
    ...each(ports, path, ({ name, containerPort, hostPort, protocol }, place) => [
      ...(textOf(name) === '' ? [] : named(name, `${place}.name`, isPortName)),
      ...(containerPort === 0
        ? [required(`${place}.containerPort`)]
        : within(containerPort, `${place}.containerPort`, PORTS)),
      ...(hostPort === 0 ? [] : within(hostPort, `${place}.hostPort`, PORTS)),
      ...oneOf(protocol, `${place}.protocol`, PROTOCOLS),
    ]),
    ...unique(names, (index) => `${path}[${String(index)}].name`),
  ];
}

function mountProblems(container: JsonMap, spec: JsonMap, path: string): Causes {
  const { usable } = judgeVolumes(spec['volumes'], '');
  const paths = asArray(container['volumeMounts']).map((mount) => mapAt(mount)['mountPath']);
  return each(container['volumeMounts'], `${path}.volumeMounts`, ({ name, mountPath, subPath }, place, index) => [
    ...(textOf(name) === '' ? [required(`${place}.name`)] : usable.has(name) ? [] : [notFound(`${place}.name`, name)]),
    ...(textOf(mountPath) === '' ? [required(`${place}.mountPath`)] : []),
    ...(textOf(mountPath) !== '' && paths.indexOf(mountPath) < index
      ? [invalidValue(`${place}.mountPath`, mountPath, 'must be unique')]
      : []),
    ...subPathProblems(subPath, `${path}.volumeMounts.subPath`),
  ]);
}

function subPathProblems(subPath: unknown, path: string): Causes {
  const text = textOf(subPath);
  if (text.startsWith('/')) return [invalidValue(path, text, 'must be a relative path')];
  return text.split('/').includes('..') ? [invalidValue(path, text, "must not contain '..'")] : [];
}
