import { invalidValue } from '../../model/causes.ts';
import { type Causes, mapAt, within } from './kit.ts';

const IDS: readonly [number, number] = [0, 2_147_483_647];

/** Of a container. */
export function validateSecurity(context: unknown, path: string): Causes {
  if (context === undefined) return [];
  const map = mapAt(context);
  const contradicts = map['privileged'] === true && map['allowPrivilegeEscalation'] === false;
  return [
    ...within(map['runAsUser'], `${path}.runAsUser`, IDS),
    ...within(map['runAsGroup'], `${path}.runAsGroup`, IDS),
    ...(contradicts
      ? [invalidValue(path, internal(map), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true')]
      : []),
  ];
}

/** Of a pod. */
export function validatePodSecurity(context: unknown, path: string): Causes {
  const map = mapAt(context);
  return ['runAsUser', 'runAsGroup', 'fsGroup'].flatMap((name) => within(map[name], `${path}.${name}`, IDS));
}

const FIELDS = [
  'privileged',
  'seLinuxOptions',
  'windowsOptions',
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'procMount',
  'seccompProfile',
  'appArmorProfile',
];

/** As Go prints the API server's own type. */
function internal(map: Readonly<Record<string, unknown>>): unknown {
  const { add = null, drop = null } = mapAt(map, 'capabilities');
  const capabilities = map['capabilities'] === undefined ? null : { Add: add, Drop: drop };
  const rest = FIELDS.map((name) => [
    GO_NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    map[name] ?? null,
  ]);
  return { Capabilities: capabilities, ...Object.fromEntries(rest) };
}

const GO_NAMES: Readonly<Record<string, string>> = { seLinuxOptions: 'SELinuxOptions' };
