import { describe, expect, it } from 'vitest';
import { changedJobs, type DescribedObject, readNoted, writeNoted } from './noted.ts';

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'web' };
const JOB = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'migrate' };

function job(unchangeable: string, mayVanish = false): DescribedObject {
  return { ref: JOB, job: { unchangeable, mayVanish } };
}

describe('the objects that are noted on an Application', () => {
  it('are read as they were written', () => {
    const noted = readNoted(writeNoted([{ ref: CONFIG }, { ref: ROLE }, job('{}', true)]));
    expect(noted).toEqual([CONFIG, ROLE, { ...JOB, template: expect.any(String) as string, mayVanish: true }]);
    expect(readNoted(writeNoted([job('{}')]))).toEqual([{ ...JOB, template: noted[2]?.template }]);
  });

  it.each([undefined, '', 'no JSON', '[]', '{"v1 ConfigMap":7}', '{"v1 ConfigMap":[null,{},[]]}'])(
    'are none where somebody wrote %j',
    (text) => {
      expect(readNoted(text)).toEqual([]);
    },
  );
});

describe('F52 a Job whose template changed', () => {
  const before = readNoted(writeNoted([job('{"template":1}'), { ref: CONFIG }]));

  it.each<[string, readonly DescribedObject[], number]>([
    ['is found', [job('{"template":2}'), { ref: CONFIG }], 1],
    ['is not one that is as it was', [job('{"template":1}')], 0],
    ['is not one that is gone', [{ ref: CONFIG }], 0],
  ])('%s', (_, after, count) => {
    expect(changedJobs(before, readNoted(writeNoted(after)))).toHaveLength(count);
  });

  it('is not one that is new', () => {
    expect(changedJobs([], readNoted(writeNoted([job('{}')])))).toEqual([]);
  });
});
