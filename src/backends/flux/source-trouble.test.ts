import { describe, expect, it } from 'vitest';
import { helmRelease } from '../../../test/build/flux-release.ts';
import { TARGET } from '../../../test/build/helm-release.ts';
import { FluxScene } from '../../../test/fakes/flux-scene.ts';
import type { KubeObject } from '../../api/kube.ts';
import { KubepkgError } from '../../api/errors.ts';
import { HELM_REPOSITORY } from './names.ts';

const UNAUTHORIZED = 'failed to fetch http://charts.example.com/index.yaml : 401 Unauthorized';

/** A HelmRelease that waits, as it was told when the chart was asked for. */
function waiting(reason = 'SourceNotReady'): KubeObject {
  const object = helmRelease({
    ready: ['False', reason, 2],
    reconciling: 'Fulfilling prerequisites',
    attempted: 1,
    observed: 1,
    handledAt: 'token-1',
    message: 'latest generation of object has not been reconciled',
  });
  const { namespace } = TARGET;
  const sourceRef = { kind: HELM_REPOSITORY.kind, name: 'web-1' };
  return {
    ...object,
    spec: { ...(object['spec'] as object), chart: { spec: { chart: 'web', sourceRef } } },
    status: { ...(object['status'] as object), helmChart: `${namespace}/web-chart` },
  };
}

function source(kind: string, name: string, status: string, message: string): KubeObject {
  const conditions = [{ type: 'Ready', status, reason: 'Said', message }];
  const { apiVersion } = HELM_REPOSITORY;
  return { apiVersion, kind, metadata: { name, namespace: TARGET.namespace }, status: { conditions } };
}

const repository = (status: string, message = ''): KubeObject => source('HelmRepository', 'web-1', status, message);
const chart = (status: string, message = ''): KubeObject => source('HelmChart', 'web-chart', status, message);

function sceneOf(objects: readonly KubeObject[]): FluxScene {
  const scene = new FluxScene('');
  scene.cluster.serve(HELM_REPOSITORY.apiVersion, 'HelmChart');
  for (const object of objects) scene.cluster.put(object);
  return scene;
}

describe('R5 a HelmRelease that waits for its chart', () => {
  it.each([
    [
      'why the repository has no index',
      [waiting(), repository('False', UNAUTHORIZED), chart('False', 'no artifact')],
      /HelmRepository .*401 Unauthorized/,
    ],
    [
      'why there is no chart in it',
      [waiting(), repository('True'), chart('False', 'no chart of that version')],
      /HelmChart .*no chart of that version/,
    ],
    [
      'that somebody removed the repository',
      [waiting(), chart('False', 'no source')],
      /HelmRepository .*does not exist/,
    ],
    ['what Flux says when both are well', [waiting(), repository('True'), chart('True')], /latest generation/],
    [
      'what Flux says of anything else',
      [waiting('ValuesError'), repository('False', UNAUTHORIZED), chart('True')],
      /latest generation/,
    ],
  ])('tells %s', async (_what, objects, text) => {
    expect((await sceneOf(objects).present()).message).toMatch(text);
  });

  it('tells what Flux says where sources may not be read', async () => {
    const scene = sceneOf([waiting(), repository('False', UNAUTHORIZED), chart('False')]);
    scene.cluster.before = ({ line }) => {
      if (/^(read|get) Helm(Repository|Chart)/.test(line)) throw new KubepkgError('ApiForbidden', 'no');
    };
    expect((await scene.present()).message).toContain('latest generation');
  });
});
