import { afterAll, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import type { ReadyWhen } from '../../../src/api/readiness.ts';
import { createClock } from '../../../src/compose/clock.ts';
import { isOlderVersion } from '../../../src/lib/resource-version.ts';
import {
  type ChartFiles,
  configMapChart,
  customResourceChart,
  deploymentChart,
  jobChart,
  markChart,
} from './charts.ts';
import { customKind, FakeOperator, type Scripted } from './fake-operator.ts';
import {
  countJobs,
  cure,
  inNamespace,
  isAt,
  messageOf,
  numbersOf,
  phases,
  publish,
  says,
  sim,
  spoil,
} from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';
import { startWebhook } from './webhook-server.ts';

const GROUP = 'parts.example.org';
const PART = { apiVersion: `${GROUP}/v1`, kind: 'Part' };
const HIDDEN = { apiVersion: 'hidden.example.org/v1', kind: 'Vault' };
const RBAC = 'rbac.authorization.k8s.io';
const USER = 'careful';
/** All that the operator's user may deal with; the group that it may not is not among them. */
const GROUPS = [
  ...['', 'apps', 'batch', 'kubepkg.dev', GROUP, 'late.example.org', RBAC],
  ...[
    'coordination',
    'apiextensions',
    'apiregistration',
    'admissionregistration',
    'discovery',
    'events',
    'storage',
  ].map((name) => `${name}.k8s.io`),
];

function vanishingJobChart(): ChartFiles {
  const { 'templates/job.yaml': job = '', ...rest } = jobChart();
  return {
    ...rest,
    'templates/job.yaml': job.replace('backoffLimit: 0', 'backoffLimit: 0\n  ttlSecondsAfterFinished: 0'),
  };
}

/** Guards what helm makes in one namespace; whoever serves it puts the caBundle in later. */
function webhookChart(): ChartFiles {
  return {
    'templates/webhook.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: {{ .Values.guard }}}
webhooks:
  - name: {{ .Values.guard }}
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Fail
    timeoutSeconds: 2
    clientConfig: {url: {{ .Values.url | quote }}}
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ .Release.Namespace }}}}
    objectSelector: {matchLabels: {app.kubernetes.io/managed-by: Helm}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]
`,
  };
}

const world = await OperatorWorld.start({ audit: false, users: [{ name: USER }] });
const webhook = await startWebhook();
const operator = new FakeOperator({ ...PART, cluster: world.cluster });
afterAll(async () => {
  operator.stop();
  webhook.stop();
  await world.stop();
});
const tree = await world.push('readiness/tree', {
  part: customResourceChart(PART.apiVersion, PART.kind),
  next: markChart(),
  config: configMapChart(),
  app: deploymentChart(),
  load: { ...jobChart(), ...deploymentChart() },
  job: vanishingJobChart(),
  guard: webhookChart(),
});
await world.cluster.write({ verb: 'create', object: customKind(GROUP, PART.kind) });
await world.cluster.write({ verb: 'create', object: customKind('hidden.example.org', HIDDEN.kind) });
await allow('operator', { apiGroups: GROUPS, resources: ['*'], verbs: ['*'] });
await world.startOperator({ kubeconfig: world.plane.kubeconfigFor(USER) });

async function allow(name: string, rule: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const apiVersion = `${RBAC}/v1`;
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: USER }];
  const role = { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: [rule] };
  await world.cluster.write({ verb: 'create', object: role });
  const binding = { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects };
  await world.cluster.write({ verb: 'create', object: binding });
}

/** A component, and one named `next` that is to come after it. */
async function install(name: string, first: SourceComponent, spec: WrittenPackageSpec = {}): Promise<void> {
  const next = inNamespace(name)('next', { dependsOn: [first.name] });
  await publish(world, name, { tree, components: [first, next] });
  await world.applyPackage(name, spec);
}

const scripted = (spec: Scripted): NonNullable<WrittenPackageSpec['components']> => ({
  part: { values: { spec: { ...spec, script: [...(spec.script ?? [])] } } },
});

const nextOf = (namespace: string): Promise<KubeObject | undefined> =>
  world.cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'next' });

function expectAfter(later: KubeObject | undefined, earlier: KubeObject | undefined): void {
  const [old, young] = [earlier?.metadata.resourceVersion, later?.metadata.resourceVersion];
  expect([typeof old, typeof young]).toEqual(['string', 'string']);
  expect(isOlderVersion(old, young), `${String(old)} comes before ${String(young)}`).toBe(true);
}

/** Kubernetes' times are whole seconds: what is to be later has to be in another one. */
const anotherSecond = (): Promise<void> =>
  new Promise((resolve) => {
    createClock().after(1100, resolve);
  });

async function create({ apiVersion, kind, name, namespace }: ObjectRef, rest: object = {}): Promise<KubeObject> {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return world.cluster.write({ verb: 'create', object: { apiVersion, kind, metadata, ...rest } });
}

async function report(ref: ObjectRef, type: string, status: string): Promise<KubeObject> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const conditions = [{ type, status, reason: 'Said', message: '', lastTransitionTime }];
  return world.cluster.write({ verb: 'merge-patch', subresource: 'status', ref, patch: { status: { conditions } } });
}

describe('a component is ready', { timeout: 120_000 }, () => {
  it('P6 R1 once its Deployment is available and its Job has completed', async () => {
    const slow = sim({ 'ready-after': '1s', 'init-for': '1s', 'run-for': '2s' });
    await install('p6', inNamespace('p6')('load'), { components: { load: slow } });
    await world.untilPackage('p6', isReady);
    const job = await world.cluster.read({ apiVersion: 'batch/v1', kind: 'Job', namespace: 'p6', name: 'load' });
    expect(job && condition(job, 'Complete')?.status).toBe('True');
    expectAfter(await nextOf('p6'), job);
  });

  it('P7 F13 when the object of readyWhen is there: no kind, no object, no status are waited for', async () => {
    const late = { apiVersion: 'late.example.org/v1', kind: 'Late', namespace: 'p7', name: 'thing' };
    const readyWhen: ReadyWhen[] = [
      { apiVersion: late.apiVersion, kind: late.kind, name: late.name, condition: 'Ready', status: 'True' },
    ];
    await install('p7', inNamespace('p7')('config', { readyWhen }));
    const waiting = await world.untilPackage('p7', says(/is not served yet/));
    expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
    await world.cluster.write({ verb: 'create', object: customKind('late.example.org', late.kind) });
    await world.untilPackage('p7', says(/does not exist yet/));
    await create(late);
    await world.untilPackage('p7', says(/has no status yet/));
    await report(late, 'Ready', 'False');
    await world.untilPackage('p7', says(/Ready is False/));
    expect(await nextOf('p7')).toBeUndefined();
    const told = await report(late, 'Ready', 'True');
    await world.untilPackage('p7', isReady);
    expectAfter(await nextOf('p7'), told);
  });

  it('P7 F29 when an APIService is Available: a namespace is ignored for what has none', async () => {
    const service = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1.f29.example.org' };
    const entry = { ...service, namespace: 'elsewhere', condition: 'Available', status: 'True' };
    await install('f29', inNamespace('f29')('config', { readyWhen: [entry] }));
    await world.untilPackage('f29', says(/does not exist yet/));
    const spec = { group: 'f29.example.org', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10 };
    const made = await create(service, { spec });
    await world.untilPackage('f29', isReady);
    expectAfter(await nextOf('f29'), made);
    await world.cluster.write({ verb: 'delete', ref: service });
  });

  it('P8 when CEL says so of an object without conditions, in healthCheckExprs and in readyWhen', async () => {
    const at = inNamespace('p8');
    const check = { ...PART, current: "status.phase == 'HEALTH_OK'", inProgress: "status.phase == 'HEALTH_WARN'" };
    const enough: ReadyWhen = { ...PART, name: 'part', expression: 'status.members >= 3', status: 'True' };
    const components = [
      at('part', { healthCheckExprs: [check] }),
      at('next', { dependsOn: ['part'], readyWhen: [enough] }, 'pool'),
      at('next', { dependsOn: ['pool'] }),
    ];
    await publish(world, 'p8', { tree, components });
    const script = [
      { afterMs: 200, fields: { phase: 'HEALTH_WARN' } },
      { afterMs: 1500, fields: { phase: 'HEALTH_OK', members: 1 } },
      { afterMs: 4000, fields: { members: 3 } },
    ];
    await world.applyPackage('p8', { components: scripted({ script, generationIn: 'status' }) });
    await world.untilPackage('p8', says(/the expression is false/));
    expect(await nextOf('p8')).toBeUndefined();
    await world.untilPackage('p8', isReady);
    const healthy = operator.written.find(({ metadata, status }) => {
      return metadata.namespace === 'p8' && (status as { phase?: string }).phase === 'HEALTH_OK';
    });
    const pool = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'p8', name: 'pool' };
    expectAfter(await world.cluster.read(pool), healthy);
    expectAfter(await nextOf('p8'), operator.last('part'));
  });

  it.each<[string, SourceComponent['install']]>([
    ['healthCheckExprs[0].current', { healthCheckExprs: [{ ...PART, current: 'status.phase ==' }] }],
    [
      'readyWhen[0].expression',
      { readyWhen: [{ ...PART, name: 'part', expression: 'status.phase ==', status: 'True' }] },
    ],
  ])('P8 never with CEL in %s that does not compile: said before anything is touched', async (field, declared) => {
    const name = field.replace(/\W.*/, '').toLowerCase();
    await install(name, inNamespace(name)('part', declared));
    const pkg = await world.untilPackage(name, hasReason('InvalidConfiguration'));
    expect(messageOf(pkg)).toContain(`component part: install.${field}`);
    expect(await world.revisions(name)).toEqual([]);
    expect(await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name })).toBeUndefined();
  });

  it('F22 when a condition that flaps has held for stableFor, and not failed by one that failed for a moment', async () => {
    const entry: ReadyWhen = { ...PART, name: 'part', condition: 'Available', status: 'True', stableFor: '3s' };
    const script = [
      { afterMs: 100, conditions: { Available: 'False', Stalled: 'True' } },
      { afterMs: 1200, conditions: { Available: 'True' } },
      { afterMs: 1200, conditions: { Available: 'False' } },
      { afterMs: 1200, conditions: { Available: 'True' } },
    ] as const;
    await install('f22', inNamespace('f22')('part', { readyWhen: [entry] }), {
      components: scripted({ script, generationIn: 'conditions' }),
    });
    await world.untilPackage('f22', isReady);
    const since = condition(operator.last('part') ?? { ...PART, metadata: { name: '' } }, 'Available');
    const [record] = await world.records('f22', 'next');
    const held = Date.parse(record?.metadata.creationTimestamp ?? '') - Date.parse(since?.lastTransitionTime ?? '');
    expect(held).toBeGreaterThanOrEqual(3000);
    expect(phases(await world.revisions('f22'))).toEqual(['Applied']);
  });

  it('R6 F18 when the status was written after the change, of an API that names no generation', async () => {
    const entry: ReadyWhen = { ...PART, name: 'part', condition: 'Available', status: 'True' };
    const at = inNamespace('f18');
    const script = [{ afterMs: 3000, conditions: { Available: 'True' }, fields: { seen: 'first' } }] as const;
    await install('f18', at('part', { readyWhen: [entry] }), { components: scripted({ script }) });
    await world.untilPackage('f18', isReady);
    await anotherSecond();
    const [again] = [{ ...script[0], fields: { seen: 'second' } }];
    await world.applyPackage('f18', {
      components: { ...scripted({ script: [again] }), next: { values: { mark: 'second' } } },
    });
    await world.untilPackage('f18', says(/names no generation/));
    await world.untilPackage('f18', (pkg) => isReady(pkg) && pkg.status?.currentRevision === 2);
    const told = operator.last('part');
    expect(told?.status).toMatchObject({ seen: 'second' });
    const next = await nextOf('f18');
    expect(next).toMatchObject({ data: { mark: 'second' } });
    expectAfter(next, told);
  });
});

describe('an object that the operator may not read', { timeout: 120_000 }, () => {
  const entry = (name: string): ReadyWhen => ({ ...HIDDEN, name, condition: 'Ready', status: 'True' });

  it('P7 P9 is waited for until the deadline, with the missing permission named', async () => {
    await install('unread', inNamespace('unread')('config', { readyWhen: [entry('closed')] }), {
      upgrade: { timeout: '8s' },
    });
    const waiting = await world.untilPackage('unread', says(/vaults.*hidden\.example\.org/));
    expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
    const failed = await world.untilPackage('unread', hasReason('UpgradeFailed'));
    expect(messageOf(failed)).toMatch(/cannot (get|list|watch) .*vaults/);
    const [revision] = await world.revisions('unread');
    expect(revision?.status?.failure?.code).toBe('DeadlineExceeded');
    expect(await nextOf('unread')).toBeUndefined();
  });

  it('P7 is looked at once the permission has come', async () => {
    const vault = { ...HIDDEN, namespace: 'unlocked', name: 'open' };
    await install('unlocked', inNamespace('unlocked')('config', { readyWhen: [entry('open')] }));
    await world.untilPackage('unlocked', says(/vaults.*hidden\.example\.org/));
    await create(vault);
    await report(vault, 'Ready', 'True');
    await allow('vaults', {
      apiGroups: ['hidden.example.org'],
      resources: ['vaults'],
      verbs: ['get', 'list', 'watch'],
    });
    await world.untilPackage('unlocked', isReady);
  });
});

describe('F49 a hook whose Job removes itself as soon as it is done', { timeout: 120_000 }, () => {
  async function upgrade(name: string, exitCode: string): Promise<readonly string[]> {
    const at = inNamespace(name);
    const runs = countJobs(world, name);
    const components = [at('job', { phase: 'PreUpgrade' }), at('next')];
    await publish(world, name, { tree, components });
    await world.applyPackage(name, { components: { job: sim({ 'exit-code': exitCode }) } });
    await world.untilPackage(name, isAt('1.0.0'));
    await publish(world, name, { tree, components, version: '1.1.0' });
    return runs;
  }

  it('has succeeded when that was seen', async () => {
    const runs = await upgrade('f49', '0');
    await world.untilPackage('f49', isAt('1.1.0'));
    expect(runs).toHaveLength(1);
  });

  it('has failed when that was seen, and nothing else has changed', async () => {
    const runs = await upgrade('f49-bad', '4');
    await world.untilPackage('f49-bad', hasReason('UpgradeFailed'));
    expect(runs).toHaveLength(1);
    expect(await numbersOf(world, 'f49-bad', ['next'])).toEqual({ next: ['1'] });
    expect(phases(await world.revisions('f49-bad'))).toEqual(['Applied', 'Failed']);
  });
});

describe('what runs', { timeout: 120_000 }, () => {
  it('P22 is watched after it was ready: Degraded is reported, nothing is written, and it recovers', async () => {
    await install('seen', inNamespace('seen')('app'));
    await world.untilPackage('seen', isReady);
    const before = await traces('seen');
    await spoil(world, 'seen', 'app');
    const broken = await world.untilPackage('seen', hasReason('Degraded'));
    expect(condition(broken, 'Ready')?.status).toBe('False');
    expect(condition(broken, 'Available')?.status).toBe('False');
    expect(messageOf(broken)).toContain('Deployment seen/app');
    await cure(world, 'seen', 'app');
    const whole = await world.untilPackage('seen', isReady);
    expect(condition(whole, 'Available')?.status).toBe('True');
    expect(await traces('seen')).toEqual(before);
  });

  /** Names and resource versions of all that kubepkg and helm would write to. */
  async function traces(name: string): Promise<readonly string[]> {
    const records = await Promise.all(['app', 'next'].map((release) => world.records(name, release)));
    const revisions = await world.revisions(name);
    const all = [...records.flat(), ...revisions].map(({ metadata }) => metadata);
    return all.map((metadata) => `${metadata.name} ${metadata.resourceVersion ?? ''}`);
  }
});

describe('F27 a webhook that does not answer yet', { timeout: 120_000 }, () => {
  const guarded = (url: string, guard: string): WrittenPackageSpec => ({
    components: { guard: { values: { url, guard } } },
  });

  it('holds the component up whose object it guards, which goes through once the caBundle is set', async () => {
    const guard = 'late.f27.example.org';
    await install('f27', inNamespace('f27')('guard'), guarded(webhook.url, guard));
    const waiting = await world.untilPackage('f27', says(/component next .*failed calling webhook/));
    expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
    expect(webhook.asked).toEqual([]);
    const ref = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', name: guard };
    const patch = [{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: webhook.caBundle }];
    await world.cluster.write({ verb: 'json-patch', ref, patch });
    await world.untilPackage('f27', isReady);
    expect(webhook.asked).toContain('next');
    expect(phases(await world.revisions('f27'))).toEqual(['Applied']);
  });

  it('and never does is named as the cause at the deadline, not the chart', async () => {
    const guard = 'never.f27.example.org';
    const spec = { ...guarded('https://127.0.0.1:1/', guard), upgrade: { timeout: '8s' } };
    await install('f27-never', inNamespace('f27-never')('guard'), spec);
    const failed = await world.untilPackage('f27-never', hasReason('UpgradeFailed'));
    expect(messageOf(failed)).toMatch(/failed calling webhook "?never\.f27\.example\.org/);
    const [revision] = await world.revisions('f27-never');
    expect(revision?.status?.failure).toMatchObject({ component: 'next', code: 'DeadlineExceeded' });
  });
});
