import { afterAll, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import type { ReadyWhen } from '../../../src/api/readiness.ts';
import { createClock } from '../../../src/compose/clock.ts';
import { type ChartFiles, configMapChart, customResourceChart, markChart } from './charts.ts';
import { expectAfter } from './expect-after.ts';
import { customKind, FakeOperator, type Scripted } from './fake-operator.ts';
import { inNamespace, messageOf, phases, publish, says } from './packages.ts';
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
