import { forbidden, invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isPortName } from '../../schema/names.ts';
import { atLeast, type Causes, mapAt, named, need, oneOf, PORTS, present, within } from './kit.ts';

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

type ProbeKind = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

export function validateProbe(container: JsonMap, kind: ProbeKind, path: string): Causes {
  const probe = container[kind];
  if (probe === undefined) return [];
  const place = `${path}.${kind}`;
  const map = mapAt(probe);
  const once = kind !== 'readinessProbe' && typeof map['successThreshold'] === 'number' && map['successThreshold'] > 1;
  return [
    ...validateHandler(probe, place),
    ...['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'].flatMap(
      (name) => atLeast(map[name], `${place}.${name}`, 0),
    ),
    ...(once ? [invalidValue(`${place}.successThreshold`, map['successThreshold'], 'must be 1')] : []),
  ];
}

export function validateHandler(handler: unknown, path: string): Causes {
  const map = mapAt(handler);
  const names = present(map, HANDLERS);
  if (names.length === 0) return [required(path, 'must specify a handler type')];
  return names.flatMap((name, index) => {
    if (index > 0) return [forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')];
    return actionProblems(name, mapAt(map, name), `${path}.${name}`);
  });
}

function actionProblems(name: string, action: JsonMap, path: string): Causes {
  switch (name) {
    case 'exec':
      return need(action['command'], `${path}.command`);
    case 'httpGet':
      return [
        ...need(action['path'], `${path}.path`),
        ...portProblems(action['port'], `${path}.port`),
        ...oneOf(action['scheme'], `${path}.scheme`, ['HTTP', 'HTTPS']),
      ];
    case 'grpc':
      return within(action['port'], `${path}.port`, PORTS);
    default:
      return name === 'sleep' ? [] : portProblems(action['port'], `${path}.port`);
  }
}

export function portProblems(port: unknown, path: string): Causes {
  return typeof port === 'number' ? within(port, path, PORTS) : named(port, path, isPortName);
}

export function validateLifecycle(container: JsonMap, path: string, grace: unknown): Causes {
  const lifecycle = mapAt(container, 'lifecycle');
  return present(lifecycle, ['postStart', 'preStop']).flatMap((name) => {
    const place = `${path}.lifecycle.${name}`;
    return [...validateHandler(lifecycle[name], place), ...sleepProblems(lifecycle[name], place, grace)];
  });
}

function sleepProblems(handler: unknown, path: string, grace: unknown): Causes {
  const { seconds } = mapAt(handler, 'sleep');
  if (typeof seconds !== 'number' || typeof grace !== 'number' || (seconds >= 0 && seconds <= grace)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${String(grace)})`;
  return [invalidValue(`${path}.sleep`, seconds, detail)];
}
