import { describe, expect, it } from 'vitest';
import { componentFacts, findingsOf, kubeObject } from '../../../../test/build/plan-facts.ts';
import type { ObjectFacts, PlannedComponent, PredictedFinding } from './facts.ts';

type Facts = Partial<Omit<ObjectFacts, 'after' | 'before' | 'live'>> & {
  readonly before?: string;
  readonly component?: Partial<PlannedComponent>;
};

/** Of an object that is there as `live`, and would be written as `after`. */
function found(live: string, after: string, { before, component, ...rest }: Facts = {}): readonly PredictedFinding[] {
  const object: ObjectFacts = {
    live: kubeObject(live),
    after: kubeObject(after),
    before: kubeObject(before ?? after),
    ...rest,
  };
  return findingsOf([componentFacts([object], component === undefined ? {} : { component })]);
}

function job(image: string, status = ''): string {
  const template = `template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: ${image}}]}}`;
  return `{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: shop}, spec: {backoffLimit: 0, ${template}}${status}}`;
}

const FINISHED = ', status: {conditions: [{type: Complete, status: "True"}]}';
const FAILED = ', status: {conditions: [{type: Failed, status: "True"}]}';
const DOOMED = ', status: {conditions: [{type: FailureTarget, status: "True"}]}';
const REFUSED = { code: 'ApiInvalid', message: 'Job.batch "j" is invalid: spec.template: field is immutable' } as const;

describe('a Job that changes', () => {
  it.each<readonly [string, string, Facts, readonly string[]]>([
    ['F52 runs and is to be made again when finished', job('a'), {}, ['ImmutableField']],
    ['F52 has finished and is made again', job('a', FINISHED), {}, ['JobRecreated']],
    ['F52 has failed and is made again', job('a', FAILED), {}, ['JobRecreated']],
    ['F52 has failed, its pods still go, and is made again', job('a', DOOMED), {}, ['JobRecreated']],
    ['F52 has finished and must not be', job('a', FINISHED), { component: { recreate: 'Never' } }, ['ImmutableField']],
    ['is refused by the server as well', job('a'), { dryRun: REFUSED }, ['ImmutableField']],
    ['has finished, and the server refuses the change', job('a', FINISHED), { dryRun: REFUSED }, ['JobRecreated']],
    ['is accepted by the server', job('a'), { dryRun: 'accepted' }, []],
    ['does not change', job('b'), {}, []],
  ])('%s', (_name, live, rest, codes) => {
    const findings = found(live, job('b'), rest).filter(({ code }) => code !== 'ImageFloating');
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  it('F52 is told with its field and a remedy', () => {
    const [finding] = found(job('a'), job('b'), { component: { recreate: 'Never' } });
    expect(finding).toEqual({
      code: 'ImmutableField',
      severity: 'error',
      subject: 'component store: Job shop/j',
      message: 'spec.template.spec.containers[name="c"].image cannot be changed, and the upgrade changes it',
      remedy: 'put the version into the name of the Job, or set install.recreate: FinishedJobs',
    });
  });

  it('may lose what the server has added, and nothing of what the chart had', () => {
    const live = job('b').replace('labels: {a: b}', 'labels: {a: b, job-name: j}');
    expect(found(live, job('b')).filter(({ severity }) => severity === 'error')).toEqual([]);
    const without = job('b').replace('labels: {a: b}', 'labels: {}');
    expect(found(live, without, { before: job('b'), dryRun: 'accepted' })[0]?.message).toContain('spec.template');
  });

  it('may set what the server leaves out, and lose what is gone already', () => {
    const empty = job('b').replace('spec: {containers', 'spec: {hostNetwork: false, nodeName: "", containers');
    expect(found(job('b'), empty).filter(({ severity }) => severity === 'error')).toEqual([]);
    const before = job('b').replace('{a: b}', '{a: b, c: d}');
    expect(found(job('b'), job('b'), { before }).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('may change how often it is tried', () => {
    const findings = found(job('b'), job('b').replace('backoffLimit: 0', 'backoffLimit: 3'));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

function objectOf(kind: string, rest: string): string {
  return `{${kind}, metadata: {name: o, namespace: shop}, ${rest}}`;
}

const STS = 'apiVersion: apps/v1, kind: StatefulSet';
const SERVICE = 'apiVersion: v1, kind: Service';
const CLAIM = 'apiVersion: v1, kind: PersistentVolumeClaim';
const BINDING = 'apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding';
const CLASS = 'apiVersion: storage.k8s.io/v1, kind: StorageClass';
const SECRET = 'apiVersion: v1, kind: Secret';
const CONFIG = 'apiVersion: v1, kind: ConfigMap';
const BOUND = 'status: {phase: Bound}';

function sized(size: string): string {
  return `spec: {resources: {requests: {storage: ${size}}}}`;
}

describe('the fields that cannot be changed', () => {
  it.each<readonly [string, string, string, string | undefined]>([
    ['replicas', objectOf(STS, 'spec: {replicas: 1}'), objectOf(STS, 'spec: {replicas: 2}'), undefined],
    ['a service', objectOf(STS, 'spec: {serviceName: a}'), objectOf(STS, 'spec: {serviceName: b}'), 'spec.serviceName'],
    [
      'a claim template with defaults of the server',
      objectOf(
        STS,
        'spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {volumeMode: Filesystem}, status: {}}]}',
      ),
      objectOf(STS, 'spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {}}]}'),
      undefined,
    ],
    [
      'one more claim template',
      objectOf(STS, 'spec: {volumeClaimTemplates: [{metadata: {name: d}}]}'),
      objectOf(STS, 'spec: {volumeClaimTemplates: [{metadata: {name: d}}, {metadata: {name: e}}]}'),
      'spec.volumeClaimTemplates',
    ],
    [
      'a selector',
      objectOf('apiVersion: apps/v1, kind: Deployment', 'spec: {selector: {matchLabels: {a: b}}}'),
      objectOf('apiVersion: apps/v1, kind: Deployment', 'spec: {selector: {matchLabels: {a: c}}}'),
      'spec.selector.matchLabels.a',
    ],
    [
      'an address',
      objectOf(SERVICE, 'spec: {clusterIP: 10.0.0.1}'),
      objectOf(SERVICE, 'spec: {clusterIP: None}'),
      'spec.clusterIP',
    ],
    [
      'no address asked for',
      objectOf(SERVICE, 'spec: {clusterIP: 10.0.0.1}'),
      objectOf(SERVICE, 'spec: {}'),
      undefined,
    ],
    [
      'an address that goes with the type',
      objectOf(SERVICE, 'spec: {clusterIP: 10.0.0.1}'),
      objectOf(SERVICE, 'spec: {type: ExternalName, clusterIP: None}'),
      undefined,
    ],
    ['a claim that grows', objectOf(CLAIM, `${sized('1Gi')}, ${BOUND}`), objectOf(CLAIM, sized('2Gi')), undefined],
    ['a claim of the same size', objectOf(CLAIM, sized('1Gi')), objectOf(CLAIM, sized('1024Mi')), undefined],
    [
      'a claim that shrinks',
      objectOf(CLAIM, `${sized('2Gi')}, ${BOUND}`),
      objectOf(CLAIM, sized('1Gi')),
      'spec.resources.requests.storage',
    ],
    [
      'an unbound claim that grows',
      objectOf(CLAIM, sized('1Gi')),
      objectOf(CLAIM, sized('2Gi')),
      'spec.resources.requests.storage',
    ],
    ['a role', objectOf(BINDING, 'roleRef: {name: a}'), objectOf(BINDING, 'roleRef: {name: b}'), 'roleRef.name'],
    ['parameters', objectOf(CLASS, 'parameters: {a: b}'), objectOf(CLASS, 'parameters: {a: c}'), 'parameters.a'],
    [
      'a Secret that is immutable',
      objectOf(SECRET, 'immutable: true, data: {a: YQ==}'),
      objectOf(SECRET, 'immutable: true, stringData: {a: b}'),
      'data',
    ],
    [
      'the same in a Secret that is immutable',
      objectOf(SECRET, 'immutable: true, data: {a: YQ==}'),
      objectOf(SECRET, 'immutable: true, stringData: {a: a}'),
      undefined,
    ],
    [
      'a ConfigMap that is no longer immutable',
      objectOf(CONFIG, 'immutable: true, data: {a: b}'),
      objectOf(CONFIG, 'data: {a: b}'),
      'immutable',
    ],
    ['a ConfigMap', objectOf(CONFIG, 'data: {a: b}'), objectOf(CONFIG, 'data: {a: c}'), undefined],
  ])('%s', (_name, live, after, field) => {
    const [finding] = found(live, after).filter(({ severity }) => severity === 'error');
    expect(finding?.code).toBe(field === undefined ? undefined : 'ImmutableField');
    if (field !== undefined) expect(finding?.message).toBe(`${field} cannot be changed, and the upgrade changes it`);
  });

  it('are nothing to an object that is not there', () => {
    const after = kubeObject(objectOf(STS, 'spec: {serviceName: b}'));
    expect(findingsOf([componentFacts([{ after }])])).toEqual([]);
  });
});
