import { asArray } from '../../../lib/json.ts';
import { invalidValue, notSupported, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isDnsSubdomain } from '../../schema/names.ts';
import { type Causes, mapAt, named, need, oneOf, textOf } from './kit.ts';
import { nanosOf } from './resources.ts';
import { validateSelector } from './selectors.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

/** Of a PersistentVolumeClaim, or of a template of one. */
export function validateClaimSpec(spec: JsonMap, path: string): Causes {
  const { accessModes, selector, storageClassName } = spec;
  return [
    ...(asArray(accessModes).length === 0
      ? [required(`${path}.accessModes`, 'at least 1 access mode is required')]
      : []),
    ...validateSelector(selector, `${path}.selector`),
    ...modeProblems(accessModes, `${path}.accessModes`),
    ...amountProblems(mapAt(mapAt(spec, 'resources'), 'requests')['storage'], `${path}.resources[storage]`),
    ...(textOf(storageClassName) === '' ? [] : named(storageClassName, `${path}.storageClassName`, isDnsSubdomain)),
    ...oneOf(spec['volumeMode'], `${path}.volumeMode`, VOLUME_MODES),
  ];
}

function modeProblems(modes: unknown, path: string): Causes {
  const wrong = asArray(modes).filter((mode) => !ACCESS_MODES.includes(String(mode)));
  return wrong.map((mode) => notSupported(path, mode, ACCESS_MODES));
}

function amountProblems(amount: unknown, path: string): Causes {
  if (amount === undefined) return [required(path)];
  return nanosOf(amount) > 0n ? [] : [invalidValue(path, amount, 'must be greater than zero')];
}

const NO_SOURCE = [
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
];

/** Of a PersistentVolume: the fields that say where it is. */
export function volumeSourceOf(spec: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !NO_SOURCE.includes(name)));
}

export function validateVolume(spec: JsonMap): Causes {
  const { accessModes, capacity } = spec;
  const isSized = mapAt(capacity)['storage'] !== undefined;
  return [
    ...need(accessModes, 'spec.accessModes'),
    ...modeProblems(accessModes, 'spec.accessModes'),
    ...need(capacity, 'spec.capacity'),
    ...(isSized ? [] : [notSupported('spec.capacity', capacity ?? null, ['storage'])]),
    ...(Object.keys(volumeSourceOf(spec)).length === 0 ? [required('spec', 'must specify a volume type')] : []),
    ...oneOf(spec['persistentVolumeReclaimPolicy'], 'spec.persistentVolumeReclaimPolicy', [
      'Delete',
      'Recycle',
      'Retain',
    ]),
    ...oneOf(spec['volumeMode'], 'spec.volumeMode', VOLUME_MODES),
  ];
}

export function validateStorageClass(object: JsonMap): Causes {
  return [
    ...need(object['provisioner'], 'provisioner'),
    ...oneOf(object['reclaimPolicy'], 'reclaimPolicy', ['Delete', 'Retain']),
    ...oneOf(object['volumeBindingMode'], 'volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']),
  ];
}
