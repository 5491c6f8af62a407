import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { at } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { builtInResources, defaultBuiltIn, prepareBuiltIn } from './index.ts';

interface Answer {
  readonly status: number;
  readonly body: JsonMap;
}

const resources = builtInResources();
const manifests = loadAll(readFileSync(new URL('testdata/accepted.yaml', import.meta.url), 'utf8')) as JsonMap[];
const answers = JSON.parse(readFileSync(new URL('testdata/accepted.json', import.meta.url), 'utf8')) as Answer[];

const cases = manifests.map((manifest, index) => ({
  name: `${String(manifest['kind'])} ${String(at(manifest, 'metadata', 'name'))}`,
  manifest,
  real: answers[index],
}));

function resourceOf(object: JsonMap): Resource | undefined {
  return resources.find(({ kind, group, version }) => {
    const groupVersion = group === '' ? version : `${group}/${version}`;
    return kind === object['kind'] && groupVersion === object['apiVersion'];
  });
}

/** What the API server took from its own state: the recorded answer tells it, and it is given to ours as well. */
function allotmentOf(real: JsonMap) {
  const uid = at(real, 'spec', 'selector', 'matchLabels', 'batch.kubernetes.io/controller-uid');
  return {
    uid: String(uid),
    time: String(at(real, 'status', 'lastPhaseTransitionTime')),
    clusterIp: () => '10.0.0.0',
    nodePort: () => 32_769,
  };
}

/** Fields of the request itself, which are not a matter of kinds. */
function comparable(object: JsonMap): JsonMap {
  const { generation: _generation, namespace: _namespace, ...metadata } = object['metadata'] as JsonMap;
  const spec = object['spec'];
  if (object['kind'] !== 'CertificateSigningRequest') return { ...object, metadata };
  const { username: _username, uid: _uid, groups: _groups, ...request } = spec as JsonMap;
  return { ...object, metadata, spec: request };
}

describe('a new object gets what a real API server gives it', () => {
  it.each(cases)('$name', ({ manifest, real }) => {
    const resource = resourceOf(manifest);
    if (resource === undefined || real === undefined) throw new Error('The kind or the recorded answer is missing.');
    expect(real.status).toBe(201);
    const made = prepareBuiltIn(resource, defaultBuiltIn(resource, manifest), allotmentOf(real.body));
    expect(comparable(made)).toEqual(comparable(real.body));
  });

  it('which is given once: an object with defaults stays as it is', () => {
    for (const { body } of answers) {
      const resource = resourceOf(body);
      expect(resource === undefined ? undefined : defaultBuiltIn(resource, body)).toEqual(body);
    }
  });
});
