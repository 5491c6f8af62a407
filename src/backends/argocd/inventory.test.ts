import { describe, expect, it } from 'vitest';
import { synced, withStatus } from '../../../test/build/argocd.ts';
import type { KubeObject } from '../../api/kube.ts';
import { inventoryOf } from './inventory.ts';
import type { NotedObject } from './noted.ts';

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'web' };
const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
const HOOK = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'hook' };
const JOB = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'task' };

interface Listed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** As Argo CD writes an object: group and version apart, neither group nor namespace where it has none. */
function listed(ref: Listed, more: Readonly<Record<string, unknown>> = {}): unknown {
  const [version, group] = ref.apiVersion.split('/').reverse();
  const { kind, name, namespace } = ref;
  return {
    kind,
    name,
    version,
    ...(group === undefined ? {} : { group }),
    ...(namespace === undefined ? {} : { namespace }),
    ...more,
  };
}

function withResources(resources: readonly unknown[], results: readonly unknown[] = []): KubeObject {
  return withStatus(synced(), { resources, operationState: { phase: 'Failed', syncResult: { resources: results } } });
}

/** A chart that cannot be rendered any more. */
function unrendered(application: KubeObject): KubeObject {
  return withStatus(application, { conditions: [{ type: 'ComparisonError', message: 'no' }] });
}

const DROPPED = { status: 'OutOfSync', requiresPruning: true };
const UNKNOWN = { status: 'Unknown', requiresPruning: true };
const NOTED: readonly NotedObject[] = [CONFIG, DEPLOYMENT];

describe('the objects of an Application', () => {
  it('are where they are', () => {
    const application = withResources([listed(CONFIG), listed(DEPLOYMENT), listed(ROLE)]);
    expect(inventoryOf(application, NOTED).current).toEqual([CONFIG, DEPLOYMENT, ROLE]);
  });

  it('are those of the chart as well while Argo CD has listed those of another source, or none', () => {
    const edited = { sync: { comparedTo: { source: { repoURL: 'https://other.example.org' } } } };
    const application = withStatus(withResources([listed(ROLE)]), edited);
    expect(inventoryOf(application, NOTED).current).toEqual([CONFIG, DEPLOYMENT, ROLE]);
    expect(inventoryOf(withStatus(synced(), { resources: undefined, sync: undefined }), NOTED).current).toEqual(NOTED);
  });

  it('are neither hooks nor what only an earlier version had', () => {
    const application = withResources([
      listed(CONFIG),
      listed(CLAIM, DROPPED),
      listed(HOOK, { hook: true, requiresPruning: true }),
    ]);
    const { current, dropped, every } = inventoryOf(application, []);
    expect([current, dropped]).toEqual([[CONFIG], [CLAIM]]);
    expect(every).toEqual([CONFIG, CLAIM, { ...HOOK, mayVanish: true }]);
  });

  it('are all there still when the chart cannot be rendered any more, though Argo CD lists them as extra', () => {
    const application = unrendered(withResources([listed(CONFIG, UNKNOWN)]));
    const { current, dropped } = inventoryOf(application, NOTED);
    expect(current).toEqual([CONFIG, DEPLOYMENT]);
    expect(dropped).toEqual([]);
  });

  it('are known by what was begun, too', () => {
    const started = [
      listed(ROLE, { status: 'SyncFailed' }),
      listed(CLAIM, { status: 'Pruned' }),
      listed(HOOK, { hookType: 'PreSync' }),
    ];
    const application = withResources([listed(CONFIG)], started);
    expect(inventoryOf(application, []).begun).toEqual([CONFIG, ROLE]);
    expect(inventoryOf(application, NOTED).begun).toEqual([CONFIG, DEPLOYMENT, ROLE]);
  });

  it('of which a Job may vanish, are said to: as the chart says, and any that the chart does not tell of', () => {
    const application = withResources([listed(JOB), listed(HOOK)]);
    const noted: readonly NotedObject[] = [{ ...JOB, template: 'x' }];
    expect(inventoryOf(application, noted).current).toEqual([JOB, { ...HOOK, mayVanish: true }]);
    const vanishing = noted.map((item) => ({ ...item, mayVanish: true }));
    expect(inventoryOf(application, vanishing).current[0]).toEqual({ ...JOB, mayVanish: true });
  });

  it('P16 and of its hooks the Jobs and Pods that the operation of the attempt has started, which may be gone', () => {
    const started = [
      listed(HOOK, { hookType: 'PreSync', hookPhase: 'Running', status: 'Synced' }),
      listed({ ...HOOK, name: 'refused' }, { hookType: 'PreSync', status: 'SyncFailed' }),
      listed(CONFIG, { hookType: 'PreSync', hookPhase: 'Succeeded' }),
      listed(JOB, { status: 'Synced' }),
    ];
    const startedBy = (value: string | undefined): readonly unknown[] => {
      const operation = { info: [{ name: 'kubepkg.dev/attempt', value }] };
      const operationState = { phase: 'Failed', operation, syncResult: { resources: started } };
      return inventoryOf(withStatus(synced(), { operationState }), []).started;
    };
    expect(startedBy(synced().metadata.annotations?.['kubepkg.dev/attempt'])).toEqual([{ ...HOOK, mayVanish: true }]);
    expect(startedBy('another')).toEqual([]);
  });

  it('are none before anything was compared', () => {
    expect(inventoryOf(withStatus(synced(), { resources: [] }), []).every).toEqual([]);
  });
});
