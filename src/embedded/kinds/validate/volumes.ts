import { duplicate, forbidden, invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isConfigKey, isDnsLabel } from '../../schema/names.ts';
import { type Causes, each, mapAt, named, need, textOf } from './kit.ts';

const MODES = 0o777;

export interface JudgedVolumes {
  readonly causes: Causes;
  /** Those that can be mounted: without mistakes of their own. */
  readonly usable: ReadonlySet<unknown>;
}

export function judgeVolumes(volumes: unknown, path: string): JudgedVolumes {
  const usable = new Set<unknown>();
  const causes = each(volumes, path, (volume, place) => {
    const { name } = volume;
    const own = [...sourceProblems(volume, place), ...nameProblems(name, `${place}.name`)];
    if (own.length > 0) return own;
    if (usable.has(name)) return [duplicate(`${place}.name`, name)];
    usable.add(name);
    return [];
  });
  return { causes, usable };
}

function nameProblems(name: unknown, path: string): Causes {
  return textOf(name) === '' ? [required(path)] : named(name, path, isDnsLabel);
}

function sourceProblems(volume: JsonMap, path: string): Causes {
  const types = Object.keys(volume)
    .filter((name) => name !== 'name')
    .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  if (types.length === 0) return [required(path, 'must specify a volume type')];
  return types.flatMap((type, index) => {
    if (index > 0) return [forbidden(`${path}.${type}`, 'may not specify more than 1 volume type')];
    return SOURCES[type]?.(mapAt(volume, type), `${path}.${type}`) ?? [];
  });
}

/** The API server looks at them in this order. */
const ORDER = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'azureFile',
  'configMap',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

const SOURCES: Readonly<Record<string, (source: JsonMap, path: string) => Causes>> = {
  secret: ({ secretName, items, defaultMode }, path) => [
    ...need(secretName, `${path}.secretName`),
    ...modeProblems(defaultMode, `${path}.defaultMode`),
    ...itemProblems(items, `${path}.items`),
  ],
  configMap: ({ name, items, defaultMode }, path) => [
    ...need(name, `${path}.name`),
    ...modeProblems(defaultMode, `${path}.defaultMode`),
    ...itemProblems(items, `${path}.items`),
  ],
  persistentVolumeClaim: ({ claimName }, path) => need(claimName, `${path}.claimName`),
  hostPath: (source, path) => {
    const text = textOf(source['path']);
    return [...need(text, `${path}.path`), ...backsteps(text, `${path}.path`)];
  },
  nfs: (source, path) => [
    ...need(source['server'], `${path}.server`),
    ...need(source['path'], `${path}.path`),
    ...(textOf(source['path']).startsWith('/') || textOf(source['path']) === ''
      ? []
      : [invalidValue(`${path}.path`, source['path'], 'must be an absolute path')]),
  ],
  csi: ({ driver }, path) => need(driver, `${path}.driver`),
};

function modeProblems(mode: unknown, path: string): Causes {
  if (typeof mode !== 'number' || (mode >= 0 && mode <= MODES)) return [];
  return [invalidValue(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

function itemProblems(items: unknown, path: string): Causes {
  return each(items, path, (item, place) => {
    const target = textOf(item['path']);
    return [
      ...(textOf(item['key']) === '' ? [required(`${place}.key`)] : named(item['key'], `${place}.key`, isConfigKey)),
      ...need(target, `${place}.path`),
      ...(target.startsWith('/') ? [invalidValue(`${place}.path`, target, 'must be a relative path')] : []),
      ...backsteps(target, `${place}.path`),
      ...modeProblems(item['mode'], `${place}.mode`),
    ];
  });
}

function backsteps(text: string, path: string): Causes {
  return text.split('/').includes('..') ? [invalidValue(path, text, "must not contain '..'")] : [];
}
