import { describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { HELM_RELEASE, HELM_REPOSITORY, OCI_REPOSITORY } from './names.ts';
import { fluxSurroundings, WRITTEN_FIELDS } from './surroundings.ts';

const KINDS = [HELM_RELEASE, OCI_REPOSITORY, HELM_REPOSITORY];

interface Schema {
  properties: Record<string, Schema>;
}

/** A definition that knows these fields of the spec. */
function definition(fields: readonly string[], version = 'v2'): KubeObject {
  const spec: Schema = { properties: {} };
  for (const field of fields) {
    let level = spec;
    for (const key of field.split('.')) level = level.properties[key] ??= { properties: {} };
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'helmreleases.helm.toolkit.fluxcd.io' },
    spec: { versions: [{ name: version, schema: { openAPIV3Schema: { properties: { spec } } } }] },
  };
}

function clusterWith(kinds: readonly (typeof KINDS)[number][]): MemoryCluster {
  const cluster = new MemoryCluster();
  for (const { apiVersion, kind } of kinds) cluster.serve(apiVersion, kind);
  return cluster;
}

describe('what Flux has to be there for', () => {
  it('nothing is missing where all is served and every field is known', async () => {
    const cluster = clusterWith(KINDS);
    cluster.put(definition(WRITTEN_FIELDS));
    expect(await fluxSurroundings(cluster).check()).toBeUndefined();
    expect(cluster.writes()).toEqual([]);
  });

  it.each(KINDS)('$kind that is not served is said, with the remedy', async (missing) => {
    const cluster = clusterWith(KINDS.filter((kind) => kind !== missing));
    const error = await fluxSurroundings(cluster).check();
    expect(error).toMatchObject({
      code: 'KindNotServed',
      hint: expect.stringContaining('helm-controller 1.6') as string,
    });
    expect(error?.message).toContain(missing.kind);
  });

  it('a field that this Flux does not know is named, since the API server would drop it', async () => {
    const cluster = clusterWith(KINDS);
    cluster.put(definition(WRITTEN_FIELDS.filter((field) => field !== 'upgrade.chartNameChangeStrategy')));
    const error = await fluxSurroundings(cluster).check();
    expect(error?.code).toBe('Unsupported');
    expect(error?.message).toContain('spec.upgrade.chartNameChangeStrategy');
  });

  it('a missing permission is said', async () => {
    const cluster = clusterWith(KINDS);
    cluster.before = ({ line }) => {
      if (line === 'list OCIRepository') throw new KubepkgError('ApiForbidden', 'cannot list OCIRepository');
    };
    expect(await fluxSurroundings(cluster).check()).toMatchObject({ code: 'ApiForbidden' });
  });

  it('who may not look at definitions is not kept from delivering', async () => {
    const cluster = clusterWith(KINDS);
    cluster.before = ({ line }) => {
      if (line.startsWith('read CustomResourceDefinition')) throw new KubepkgError('ApiForbidden', 'no');
    };
    expect(await fluxSurroundings(cluster).check()).toBeUndefined();
  });
});
