import { asArray } from '../../../lib/json.ts';
import { invalidValue, required, tooLong } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isConfigKey, isLabelKey } from '../../schema/names.ts';
import { type Causes, each, mapAt, named, shown, unique } from './kit.ts';
import { nanosOf } from './resources.ts';

const DATA_MAX = 1024 * 1024;

export function validateConfigMap(object: JsonMap): Causes {
  const [data, binary] = [mapAt(object, 'data'), mapAt(object, 'binaryData')];
  const size = sizeOf(Object.values(data), 1) + sizeOf(Object.values(binary), 3 / 4);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...named(key, `data[${key}]`, isConfigKey),
      ...(Object.hasOwn(binary, key)
        ? [invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...Object.keys(binary).flatMap((key) => named(key, `binaryData[${key}]`, isConfigKey)),
    ...(size > DATA_MAX ? [tooLong('', DATA_MAX)] : []),
  ];
}

function sizeOf(values: readonly unknown[], factor: number): number {
  return values.reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)) * factor, 0);
}

/** Keys that secrets of a type must have. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export function validateSecret(object: JsonMap): Causes {
  const data = mapAt(object, 'data');
  const type = String(object['type']);
  const size = sizeOf(Object.values(data), 3 / 4);
  return [
    ...Object.keys(data).flatMap((key) => named(key, `data[${key}]`, isConfigKey)),
    ...(size > DATA_MAX ? [tooLong('data', DATA_MAX)] : []),
    ...(NEEDED[type] ?? []).filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`)),
    ...(SECRETS[type]?.(object, data) ?? []),
  ];
}

const ACCOUNT = 'kubernetes.io/service-account.name';

const SECRETS: Readonly<Record<string, (object: JsonMap, data: JsonMap) => Causes>> = {
  'kubernetes.io/service-account-token': (object) => {
    const name = mapAt(mapAt(object, 'metadata'), 'annotations')[ACCOUNT];
    return name === undefined || name === '' ? [required(`metadata.annotations[${ACCOUNT}]`)] : [];
  },
  'kubernetes.io/basic-auth': (_object, data) => {
    const keys = ['username', 'password'];
    return keys.some((key) => data[key] !== undefined) ? [] : keys.map((key) => required(`data[${key}]`));
  },
  'kubernetes.io/dockercfg': (_object, data) => jsonIn(data, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (_object, data) => jsonIn(data, '.dockerconfigjson'),
};

function jsonIn(data: JsonMap, key: string): Causes {
  const encoded = data[key];
  if (encoded === undefined) return [required(`data[${key}]`)];
  const text = Buffer.from(shown(encoded), 'base64').toString();
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [invalidValue(`data[${key}]`, '<secret contents redacted>', goJsonError(text))];
  }
}

/** What Go says of a text that is no JSON from the start; what is broken later is told less exactly. */
function goJsonError(text: string): string {
  const first = text.trimStart().charAt(0);
  if (first === '') return 'unexpected end of JSON input';
  const starts = /[[{"\-0-9tfn]/.test(first);
  return starts ? 'unexpected end of JSON input' : `invalid character '${first}' looking for beginning of value`;
}

export function validateLimitRange(spec: JsonMap): Causes {
  const types = asArray(spec['limits']).map((limit) => mapAt(limit)['type']);
  return [
    ...each(spec['limits'], 'spec.limits', (limit, path) => {
      return Object.entries(mapAt(limit, 'min')).flatMap(([name, least]) =>
        boundProblems(limit, { name, least, path }),
      );
    }),
    ...unique(types, (index) => `spec.limits[${String(index)}].type`),
  ];
}

function boundProblems(limit: JsonMap, { name, least, path }: { name: string; least: unknown; path: string }): Causes {
  const bounds = [
    ['max', 'min', least, 'max value'],
    ['defaultRequest', 'defaultRequest', undefined, 'default request value'],
    ['default', 'default', least, 'default value'],
  ] as const;
  return bounds.flatMap(([field, place, told, what]) => {
    const amount = mapAt(limit, field)[name];
    if (amount === undefined || nanosOf(amount) >= nanosOf(least)) return [];
    const detail = `min value ${shown(least)} is greater than ${what} ${shown(amount)}`;
    return [invalidValue(`${path}.${place}[${name}]`, told ?? amount, detail)];
  });
}

const COUNTED =
  /^(?:count\/|requests\.|limits\.|pods$|services|replicationcontrollers$|resourcequotas$|secrets$|configmaps$|persistentvolumeclaims$|cpu$|memory$|ephemeral-storage$|hugepages-)|\//;

export function validateQuota(spec: JsonMap): Causes {
  return Object.entries(mapAt(spec, 'hard')).flatMap(([name, amount]) => {
    const path = `spec.hard[${name}]`;
    return [
      ...named(name, path, isLabelKey),
      ...(COUNTED.test(name) ? [] : [invalidValue(path, name, 'must be a standard resource for quota')]),
      ...(nanosOf(amount) < 0n ? [invalidValue(path, amount, 'must be greater than or equal to 0')] : []),
    ];
  });
}
