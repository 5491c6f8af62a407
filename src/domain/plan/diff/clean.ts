import type { KubeObject } from '../../../api/kube.ts';
import { asArray, at, isRecord } from '../../../lib/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the API server keeps about an object, and nobody wrote. */
const SERVERS: readonly string[] = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export function isSecret({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

/** What somebody wrote of an object: without what the server adds, without nulls, a Secret's texts as its data. */
export function clean(object: KubeObject): Fields {
  const { status: _status, metadata, ...rest } = isSecret(object) ? foldTexts(object) : object;
  return withoutNulls({ ...rest, metadata: cleanMetadata(metadata) });
}

function cleanMetadata(metadata: unknown): Fields {
  const kept = without(metadata, SERVERS);
  const annotations = without(at(metadata, 'annotations'), [LAST_APPLIED]);
  const labels = without(at(metadata, 'labels'), []);
  const maps = Object.entries({ annotations, labels }).filter(([, map]) => Object.keys(map).length > 0);
  return { ...without(kept, ['annotations', 'labels']), ...Object.fromEntries(maps) };
}

function without(fields: unknown, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(isRecord(fields) ? fields : {}).filter(([key]) => !keys.includes(key)));
}

/** The server does the same with what is written as `stringData`. */
function foldTexts(secret: KubeObject): KubeObject {
  const { stringData, data, ...rest } = secret;
  const texts = Object.entries(isRecord(stringData) ? stringData : {}).map(
    ([key, text]) => [key, Buffer.from(String(text)).toString('base64')] as const,
  );
  const all = { ...(isRecord(data) ? data : {}), ...Object.fromEntries(texts) };
  return { ...rest, ...(Object.keys(all).length === 0 ? {} : { data: all }) };
}

/** To the API server, a field that is null is one that is not there. */
function withoutNulls(fields: Fields): Fields {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key, valueWithoutNulls(value)]));
}

function valueWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return asArray(value).map(valueWithoutNulls);
  return isRecord(value) ? withoutNulls(value) : value;
}

/** Every value that Secrets among these hold, as it is; for `DiffOptions.secretValues`. */
export function secretValuesOf(objects: readonly (KubeObject | undefined)[]): readonly string[] {
  return objects
    .filter((object) => object !== undefined)
    .filter(isSecret)
    .flatMap((secret) => {
      const data = at(foldTexts(secret), 'data');
      return Object.values(isRecord(data) ? data : {}).map((value) => Buffer.from(String(value), 'base64').toString());
    });
}
