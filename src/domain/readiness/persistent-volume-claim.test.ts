import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { builderOf, deployment, job, judge, pod } from '../../../test/build/readiness-objects.ts';
import { relatedTo } from './assess.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim', {
  metadata: { name: 'data' },
  spec: { storageClassName: 'local' },
});
const pending = claim({ status: { phase: 'Pending' } });
const lazy: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'local' },
  volumeBindingMode: 'WaitForFirstConsumer',
};
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
const template = { spec: { volumes } };
const cronJob = builderOf('batch/v1', 'CronJob')({ spec: { jobTemplate: { spec: { template } } } });

describe('a PersistentVolumeClaim', () => {
  it.each([
    ['Bound', 'ready', 'Ready'],
    ['Pending', 'progressing', 'NotBound'],
    ['Lost', 'progressing', 'Lost'],
    [undefined, 'progressing', 'NotBound'],
  ])('in phase %s is %s', (phase, verdict, reason) => {
    expect(judge(claim({ status: { phase } }))).toMatchObject({ status: verdict, reason });
  });

  it.each([
    ['nothing', []],
    ['only a CronJob', [cronJob]],
    ['a consumer scaled to 0', [deployment({ replicas: 0, template })]],
    ['a suspended Job', [job({ suspend: true, template })]],
    ['a consumer of another claim', [deployment({ template: { spec: { volumes: [] } } })]],
    ['a consumer in another namespace', [pod({ metadata: { namespace: 'other' }, spec: { volumes } })]],
  ])('F43 that waits for its first consumer does not block when the release has %s', (_case, siblings) => {
    const verdict = judge(pending, { related: [lazy], siblings });
    expect(verdict.status).toBe('ready');
    expect(verdict.note).toContain('first consumer');
  });

  it.each([
    ['a Deployment', deployment({ template })],
    ['a Job', job({ template })],
    ['a Pod', pod({ spec: { volumes } })],
  ])('F43 is waited for when the release has a consumer: %s', (_case, consumer) => {
    expect(judge(pending, { related: [lazy], siblings: [consumer] })).toMatchObject({
      status: 'progressing',
      reason: 'WaitForFirstConsumer',
    });
  });

  it('F43 is waited for when its class binds at once', () => {
    expect(judge(pending, { related: [{ ...lazy, volumeBindingMode: 'Immediate' }] }).status).toBe('progressing');
  });

  it('F43 is judged by its own class, not by another that was read', () => {
    const other = { ...lazy, metadata: { name: 'other' } };
    const own = { ...lazy, volumeBindingMode: 'Immediate' };
    expect(judge(pending, { related: [other, own] }).status).toBe('progressing');
  });

  it('F43 asks for its storage class while it is not bound', () => {
    expect(relatedTo(pending, judge(pending))).toContainEqual({
      kind: 'object',
      purpose: 'verdict',
      ref: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name: 'local' },
    });
  });
});
