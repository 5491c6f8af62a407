import type { PackagePlan } from '../../src/domain/plan/plan.ts';

/** The plan of an upgrade with something of everything. */
export function aPackagePlan(parts: Partial<PackagePlan> = {}): PackagePlan {
  const awaits = { until: ['every object of its release to be ready'], timeoutMs: 600_000 };
  return {
    name: 'shop',
    change: 'upgrade',
    version: {
      from: '1.0.0',
      to: '1.1.0',
      why: 'PackageSource shop has version 1.1.0',
      newer: { version: '2.0.0', because: ['billing 1.0.0 requires shop <2'] },
    },
    variant: 'default',
    backend: 'helm',
    requires: [{ name: 'db', version: '>=1', optional: false, planned: true }],
    components: [
      {
        name: 'store',
        release: 'shop/store',
        change: 'upgrade',
        from: 'store 1.0.0',
        to: 'store 1.1.0',
        why: ['the chart'],
      },
      { name: 'app', release: 'shop/app', change: 'keep', from: 'app 1.0.0', to: 'app 1.0.0', why: [] },
    ],
    steps: [
      { kind: 'fetch', version: '1.1.0', charts: ['store', 'app'] },
      { kind: 'begin', revision: 2, version: '1.1.0', fromVersion: '1.0.0' },
      {
        kind: 'hook',
        component: 'migrate',
        release: 'shop/migrate',
        fromVersion: '1.0.0',
        toVersion: '1.1.0',
        awaits: { ...awaits, until: ['its Jobs to complete'] },
      },
      { kind: 'upgrade', component: 'store', release: 'shop/store', namespace: 'shop', attempt: 1, awaits },
      { kind: 'keep', component: 'app', release: 'shop/app', awaits },
      { kind: 'commit', revision: 2, version: '1.1.0' },
      { kind: 'remove', component: 'old', release: 'shop/old', why: 'dropped', keepsData: true },
    ],
    end: { kind: 'converged', reason: 'ReconciliationSucceeded', message: 'revision 2 (1.1.0) is applied and healthy' },
    rollback: { possible: true, revision: 1, version: '1.0.0' },
    crds: [{ name: 'things.example.org', component: 'store', action: 'not-created' }],
    namespaces: [{ name: 'shop', exists: false, setsPrivileged: false }],
    permissions: [{ resource: 'deployments.apps', namespaces: ['shop'] }],
    objects: [
      {
        component: 'store',
        object: 'Deployment shop/store',
        apiVersion: 'apps/v1',
        change: 'changed',
        fields: [{ field: 'spec.replicas', before: 1, after: 2 }],
        text: '@@ spec\n-  replicas: 1\n+  replicas: 2\n',
      },
    ],
    findings: [
      {
        code: 'NoReadiness',
        severity: 'warning',
        subject: 'component store: Cluster shop/db',
        message: 'nobody says when it is ready',
        remedy: 'declare readyWhen',
      },
    ],
    inputs: {
      package: { uid: 'uid-shop', generation: 3, spec: 'sha256:package' },
      source: { generation: 2, spec: 'sha256:source' },
      installed: '1 Applied',
      desired: 'sha256:desired',
      charts: { store: 'sha256:chart' },
      values: { store: 'sha256:values' },
      crds: { 'things.example.org': '17' },
      requires: { db: '1.2.0' },
    },
    ...parts,
  };
}
