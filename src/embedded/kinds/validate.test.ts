import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { asArray, at } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { builtInResources, defaultBuiltIn, prepareBuiltIn, validateBuiltIn } from './index.ts';

interface Answer {
  readonly status: number;
  readonly body: JsonMap;
}

const resources = builtInResources();
const read = (name: string): string => readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8');
const manifests = (name: string): readonly JsonMap[] => loadAll(read(name)) as JsonMap[];
const answers = (name: string): readonly Answer[] => JSON.parse(read(name)) as Answer[];

function resourceOf(object: JsonMap): Resource {
  const found = resources.find(({ kind, group, version }) => {
    const groupVersion = group === '' ? version : `${group}/${version}`;
    return kind === object['kind'] && groupVersion === object['apiVersion'];
  });
  if (found === undefined) throw new Error(`${String(object['kind'])} is not served.`);
  return found;
}

function uidOf(real: Answer): string {
  return (
    /"batch.kubernetes.io\/controller-uid":"([^"]+)"/.exec(JSON.stringify(real.body).replaceAll('\\', ''))?.[1] ?? ''
  );
}

/** The causes, or the text of a refusal before any were looked for. */
function judged(manifest: JsonMap, uid: string): unknown {
  const resource = resourceOf(manifest);
  try {
    const allotment = { uid, time: '', clusterIp: () => '10.0.0.1', nodePort: () => 30_000 };
    const object = prepareBuiltIn(resource, defaultBuiltIn(resource, manifest), allotment);
    const named = { ...object, metadata: { ...(object['metadata'] as JsonMap), uid } };
    return sorted(validateBuiltIn(resource, named, undefined));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.message;
  }
}

function sorted(causes: readonly unknown[]): readonly string[] {
  const texts = causes.map((cause) => JSON.stringify(cause, ['field', 'reason', 'message']));
  return [...new Set(texts.filter((text) => !text.includes(AFTERMATH)).map(withoutGoTypes))].sort();
}

/** Said of what another cause has said already. */
const AFTERMATH = 'must have the storage version';

/** Where the API server prints types of its own inside, fields and all, only what is wrong with them counts. */
function withoutGoTypes(text: string): string {
  return text.replace(/Invalid value: \[\{.*\}\]: /, 'Invalid value: ');
}

function expected({ status, body }: Answer): unknown {
  return status === 422 ? sorted(asArray(at(body, 'details', 'causes'))) : body['message'];
}

describe('a new object with mistakes is refused in the words of a real API server', () => {
  const real = answers('rejected.json');
  const cases = manifests('rejected.yaml')
    .map((manifest, index) => ({ manifest, answer: real[index] as Answer }))
    .map((one) => ({ ...one, name: `${String(one.manifest['kind'])} ${String(at(one.manifest, 'metadata', 'name'))}` }))
    // Unknown fields are found before, by the schema.
    .filter(({ answer }) => !String(answer.body['message']).includes('unknown field'));

  it.each(cases)('$name', ({ manifest, answer }) => {
    expect(judged(manifest, uidOf(answer))).toEqual(expected(answer));
  });
});

describe('an object without mistakes is accepted', () => {
  const real = answers('accepted.json');
  it.each(real.map(({ body }) => ({ name: `${String(body['kind'])} ${String(at(body, 'metadata', 'name'))}`, body })))(
    '$name',
    ({ body }) => {
      expect(validateBuiltIn(resourceOf(body), body, undefined)).toEqual([]);
    },
  );
});

describe('a change that may not be is refused in the words of a real API server', () => {
  const real = answers('updates.json');
  const changes = manifests('updates.yaml');
  const cases = changes.flatMap((change, index) => {
    const [before, after] = [real[index - 1], real[index]];
    if (index % 2 === 0 || before === undefined || after === undefined) return [];
    return [{ name: `${String(change['kind'])} ${String(at(change, 'metadata', 'name'))}`, change, before, after }];
  });

  it.each(cases)('$name', ({ change, before, after }) => {
    const resource = resourceOf(change);
    const object = defaultBuiltIn(resource, mergePatch(before.body, change));
    const causes = sorted(validateBuiltIn(resource, object, established(before.body)));
    expect(causes.map(withoutDetails)).toEqual((expected(after) as readonly string[]).map(withoutDetails));
  });
});

/** By the time of the update; the answer to its creation does not tell. */
function established(object: JsonMap): JsonMap {
  if (object['kind'] !== 'CustomResourceDefinition') return object;
  const status = object['status'] as JsonMap;
  return { ...object, status: { ...status, conditions: [{ type: 'Established', status: 'True' }] } };
}

/** The API server adds the difference, or the whole template, as its own types print it. */
function withoutDetails(text: string): string {
  return text
    .replace(/\\n@@.*"\}$|\\n"\}$/, '"}')
    .replace(/Invalid value: \{\\"(?:labels|metadata|spec).*\}: /, 'Invalid value: ');
}

function mergePatch(object: JsonMap, patch: JsonMap): JsonMap {
  const changed = Object.entries(patch).map(([key, value]) => {
    const inner = object[key];
    return [key, isMap(value) && isMap(inner) ? mergePatch(inner, value) : value] as const;
  });
  const merged = Object.entries({ ...object, ...Object.fromEntries(changed) });
  return Object.fromEntries(merged.filter(([key, value]) => value !== null || patch[key] !== null));
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
