import type { KubeObject } from '../../api/kube.ts';
import { isRecord } from '../../lib/json.ts';

/** What tells items of lists apart; the first that names all items of both lists. */
const NAMES = ['name', 'containerPort', 'port', 'mountPath', 'devicePath', 'key', 'type', 'ip'] as const;

/** A live object, as far as its manifest has an opinion: what the server or controllers add is no drift. */
export function projectLive(manifest: KubeObject, live: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = live;
  const wanted = manifest['stringData'] === undefined ? manifest : withData(manifest);
  const projected = project(wanted, live) as KubeObject;
  const { name, namespace } = metadata;
  const own = { ...projected.metadata, name, ...(namespace === undefined ? {} : { namespace }) };
  return { ...projected, apiVersion, kind, metadata: own };
}

/** The server keeps the texts of a Secret as its data. */
function withData({ stringData, ...secret }: KubeObject): KubeObject {
  const data = isRecord(secret['data']) ? secret['data'] : {};
  return { ...secret, data: { ...data, ...(isRecord(stringData) ? stringData : {}) } };
}

function project(wanted: unknown, live: unknown): unknown {
  if (isRecord(wanted) && isRecord(live)) {
    const kept = Object.keys(wanted).flatMap((key) =>
      key in live ? [[key, project(wanted[key], live[key])] as const] : emptyOf(key, wanted[key]),
    );
    return Object.fromEntries(kept);
  }
  if (Array.isArray(wanted) && Array.isArray(live)) return projectList(wanted, live);
  return isSameText(wanted, live) ? wanted : live;
}

/** The server leaves out what is empty. */
function emptyOf(key: string, wanted: unknown): readonly (readonly [string, unknown])[] {
  const isEmpty =
    wanted === null ||
    wanted === '' ||
    wanted === false ||
    wanted === 0 ||
    (Array.isArray(wanted) && wanted.length === 0) ||
    (isRecord(wanted) && Object.values(wanted).every((item) => emptyOf('', item).length > 0));
  return isEmpty ? [[key, wanted]] : [];
}

function projectList(wanted: readonly unknown[], live: readonly unknown[]): unknown {
  const keys = NAMES.find((key) => isNamedBy(key, wanted) && isNamedBy(key, live));
  if (keys === undefined) {
    return wanted.length === live.length ? wanted.map((item, index) => project(item, live[index])) : live;
  }
  const byName = new Map(live.map((item) => [nameIn(item, keys), item]));
  return wanted.flatMap((item) => {
    const found = byName.get(nameIn(item, keys));
    return found === undefined ? [] : [project(item, found)];
  });
}

function isNamedBy(key: string, items: readonly unknown[]): boolean {
  const names = items.map((item) => nameIn(item, key));
  return !names.includes(undefined) && new Set(names).size === names.length;
}

function nameIn(item: unknown, key: string): unknown {
  return isRecord(item) ? item[key] : undefined;
}

/** `"8080"` and `8080`: what a chart wrote without quotes, the server keeps by the type of the field. */
function isSameText(wanted: unknown, live: unknown): boolean {
  const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain(wanted) && isPlain(live) && String(wanted) === String(live);
}
