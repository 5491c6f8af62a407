import { isRecord } from '../../../src/lib/json.ts';
import { stableJson } from '../../../src/lib/stable-json.ts';
import type { Played } from './play.ts';

/** A word or a field of fieldsV1, in which there is nothing to rename. */
const PLAIN = /^[A-Za-z:]*$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const GENERATED = /\bgen-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
/** Patches that leave no object are refused with all of it, as Go prints it. */
const PATCHED = /(?<=patch: |^)Invalid value: "(\{|map\[).*": /;
const VERSION_IN_TEXT = /(ResourceVersion: |ResourceVersion in (?:the )?(?:precondition|record) \()\d+/g;
const IP = /^10(\.\d+){3}$/;
/** Versions of a definition, as Go prints them. */
const VERSIONS = /(?<=Invalid value: )\[\{.*\}\](?=: must have exactly one version)/;
/** What all versions share, a definition with one version has at its top inside the API server. */
const ONE_VERSION: Readonly<Record<string, string>> = {
  validation: 'spec.versions[0].schema',
  additionalPrinterColumns: 'spec.versions[0].additionalPrinterColumns',
  subresources: 'spec.versions[0].subresources',
};
const OF_ONE_VERSION = /spec\.(validation|additionalPrinterColumns|subresources)(?=\.|\[)/g;
/** A line number in the API server's sources. */
const SCHEME = / in scheme "[^"]*"/;
/** Where an object is in etcd. */
const STORAGE_KEY = /Key: \/[^,]*,/;
/** Which Go type something cannot become. */
const DECODING = /(json: cannot unmarshal|unrecognized type:|cannot convert|json: invalid).*$/;
/** They are compared one by one, and come in any order. */
const SEVERAL = /is invalid: \[.*\]$/;

/** What a sequence brought, without what depends on the server and the moment: names in the order in which they appear. */
export function normalise(played: Played, namespace: string): unknown {
  return new Normaliser(namespace).value(played);
}

class Normaliser {
  readonly #namespace: string;
  readonly #names = new Map<string, string>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isRecord(value) ? this.#map(ofAnswer(value)) : value;
  }

  #map(map: Readonly<Record<string, unknown>>): unknown {
    const isList = Array.isArray(map['items']) && typeof map['kind'] === 'string' && map['kind'].endsWith('List');
    // In the order of the names, so that names are given in the same order on both sides.
    const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
    const out: Record<string, unknown> = {};
    for (const [key, item] of entries)
      out[this.#text(key)] = this.#field(key, isList && key === 'metadata' ? listMeta(item) : item);
    return out;
  }

  #field(key: string, value: unknown): unknown {
    if (key === 'resourceVersion' && typeof value === 'string') return this.#renamed('rv', value);
    const inner = this.value(value);
    if ((key === 'managedFields' || key === 'causes' || key === 'warnings') && Array.isArray(inner))
      return sorted(inner);
    return key === 'message' && typeof inner === 'string' ? sortedLines(inner) : inner;
  }

  #text(text: string): string {
    if (PLAIN.test(text)) return text;
    return text
      .replaceAll(this.#namespace, '{ns}')
      .replace(UUID, (uid) => this.#renamed('uid', uid))
      .replace(GENERATED, (name) => this.#renamed('gen', name))
      .replace(VERSION_IN_TEXT, '$1rv')
      .replace(IP, '<ip>')
      .replace(OF_ONE_VERSION, (_text, field: string) => ONE_VERSION[field] ?? '')
      .replace(VERSIONS, '<the versions>')
      .replace(SCHEME, '')
      .replace(STORAGE_KEY, 'Key: <key>,')
      .replace(DECODING, 'json: <what does not suit>')
      .replace(SEVERAL, 'is invalid: <several causes>')
      .replace(TIME, '<time>')
      .replace(PATCHED, 'Invalid value: <the patched object>: ');
  }

  #renamed(kind: string, name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const count = [...this.#names.values()].filter((value) => value.startsWith(kind)).length;
    const renamed = `${kind}-${String(count + 1)}`;
    this.#names.set(name, renamed);
    return renamed;
  }
}

/** Others write while a list is made. */
function listMeta(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata;
  const { resourceVersion: _version, continue: token, ...rest } = metadata;
  // Lists of custom kinds say so when there is no more.
  return { ...rest, ...(token === undefined || token === '' ? {} : { continue: '<token>' }) };
}

/** Some causes are listed twice by a real API server. */
function sorted(items: readonly unknown[]): readonly unknown[] {
  const distinct = new Map(items.map((item) => [stableJson(item), item]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** The API server lists conflicts and problems in the order of a Go map. */
function sortedLines(text: string): string {
  const [head = '', ...lines] = text.split('\n');
  return [head, ...lines.sort()].join('\n');
}

/** Of warnings only those of unknown fields are compared, and those not where the request was refused. */
function ofAnswer(map: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { status, warnings } = map;
  if (typeof status !== 'number' || !Array.isArray(warnings)) return map;
  const kept = warnings.filter((warning) => status < 300 && String(warning).includes('unknown field'));
  return { ...map, warnings: kept };
}
