import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  annotated,
  atPhase,
  noteIn,
  specOf,
  statusOf,
  synced,
  withSpec,
  withStatus,
} from '../../../test/build/argocd.ts';
import { ArgoCdWorld } from '../../../test/build/argocd-world.ts';
import { packFixtureChart } from '../../../test/build/fixture-chart.ts';
import { desiredRelease, releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject, ObjectMeta } from '../../api/kube.ts';
import type { FetchedChart } from '../../ports/artifacts.ts';
import type { DesiredRelease, ReleaseObservation } from '../../ports/backend.ts';
import { applicationName } from './application-name.ts';
import { NOTE } from './notes.ts';
import { writeNoted } from './noted.ts';

const MANIFEST = `---
# Source: web/templates/web.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
---
apiVersion: batch/v1
kind: Job
metadata:
  name: task
spec:
  template:
    image: b
---
apiVersion: batch/v1
kind: Job
metadata:
  name: hook
  annotations:
    helm.sh/hook: pre-upgrade
---
apiVersion: v1
kind: Pod
metadata:
  name: try-it
  annotations:
    helm.sh/hook: test
`;
const TRACKED = { 'argocd.argoproj.io/tracking-id': `${applicationName(TARGET)}:/x:shop-ns/x` };
const THEIRS = { 'argocd.argoproj.io/tracking-id': 'other:/x:shop-ns/x' };
const JOB = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop-ns', name: 'task' };

function object(kind: string, name: string, metadata: Partial<ObjectMeta> = {}, apiVersion = 'v1'): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: 'shop-ns', ...metadata } };
}

describe('a delivery by Argo CD', () => {
  let folder: string;
  let chart: FetchedChart;
  let world: ArgoCdWorld;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-argocd-deliver-'));
    chart = await packFixtureChart(folder, { name: 'web' });
  });

  afterAll(() => rm(folder, { recursive: true }));

  beforeEach(() => {
    world = new ArgoCdWorld();
    world.rendered = { stdout: MANIFEST };
  });

  async function deliver(shape: Partial<DesiredRelease> = {}, observed?: ReleaseObservation): Promise<string> {
    const release = desiredRelease({ chart, token: 'token-3', ...shape });
    const before = observed ?? (await world.backend.observe(release));
    return world.submit({ kind: 'upgrade', release, observed: before });
  }

  /** Our release as it was delivered before, in the cluster. */
  function standing(change: (live: KubeObject) => KubeObject = (live) => live): KubeObject {
    return world.put(change(synced()));
  }

  it('is one write, which Argo CD takes up', async () => {
    expect(await deliver()).toBe('accepted');
    expect(world.cluster.writes()).toEqual([`create Application argocd/${applicationName(TARGET)}`]);
    expect(await world.present()).toMatchObject({ delivery: 'underway', token: 'token-3' });
  });

  it('P16 is not written once it was told to stop, however late', async () => {
    const told = new AbortController();
    let reads = 0;
    world.cluster.after = ({ line }) => {
      if (line.startsWith('read Application')) reads += 1;
      if (reads === 2) told.abort();
    };
    const release = desiredRelease({ chart });
    const action = { kind: 'install', release, observed: { state: 'absent' } } as const;
    expect(await world.backend.submit(action, told.signal)).toMatchObject({ error: { code: 'HelmKilled' } });
    expect(world.application()).toBeUndefined();
  });

  it('P21 is not written when somebody installs a release of that name while the chart is examined', async () => {
    world.cluster.before = ({ line }) => {
      if (line.startsWith('read Namespace')) world.put(releaseSecret({ labels: {} }));
    };
    expect(await deliver({}, { state: 'absent' })).toBe('failed ApiConflict');
    expect(world.cluster.writes()).toEqual([]);
    expect(await deliver()).toBe('refused OwnershipConflict');
  });

  it('notes what the chart makes, without hooks and tests', async () => {
    await deliver();
    const noted = noteIn(world.application() ?? standing(), 'objects') ?? '';
    expect(JSON.parse(noted)).toEqual({
      'v1 ConfigMap': ['shop-ns/web'],
      'batch/v1 Job': [['shop-ns/task', expect.any(String), false]],
    });
  });

  it('goes over what was delivered before, in one write', async () => {
    standing();
    expect(await deliver()).toBe('accepted');
    expect(world.cluster.writes()).toEqual([`replace Application argocd/${applicationName(TARGET)}`]);
    expect(statusOf(world.application() ?? standing())).not.toHaveProperty('operationState');
  });

  it.each<[string, Partial<DesiredRelease>, (live: KubeObject) => KubeObject]>([
    ['P22 was delivered', { token: 'token-2' }, (live) => live],
    ['was begun', { token: 'token-2' }, (live) => atPhase({ ...live, operation: operationIn(live) }, 'Running')],
  ])('by an attempt that %s is not written again', async (_, shape, change) => {
    standing(change);
    expect(await deliver(shape)).toBe('accepted');
    expect(world.cluster.writes()).toEqual([]);
  });

  describe('when Argo CD is at work', () => {
    it('for an earlier attempt ends that first', async () => {
      standing((live) => atPhase({ ...live, operation: operationIn(live) }, 'Running'));
      expect(await deliver()).toBe('failed ReleaseLocked');
      const live = world.application();
      expect(live).toMatchObject({ status: { operationState: { phase: 'Terminating' } } });
      expect(live?.['operation']).toBeDefined();
    });

    it('for somebody else waits for the end of that', async () => {
      const operation = { initiatedBy: { username: 'admin' }, sync: {} };
      standing((live) => ({
        ...withStatus(live, { operationState: { phase: 'Running', operation } }),
        operation,
      }));
      expect(await deliver()).toBe('failed ReleaseLocked');
      expect(world.cluster.writes()).toEqual([]);
    });
  });

  describe('when the Application changes meanwhile', () => {
    it('in its status, is written over the newest one', async () => {
      standing();
      happensBeforeWrite(() => withStatus(world.application() ?? standing(), { health: { status: 'Healthy' } }));
      expect(await deliver()).toBe('accepted');
      expect(statusOf(world.application() ?? standing())).toMatchObject({ health: { status: 'Healthy' } });
    });

    it.each<[string, (live: KubeObject) => KubeObject]>([
      ['its source', (live) => withSpec(live, { source: { ...(specOf(live)['source'] as object), chart: 'other' } })],
      ['an operation', (live) => ({ ...live, operation: { initiatedBy: { username: 'admin' }, sync: {} } })],
      ['its history', (live) => withStatus(live, { history: [{ id: 5 }] })],
    ])('in %s, is decided anew', async (_, change) => {
      standing();
      happensBeforeWrite(() => change(world.application() ?? standing()));
      expect(await deliver()).toBe('failed ApiConflict');
    });

    it('P21 and is there all of a sudden, is decided anew', async () => {
      happensBeforeWrite(() => synced());
      expect(await deliver()).toBe('failed ApiConflict');
    });

    it('all the time, fails for now', async () => {
      standing();
      world.cluster.before = ({ verb }) => {
        if (verb === 'replace') throw new KubepkgError('ApiConflict', 'changed');
      };
      expect(await deliver()).toBe('failed ApiConflict');
    });

    function happensBeforeWrite(make: () => KubeObject): void {
      const done: boolean[] = [];
      world.cluster.before = ({ verb, line }) => {
        if (!['create', 'replace'].includes(verb) || !line.includes('Application') || done.length > 0) return;
        done.push(true);
        world.put(make());
      };
    }
  });

  it.each<[string, Partial<ObjectMeta>, string]>([
    ['another Application had', { annotations: THEIRS }, ''],
    ['an Application that is being removed has still', { annotations: THEIRS }, 'other'],
    ['somebody made by hand', {}, ''],
  ])('P10 waits for an object that %s, and that is going', async (_, metadata, application) => {
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] };
    world.put(object('ConfigMap', 'web', { ...metadata, ...going }));
    if (application !== '') {
      world.put(object('Application', application, { namespace: 'argocd' }, 'argoproj.io/v1alpha1'));
    }
    expect(await deliver()).toBe('failed ReleaseLocked');
    expect(world.cluster.writes()).toEqual([]);
  });

  it('P16 of a hook whose Application is gone begins once the Job that it left is removed', async () => {
    const status = { conditions: [{ type: 'Complete', status: 'True' }] };
    const left = { annotations: TRACKED, creationTimestamp: '2026-01-01T00:00:00Z' };
    world.put({ ...object('Job', 'task', left, 'batch/v1'), status });
    const hookSince = Date.parse('2026-02-01T00:00:00Z');
    expect(await deliver({ hookSince })).toBe('failed ReleaseLocked');
    expect([world.get(JOB), world.application()]).toEqual([undefined, undefined]);
    expect(await deliver({ hookSince })).toBe('accepted');
  });

  describe('P21 is refused', () => {
    it.each<[string, KubeObject]>([
      ['an object exists', object('ConfigMap', 'web')],
      ['an object is of another Application that is gone', object('ConfigMap', 'web', { annotations: THEIRS })],
      ['an object has the name of a hook', object('Job', 'hook', {}, 'batch/v1')],
    ])('when %s', async (_, live) => {
      world.put(live);
      expect(await deliver()).toBe('refused OwnershipConflict');
      expect(world.cluster.writes()).toEqual([]);
      expect(await deliver({ adopt: true })).toBe('accepted');
    });

    it('when an object is of another Application, whatever is wished', async () => {
      world.put(object('ConfigMap', 'web', { annotations: THEIRS }));
      world.put({ ...synced(), metadata: { name: 'other', namespace: 'argocd' } });
      expect(await deliver({ adopt: true })).toBe('refused OwnershipConflict');
    });

    it('when helm has a release of that name, and taken over with its records when it is wished', async () => {
      world.put(releaseSecret({ labels: {} }));
      world.put(releaseSecret({ revision: 2, labels: {} }));
      expect(await deliver()).toBe('refused OwnershipConflict');
      expect(await deliver({ adopt: true })).toBe('accepted');
      expect(world.cluster.all('Secret')).toEqual([]);
    });

    it('not when the object is ours, or only a test has its name', async () => {
      world.put(object('ConfigMap', 'web', { annotations: TRACKED }));
      world.put(object('Pod', 'try-it'));
      expect(await deliver()).toBe('accepted');
    });

    it('when the decision was taken on something else', async () => {
      standing();
      expect(await deliver({}, { state: 'absent' })).toBe('failed ApiConflict');
    });
  });

  it('R11 waits for a namespace that is not there, or is going', async () => {
    world.cluster.remove({ apiVersion: 'v1', kind: 'Namespace', name: 'shop-ns' });
    expect(await deliver()).toBe('failed ApiNotFound');
    const metadata = { name: 'shop-ns', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.org/x'] };
    world.put({ apiVersion: 'v1', kind: 'Namespace', metadata });
    expect(await deliver()).toBe('failed NamespaceTerminating');
  });

  it('refuses values that make an Application too large', async () => {
    const outcome = await deliver({ values: { text: 'x'.repeat(400_000) } });
    expect(outcome).toBe('refused ReleaseTooLarge');
    expect(world.cluster.writes()).toEqual([]);
  });

  it('says what does not render before anything is written', async () => {
    world.rendered = { exitCode: 1, stderr: 'Error: execution error at (web/templates/web.yaml:1:3): no' };
    expect(await deliver()).toBe('failed RenderFailed');
    expect(world.cluster.writes()).toEqual([]);
  });

  describe('I7 protects from pruning', () => {
    const STAYS = 'Prune=false,Delete=false,Delete=confirm';

    it('no longer what has come back: it goes with its release again', async () => {
      const kind = 'PersistentVolumeClaim';
      const marked = { annotations: { ...TRACKED, 'argocd.argoproj.io/sync-options': `Validate=false,${STAYS}` } };
      world.put(object(kind, 'old', marked));
      standing((live) => withStatus(live, { resources: [{ kind, name: 'old', namespace: 'shop-ns', version: 'v1' }] }));
      world.rendered = { stdout: `${MANIFEST}\n---\napiVersion: v1\nkind: ${kind}\nmetadata: {name: old}\n` };
      expect(await deliver()).toBe('accepted');
      expect(protection(kind, 'old')).toBe('Validate=false,Prune=false');
    });

    it('and syncs only once Argo CD has seen it, which goes by what is in its cache', async () => {
      const kind = 'PersistentVolumeClaim';
      world.put(object(kind, 'old', { annotations: TRACKED }));
      standing((live) => withStatus(live, { resources: [{ kind, name: 'old', namespace: 'shop-ns', version: 'v1' }] }));
      const before = world.application();
      expect(await deliver()).toBe('failed ApiConflict');
      expect(world.application()).toEqual(before);
      expect(protection(kind, 'old')).toBe(STAYS);
    });

    const protection = (kind: string, name: string): string | undefined =>
      world.get({ apiVersion: 'v1', kind, namespace: 'shop-ns', name })?.metadata.annotations?.[
        'argocd.argoproj.io/sync-options'
      ];

    async function deliverOver(kind: string, metadata: Partial<ObjectMeta>): Promise<string | undefined> {
      world.put(object(kind, 'old', metadata));
      const entry = { kind, name: 'old', namespace: 'shop-ns', version: 'v1' };
      standing((live) => withStatus(live, { resources: [{ ...entry, requiresDeletionConfirmation: true }] }));
      expect(await deliver()).toBe('accepted');
      return protection(kind, 'old');
    }

    it.each<[string, string, Partial<ObjectMeta>, string | undefined]>([
      ['a claim', 'PersistentVolumeClaim', { annotations: TRACKED }, STAYS],
      [
        'what has options already',
        'PersistentVolumeClaim',
        { annotations: { ...TRACKED, 'argocd.argoproj.io/sync-options': 'Validate=false, Replace=true' } },
        `Validate=false,Replace=true,${STAYS}`,
      ],
      [
        'what its chart wants kept',
        'ConfigMap',
        { annotations: { ...TRACKED, 'helm.sh/resource-policy': 'keep' } },
        STAYS,
      ],
      ['nothing else', 'ConfigMap', { annotations: TRACKED }, undefined],
      ['no claim of others', 'PersistentVolumeClaim', { annotations: THEIRS }, undefined],
    ])('%s', async (_, kind, metadata, options) => {
      expect(await deliverOver(kind, metadata)).toBe(options);
    });
  });

  describe('F52 whose Job has another template', () => {
    function standingJob(status: object): void {
      world.put({ ...JOB, metadata: { name: 'task', namespace: 'shop-ns', annotations: TRACKED }, status });
      const noted = writeNoted([{ ref: JOB, job: { unchangeable: '{"template":{"image":"a"}}', mayVanish: false } }]);
      standing((live) => annotated(live, { [NOTE.objects]: noted }));
    }

    const COMPLETE = { conditions: [{ type: 'Complete', status: 'True' }] };

    it.each<[string, object, Partial<DesiredRelease>, boolean]>([
      ['makes one that has finished anew', COMPLETE, {}, false],
      ['leaves one that runs', {}, {}, true],
      ['leaves it when told to', COMPLETE, { recreate: 'Never' }, true],
    ])('%s', async (_, status, shape, stays) => {
      standingJob(status);
      expect(await deliver(shape)).toBe('accepted');
      expect(world.get(JOB) !== undefined).toBe(stays);
    });
  });
});

function operationIn(application: KubeObject): unknown {
  return (statusOf(application)['operationState'] as { operation: unknown }).operation;
}
