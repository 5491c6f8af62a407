import type { JsonMap } from '../../../src/embedded/model/object.ts';
import { at, isRecord } from '../../../src/lib/json.ts';
import { Rng } from '../../simulation/prng.ts';
import { definitionStep } from './definitions.ts';
import type { Kind } from './kind.ts';
import { KINDS } from './kinds.ts';
import { editPatch, jsonPatch, mergePatch, strategicPatch } from './patches.ts';
import { PATCH_TYPES, type Sequence, type Step } from './request.ts';
import { spoilt } from './spoil.ts';
import { mapOf, maybe, word } from './values.ts';

const NAMES = ['one', 'two'] as const;
const MANAGERS = ['alice', 'bob', 'carol'] as const;

/** The same sequence for the same seed, everywhere. */
export function generate(seed: string): Sequence {
  const rng = new Rng(seed);
  // Every other sequence is about custom kinds, which have most of what can differ.
  const among = rng.chance(0.4) ? KINDS.filter(({ custom }) => custom) : KINDS;
  const kinds = rng.shuffled(among).slice(0, rng.chance(0.7) ? 1 : 2);
  const [first = KINDS[0]] = kinds;
  if (first === undefined) throw new Error('there are no kinds');
  const opening = createStep(rng, first);
  const steps = Array.from({ length: rng.int(3, 9) }, () => nextStep(rng, rng.pick(kinds) ?? first));
  const watched = rng.chance(0.3) ? [first.collection] : [];
  return { seed, steps: withOneGenerated([opening, ...steps]), watched };
}

/** Two generated names might come in another order on the other side. */
function withOneGenerated(steps: readonly Step[]): readonly Step[] {
  const first = steps.findIndex(isGenerated);
  return steps.map((step, index) => (index > first && isGenerated(step) ? withName(step) : step));
}

function isGenerated({ method, body }: Step): boolean {
  return method === 'POST' && at(body, 'metadata', 'generateName') !== undefined;
}

function withName(step: Step): Step {
  const body = asMap(step.body);
  const { generateName: _prefix, ...metadata } = asMap(body['metadata']);
  return { ...step, body: { ...body, metadata: { ...metadata, name: 'two' } } };
}

type Maker = (rng: Rng, kind: Kind) => Step;

const MAKERS: readonly (readonly [Maker, number])[] = [
  [createStep, 10],
  [applyStep, 28],
  [editStep, 12],
  [mergeStep, 10],
  [strategicStep, 9],
  [jsonStep, 8],
  [deleteStep, 7],
  [getStep, 2],
  [listStep, 6],
  [statusStep, 8],
  [scaleStep, 3],
  [finalizerStep, 3],
  [collectionStep, 1],
  [definitionStep, 1],
];

function nextStep(rng: Rng, kind: Kind): Step {
  return rng.weighted(MAKERS)(rng, kind);
}

function metadata(rng: Rng, name: string | undefined): JsonMap {
  return {
    ...(name === undefined ? {} : { name }),
    ...maybe(rng, 0.3, () => ({ labels: mapOf(rng, word) })),
    ...maybe(rng, 0.25, () => ({ annotations: mapOf(rng, word) })),
    ...maybe(rng, 0.1, () => ({
      finalizers: rng.shuffled(['example.org/a', 'example.org/b']).slice(0, rng.int(0, 2)),
    })),
    ...maybe(rng, 0.06, () => ({ ownerReferences: [owner(rng)] })),
  };
}

function owner(rng: Rng): JsonMap {
  const name = rng.pick(['x', 'y']);
  const uid = `00000000-0000-4000-8000-00000000000${name === 'x' ? '1' : '2'}`;
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...maybe(rng, 0.3, () => ({ controller: true })) };
}

function object(rng: Rng, kind: Kind, name: string | undefined): JsonMap {
  const whole = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: metadata(rng, name), ...kind.body(rng) };
  return rng.chance(0.05) ? spoilt(rng, whole) : whole;
}

function writing(rng: Rng): Readonly<Record<string, string>> {
  return {
    ...(rng.chance(0.9) ? { fieldManager: rng.pick(MANAGERS) } : {}),
    ...(rng.chance(0.05) ? { dryRun: 'All' } : {}),
    ...(rng.chance(0.15) ? { fieldValidation: rng.pick(['Strict', 'Ignore', 'Warn']) } : {}),
  };
}

function createStep(rng: Rng, kind: Kind): Step {
  const generated = rng.chance(0.05);
  const body = object(rng, kind, generated ? undefined : rng.pick(NAMES));
  const named = generated ? { ...body, metadata: { ...asMap(body['metadata']), generateName: 'gen-' } } : body;
  return { method: 'POST', path: kind.collection, query: writing(rng), body: named };
}

function asMap(value: unknown): JsonMap {
  return isRecord(value) ? value : {};
}

function pathOf(rng: Rng, kind: Kind): string {
  return `${kind.collection}/${rng.weighted([
    ['one', 5],
    ['two', 2],
    ['none', 0.3],
  ])}`;
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function applyStep(rng: Rng, kind: Kind): Step {
  const path = pathOf(rng, kind);
  const isEmpty = rng.chance(0.08);
  const bare = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: nameIn(path) } };
  const body = isEmpty ? bare : object(rng, kind, nameIn(path));
  const query = { ...writing(rng), fieldManager: rng.pick(MANAGERS), ...(rng.chance(0.4) ? { force: 'true' } : {}) };
  return { method: 'PATCH', path, type: PATCH_TYPES.apply, query, body };
}

function editStep(rng: Rng, kind: Kind): Step {
  const path = pathOf(rng, kind);
  const edit = rng.chance(0.2) ? object(rng, kind, nameIn(path)) : editPatch(rng, kind);
  const whole: JsonMap = { apiVersion: kind.apiVersion, kind: kind.kind, ...edit, ...versioned(rng, edit) };
  const named = { ...asMap(whole['metadata']), name: nameIn(path) };
  const isNamed = rng.chance(0.97);
  return { method: 'PUT', path, query: writing(rng), edit: isNamed ? { ...whole, metadata: named } : edit };
}

/** Now and then a client says of which version its change is, or empties the managed fields. */
function versioned(rng: Rng, edit: JsonMap): JsonMap {
  const extra = rng.weighted<JsonMap>([
    [{}, 10],
    [{ resourceVersion: null }, 2],
    [{ resourceVersion: '@old' }, 1],
    [{ uid: '00000000-0000-4000-8000-000000000009' }, 0.5],
    [{ managedFields: [] }, 0.4],
    [{ managedFields: [{}] }, 0.4],
    [{ managedFields: null }, 0.4],
  ]);
  return Object.keys(extra).length === 0 ? {} : { metadata: { ...asMap(edit['metadata']), ...extra } };
}

function patchStep(rng: Rng, kind: Kind, type: string, body: unknown): Step {
  return { method: 'PATCH', path: pathOf(rng, kind), type, query: writing(rng), body };
}

function mergeStep(rng: Rng, kind: Kind): Step {
  const patch = mergePatch(rng, kind);
  return patchStep(rng, kind, PATCH_TYPES.merge, rng.chance(0.05) ? { ...patch, ...versioned(rng, patch) } : patch);
}

function strategicStep(rng: Rng, kind: Kind): Step {
  return patchStep(rng, kind, PATCH_TYPES.strategic, strategicPatch(rng, kind));
}

function jsonStep(rng: Rng, kind: Kind): Step {
  return patchStep(rng, kind, PATCH_TYPES.json, jsonPatch(rng, kind));
}

function deleteStep(rng: Rng, kind: Kind): Step {
  const body = rng.chance(0.4)
    ? undefined
    : {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        ...maybe(rng, 0.6, () => ({ propagationPolicy: rng.pick(['Background', 'Foreground', 'Orphan']) })),
        ...maybe(rng, 0.2, () => ({ gracePeriodSeconds: rng.pick([0, 5]) })),
        ...maybe(rng, 0.2, () => ({
          preconditions: rng.chance(0.5) ? { uid: '@uid' } : { resourceVersion: rng.pick(['@rv', '@old']) },
        })),
      };
  return { method: 'DELETE', path: pathOf(rng, kind), ...(body === undefined ? {} : { body }) };
}

function getStep(rng: Rng, kind: Kind): Step {
  return { method: 'GET', path: pathOf(rng, kind) };
}

function listStep(rng: Rng, kind: Kind): Step {
  const query = {
    ...(rng.chance(0.5)
      ? { labelSelector: rng.pick(['a=x', 'a!=x', 'a in (x,y)', 'a', '!a', 'a notin (x),b', 'a==x,b!=y', 'a in (']) }
      : {}),
    ...(rng.chance(0.2)
      ? { fieldSelector: rng.pick(['metadata.name=one', 'metadata.name!=one', 'metadata.namespace={ns}', 'spec.x=1']) }
      : {}),
    ...(rng.chance(0.3) ? { limit: '1' } : {}),
    ...(rng.chance(0.2) ? { limit: '1', continue: '@continue' } : {}),
  };
  return { method: 'GET', path: kind.collection, query };
}

function statusStep(rng: Rng, kind: Kind): Step {
  if (!kind.subresources.includes('status') || kind.status === undefined) return getStep(rng, kind);
  const path = pathOf(rng, kind);
  const status = kind.status(rng);
  const metadataPart = maybe(rng, 0.2, () => ({ metadata: metadata(rng, undefined) }));
  const part: JsonMap = { ...metadataPart, status, ...maybe(rng, 0.15, () => kind.body(rng)) };
  const query = writing(rng);
  if (rng.chance(0.35)) {
    const body = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      ...part,
      metadata: { ...asMap(part['metadata']), name: nameIn(path) },
    };
    const force = rng.chance(0.4) ? { force: 'true' } : {};
    return {
      method: 'PATCH',
      path: `${path}/status`,
      type: PATCH_TYPES.apply,
      query: { ...query, fieldManager: rng.pick(MANAGERS), ...force },
      body,
    };
  }
  if (rng.chance(0.5)) return { method: 'PATCH', path: `${path}/status`, type: PATCH_TYPES.merge, query, body: part };
  const whole = { apiVersion: kind.apiVersion, kind: kind.kind, ...part };
  const named = { ...asMap(part['metadata']), name: nameIn(path) };
  return { method: 'PUT', path: `${path}/status`, query, edit: { ...whole, metadata: named } };
}

function scaleStep(rng: Rng, kind: Kind): Step {
  if (!kind.subresources.includes('scale')) return getStep(rng, kind);
  const path = `${pathOf(rng, kind)}/scale`;
  if (rng.chance(0.3)) return { method: 'GET', path };
  return {
    method: 'PATCH',
    path,
    type: PATCH_TYPES.merge,
    query: writing(rng),
    body: { spec: { replicas: rng.int(0, 3) } },
  };
}

function finalizerStep(rng: Rng, kind: Kind): Step {
  const finalizers = rng.pick<unknown>([null, [], ['example.org/a'], ['example.org/b']]);
  return patchStep(rng, kind, PATCH_TYPES.merge, { metadata: { finalizers } });
}

function collectionStep(rng: Rng, kind: Kind): Step {
  const query = rng.chance(0.5) ? { labelSelector: 'a=x' } : {};
  return { method: 'DELETE', path: kind.collection, query };
}
