import { beforeEach, describe, expect, it } from 'vitest';
import { aRevision, aRevisionComponent } from '../../test/build/objects.ts';
import { deployment, job, pod, warning, widget } from '../../test/build/readiness-objects.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, type ObjectRef, refOf } from '../api/kube.ts';
import type { Evidence, RevisionComponent } from '../api/package-revision.ts';
import type { InventoryItem } from '../ports/backend.ts';
import { asString, at, isRecord } from '../lib/json.ts';
import { collectEvidence } from './evidence.ts';

const HOOK = aRevisionComponent('migrate');
const REVISION = aRevision({ number: 2, version: '2.0.0' });
const SECRET: ObjectRef = {
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: 'kubepkg-system',
  name: 'kubepkg-evidence-shop-2',
};
const FAILED_JOB: KubeObject = {
  ...job(
    {},
    {
      failed: 1,
      conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'too often' }],
    },
  ),
};

function failedPod(name = 'migrate-x', containers = ['migrate']): KubeObject {
  const state = { terminated: { exitCode: 3, reason: 'Error', message: 'the secret is hunter2' } };
  return pod({
    metadata: { name },
    spec: { containers: containers.map((c) => ({ name: c, terminationMessagePolicy: 'FallbackToLogsOnError' })) },
    status: {
      phase: 'Failed',
      containerStatuses: containers.map((c) => ({ name: c, restartCount: 0, ready: false, state })),
    },
  });
}

describe('evidence before undoing', () => {
  let cluster: MemoryCluster;
  let inventory: InventoryItem[];
  let isHook: boolean;
  let asked: (string | undefined)[];

  beforeEach(() => {
    cluster = new MemoryCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    inventory = [];
    isHook = true;
    asked = [];
  });

  function put(...objects: readonly KubeObject[]): void {
    for (const object of objects) cluster.put(object);
  }

  function released(...objects: readonly KubeObject[]): void {
    put(...objects);
    inventory = objects.map((object) => refOf(object));
  }

  function collect(component: RevisionComponent = HOOK, findings: readonly string[] = []): Promise<Evidence> {
    const { name, releaseName, namespace } = component;
    return collectEvidence(
      { cluster, namespace: 'kubepkg-system' },
      {
        revision: REVISION,
        component,
        isHook,
        target: { package: 'shop', component: name, releaseName, namespace },
        backend: {
          inventory: (_target, record) => {
            asked.push(record);
            return Promise.resolve(inventory);
          },
        },
        findings,
      },
    );
  }

  /** The log lines that were kept, by key. */
  function kept(): Readonly<Record<string, string>> {
    const data = at(cluster.get(SECRET), 'data');
    const entries = Object.entries(isRecord(data) ? data : {});
    return Object.fromEntries(
      entries.map(([key, text]) => [key, Buffer.from(asString(text) ?? '', 'base64').toString()]),
    );
  }

  function hookFailed(): void {
    released(FAILED_JOB);
    put(failedPod());
    cluster.podLogs.set('shop/migrate-x/migrate', ['connecting with hunter2', 'no such table']);
  }

  it('P15 a failed hook: its Job, its pod with the exit code, its warnings, and where its last lines are', async () => {
    hookFailed();
    put(warning(failedPod(), 'FailedMount', 'no volume'));
    const evidence = await collect(HOOK, ['it failed']);
    expect(evidence).toEqual({
      component: 'migrate',
      findings: [
        'it failed',
        'Job shop/web: failed: BackoffLimitExceeded: too often; pod migrate-x: container migrate last ended with exit code 3',
        'Pod shop/migrate-x: container migrate exited with code 3 (Error)',
        'Warning about Pod shop/migrate-x: FailedMount: no volume',
      ],
      logs: { namespace: 'kubepkg-system', name: 'kubepkg-evidence-shop-2' },
    });
    expect(kept()).toEqual({ 'migrate-x.migrate': 'connecting with hunter2\nno such table\n' });
  });

  it('I10 no log line is among the findings', async () => {
    hookFailed();
    expect(JSON.stringify(await collect())).not.toContain('hunter2');
  });

  it('its Secret goes with the revision, and is found by its package', async () => {
    hookFailed();
    await collect();
    expect(cluster.get(SECRET)).toMatchObject({
      type: 'kubepkg.dev/evidence',
      metadata: {
        labels: { 'kubepkg.dev/package': 'shop' },
        ownerReferences: [{ kind: 'PackageRevision', name: 'shop-2', uid: 'uid-shop-2' }],
      },
    });
  });

  it('is collected again after a crash before it was recorded', async () => {
    hookFailed();
    const first = await collect();
    cluster.podLogs.set('shop/migrate-x/migrate', ['later']);
    expect(await collect()).toEqual(first);
    expect(kept()).toEqual({ 'migrate-x.migrate': 'later\n' });
  });

  it('P21 takes the place of no Secret that somebody else made', async () => {
    hookFailed();
    const { namespace = '', name } = SECRET;
    put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const foreign = cluster.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      data: { a: 'Yg==' },
    });
    const evidence = await collect();
    expect(evidence.logs).toBeUndefined();
    expect(evidence.findings.join()).toContain('the log lines could not be kept: ');
    expect(cluster.get(SECRET)).toEqual(foreign);
  });

  it('an object that is ready is no finding, one that is gone is; its pods may say why something else is not ready', async () => {
    released(deployment(), deployment({}, { availableReplicas: 1 }), {
      ...widget(),
      kind: 'ConfigMap',
      apiVersion: 'v1',
    });
    inventory.push({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'gone' });
    put(deployment());
    put(pod({ metadata: { name: 'web-1' }, status: { containerStatuses: [{ name: 'app', state: { running: {} } }] } }));
    cluster.podLogs.set('shop/web-1/app', ['reconcile error']);
    const evidence = await collect();
    expect(evidence.findings).toEqual(['Deployment shop/gone: does not exist']);
    expect(asked, 'with the Jobs of the hooks of its chart').toEqual(['begun']);
    expect(kept()).toEqual({ 'web-1.app': 'reconcile error\n' });
  });

  it.each([
    [true, ['Job shop/gone: does not exist']],
    [false, []],
  ])('names a Job that may have removed itself only where its end counts (hook: %s)', async (counts, findings) => {
    isHook = counts;
    inventory.push({ apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'gone', mayVanish: true });
    expect((await collect()).findings).toEqual(findings);
  });

  it('what readyWhen names counts too, whether it exists, is served, or not', async () => {
    cluster.serve('example.dev/v1', 'Widget');
    put(
      widget({
        metadata: { name: 'w' },
        status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Broken' }] },
      }),
    );
    const entry = {
      apiVersion: 'example.dev/v1',
      kind: 'Widget',
      name: 'w',
      condition: 'Ready',
      status: 'True',
    } as const;
    const readyWhen = [entry, { ...entry, kind: 'Gadget' }];
    expect((await collect({ ...HOOK, readyWhen })).findings).toEqual([
      'Widget shop/w: condition Ready is False: Broken; True is wanted',
      'Gadget shop/w: example.dev/v1 Gadget is not served yet',
    ]);
  });

  it('keeps the end of long logs, from the start of a line, and so much of all together', async () => {
    released(FAILED_JOB);
    const containers = Array.from({ length: 10 }, (_, n) => `c${String(n)}`);
    const line = `>${'ä'.repeat(999)}`;
    for (const name of ['migrate-a', 'migrate-b']) {
      put(failedPod(name, containers));
      for (const c of containers)
        cluster.podLogs.set(`shop/${name}/${c}`, [...Array.from({ length: 60 }, () => line), 'last']);
    }
    await collect();
    const texts = Object.values(kept());
    expect(texts).toHaveLength(10);
    expect(texts.every((text) => text.endsWith(`${line}\nlast\n`) && text.startsWith('>'))).toBe(true);
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(16 * 1024);
  });

  it('keeps the very last line of long ones, though the kubelet stops at a limit that it counts from the first', async () => {
    hookFailed();
    const text = `${'x'.repeat(60_000)}\nlast\n`;
    cluster.logs = ({ limitBytes }) => Promise.resolve(text.slice(0, limitBytes));
    await collect();
    expect(kept()).toEqual({ 'migrate-x.migrate': 'last\n' });
  });

  it('of all logs together no more is kept than a Secret takes easily', async () => {
    released(FAILED_JOB);
    const containers = Array.from({ length: 10 }, (_, n) => `c${String(n)}`);
    const object = failedPod('migrate-a', containers);
    const statuses = containers.map((name) => ({ name, restartCount: 1, state: { running: {} } }));
    put({ ...object, status: { containerStatuses: statuses } });
    for (const c of containers) {
      cluster.podLogs.set(`shop/migrate-a/${c}`, ['x'.repeat(20_000)]);
      cluster.podLogs.set(`shop/migrate-a/${c}/previous`, ['y'.repeat(20_000)]);
    }
    await collect();
    const sizes = Object.values(kept()).map((text) => Buffer.byteLength(text));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(256 * 1024);
  });

  it('the run before a restart is kept beside the present one, unless both are one', async () => {
    released(FAILED_JOB);
    const status = { name: 'app', restartCount: 1, state: { running: {} } };
    put({ ...failedPod('a', ['app']), status: { containerStatuses: [status] } });
    put({ ...failedPod('b', ['app']), status: { containerStatuses: [status] } });
    for (const [key, line] of [
      ['a/app', 'now'],
      ['a/app/previous', 'before'],
      ['b/app', 'same'],
      ['b/app/previous', 'same'],
    ] as const)
      cluster.podLogs.set(`shop/${key}`, [line]);
    await collect();
    expect(kept()).toEqual({ 'a.app': 'now\n', 'a.app.previous': 'before\n', 'b.app': 'same\n' });
  });

  it('a key that a Secret would not take is cut, and stays its own', async () => {
    released(FAILED_JOB);
    const long = 'p'.repeat(250);
    for (const name of [`${long}1`, `${long}2`]) {
      put(failedPod(name));
      cluster.podLogs.set(`shop/${name}/migrate`, [name.slice(-1)]);
    }
    await collect();
    const keys = Object.keys(kept());
    expect(keys).toHaveLength(2);
    expect(keys.every((key) => /^[-._a-zA-Z0-9]{1,253}$/.test(key))).toBe(true);
  });

  describe('never stands in the way of the failure', () => {
    const forbidden = new KubepkgError('ApiForbidden', 'User "kubepkg" cannot do that in API group ""', {
      hint: 'grant the permission',
    });

    it.each([
      ['its objects', 'read Job shop/web', 'Job shop/web could not be read: '],
      ['the pods', 'list Pod', 'what Pod objects tell could not be read: '],
      ['the events', 'list Event', 'what Event objects tell could not be read: '],
      ['the Secret', `create Secret kubepkg-system/${SECRET.name}`, 'the log lines could not be kept: '],
    ])('when %s may not be touched: the missing permission is a finding', async (_what, line, text) => {
      hookFailed();
      cluster.before = (request) => {
        if (request.line === line) throw forbidden;
      };
      const { findings } = await collect();
      expect(findings).toContain(`${text}User "kubepkg" cannot do that in API group ""; grant the permission`);
    });

    it('when logs may not be read', async () => {
      hookFailed();
      cluster.logs = () => Promise.reject(forbidden);
      const evidence = await collect();
      expect(evidence.logs).toBeUndefined();
      expect(evidence.findings.join()).toContain('the log of container migrate could not be read: User "kubepkg"');
    });

    it('when nobody answers at all', async () => {
      hookFailed();
      cluster.before = () => {
        throw new KubepkgError('ApiUnreachable', 'no answer');
      };
      await expect(collect(HOOK, ['it failed'])).resolves.toMatchObject({ component: 'migrate' });
    });

    it('when an object is not what it should be', async () => {
      released({ ...FAILED_JOB, status: { conditions: 'broken' } });
      put({ ...failedPod(), status: { containerStatuses: [null, { name: 7, state: 'x' }] }, spec: 'none' });
      expect((await collect()).findings[0]).toContain('is not what the Kubernetes API makes of it');
    });
  });
});
