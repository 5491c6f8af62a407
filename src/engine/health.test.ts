import { beforeEach, describe, expect, it } from 'vitest';
import { aRevisionComponent } from '../../test/build/objects.ts';
import { condition, deployment, job, pod, service, widget } from '../../test/build/readiness-objects.ts';
import { VirtualClock } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, type ObjectRef, refOf } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import type { HealthReport } from '../domain/release/component-view.ts';
import { followedBy, judgeHealth, type HealthRequest } from './health.ts';
import { ObjectTracker } from './object-tracker.ts';
import { RelatedReader } from './related.ts';
import { Witness } from './witness.ts';

const CONFIG: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'config' };
const WIDGET: ObjectRef = { apiVersion: 'example.dev/v1', kind: 'Widget', namespace: 'shop', name: 'web' };
const WEB = refOf(deployment());

const failing = deployment(
  {},
  { conditions: [condition('Progressing', 'False', { reason: 'ProgressDeadlineExceeded' })] },
);
const waiting = deployment({}, { availableReplicas: 1, readyReplicas: 1 });
const failedJob = job({}, { conditions: [condition('Failed', 'True', { reason: 'BackoffLimitExceeded' })] });

describe('the health of a component', () => {
  let cluster: MemoryCluster;
  let tracker: ObjectTracker;
  let clock: VirtualClock;
  let witness: Witness;

  beforeEach(() => {
    cluster = new MemoryCluster();
    clock = new VirtualClock();
    witness = new Witness();
    cluster.now = () => clock.now();
    cluster.serve('example.dev/v1', 'Widget');
    tracker = new ObjectTracker(cluster, () => undefined);
  });

  const judge = (request: HealthRequest): Promise<HealthReport> => {
    const related = new RelatedReader(cluster, clock);
    return judgeHealth({ cluster, tracker, related, clock, witness }, request);
  };

  /** Judged on what a live read finds. */
  async function healthOf(
    objects: readonly KubeObject[],
    component: Partial<RevisionComponent> = {},
    more: { readonly absent?: readonly ObjectRef[]; readonly awaited?: readonly ObjectRef[] } = {},
  ): Promise<HealthReport> {
    const inventory = [...objects.map((object) => refOf(cluster.put(object))), ...(more.absent ?? [])];
    const request = { component: aRevisionComponent('app', component), inventory, awaited: more.awaited ?? [] };
    tracker.follow('shop/app', followedBy(request));
    await tracker.refresh(followedBy(request));
    return judge(request);
  }

  describe('of its objects', () => {
    it('is ready when it has none, or only such as are ready by existing', async () => {
      expect(await healthOf([], {}, { absent: [CONFIG] })).toMatchObject({ status: 'ready', notes: [] });
    });

    it('P6 is ready when all of them are', async () => {
      expect(await healthOf([deployment(), job({}, { conditions: [condition('Complete', 'True')] })])).toMatchObject({
        status: 'ready',
      });
    });

    it('I11 is unobserved while one of them has not been read', async () => {
      await healthOf([deployment()]);
      const request = { component: aRevisionComponent('app'), inventory: [WEB, refOf(job())], awaited: [] };
      expect((await judge(request)).status).toBe('unobserved');
    });

    it.each<[string, readonly KubeObject[], readonly ObjectRef[], string]>([
      ['one is not ready', [waiting], [], 'Deployment shop/web: 1 of 3 replicas available'],
      ['one does not exist', [deployment()], [{ ...WEB, name: 'api' }], 'Deployment shop/api: does not exist'],
      [
        'the kind of one is not served',
        [],
        [{ apiVersion: 'nowhere.dev/v1', kind: 'Nothing', namespace: 'shop', name: 'x' }],
        'Nothing shop/x: nowhere.dev/v1 Nothing is not served',
      ],
      [
        'one speaks of a former generation',
        [deployment({}, { observedGeneration: 1 })],
        [],
        'Deployment shop/web: its status is about generation 1 of 2',
      ],
    ])('is progressing while %s, and names it', async (_say, objects, absent, message) => {
      const report = await healthOf(objects, {}, { absent });
      expect(report.status).toBe('progressing');
      expect(report.message).toContain(message);
    });

    it('is progressing while one may not be read, and names the permission', async () => {
      cluster.before = () => {
        throw new KubepkgError('ApiForbidden', 'cannot get deployments');
      };
      const report = await healthOf([deployment()]);
      expect(report).toMatchObject({ status: 'progressing', message: 'Deployment shop/web: cannot get deployments' });
    });

    it('is failed when one has failed, whatever the others are', async () => {
      const report = await healthOf([waiting, { ...failing, metadata: { ...failing.metadata, name: 'api' } }]);
      expect(report).toMatchObject({ status: 'failed', final: false });
      expect(report.message).toContain('Deployment shop/api: ');
    });

    it('F47 is failed for good when a Job has failed: that is the one that is named', async () => {
      const report = await healthOf([failing, failedJob]);
      expect(report).toMatchObject({ status: 'failed', final: true });
      expect(report.message).toContain('Job shop/web: ');
    });

    it('is ready with a note where one is paused', async () => {
      const report = await healthOf([deployment({ paused: true })]);
      expect(report.status).toBe('ready');
      expect(report.notes).toEqual(['Deployment shop/web: paused, 3 of 3 replicas updated, 3 available']);
    });

    it('F77 names the deepest cause that can be found', async () => {
      cluster.put(
        pod({
          status: {
            phase: 'Pending',
            containerStatuses: [
              { name: 'app', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
            ],
          },
        }),
      );
      expect((await healthOf([waiting])).message).toContain('pod web: container app cannot pull');
    });

    it('reads nothing more about what is ready', async () => {
      await healthOf([deployment()]);
      expect(cluster.requests.map(({ line }) => line)).toEqual(['read Deployment shop/web']);
    });

    it('obeys the switches that the component declares', async () => {
      const balancer = service({ spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' } });
      expect((await healthOf([balancer])).status).toBe('ready');
      expect((await healthOf([balancer], { readiness: { loadBalancer: 'Address' } })).status).toBe('progressing');
    });

    it('P13 of a Job that has only started is ready where the component says so', async () => {
      const started = job({}, { startTime: '2026-01-01T00:00:00Z', active: 1 });
      expect((await healthOf([started])).status).toBe('progressing');
      expect((await healthOf([started], { readiness: { jobs: 'Started' } })).status).toBe('ready');
    });

    it('of a claim that waits for its first consumer depends on the other objects of the release', async () => {
      cluster.serve('storage.k8s.io/v1', 'StorageClass', false);
      const late = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'late' } };
      cluster.put({ ...late, volumeBindingMode: 'WaitForFirstConsumer' });
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace: 'shop' },
        spec: { storageClassName: 'late' },
        status: { phase: 'Pending' },
      };
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
      const consumer = deployment({ template: { spec: { containers: [], volumes } } });
      expect((await healthOf([claim])).status).toBe('ready');
      expect((await healthOf([claim, consumer])).status).toBe('progressing');
    });

    it('of a CRD is ready only once discovery serves it', async () => {
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gadgets.example.dev' },
        spec: {
          group: 'example.dev',
          scope: 'Namespaced',
          names: { kind: 'Gadget', plural: 'gadgets' },
          versions: [
            { name: 'v1', served: true },
            { name: 'v0', served: false },
          ],
        },
        status: { conditions: [condition('Established', 'True'), condition('NamesAccepted', 'True')] },
      };
      expect((await healthOf([definition])).status).toBe('ready');
      cluster.served = () => Promise.resolve(undefined);
      expect(await healthOf([definition])).toMatchObject({ status: 'progressing' });
    });
  });

  describe('P7 of what it waits for besides', () => {
    const entry = { apiVersion: 'example.dev/v1', kind: 'Widget', name: 'web', condition: 'Ready', status: 'True' };
    const withCondition = (status: string, more: Parameters<typeof condition>[2] = {}): KubeObject =>
      widget({ status: { conditions: [condition('Ready', status, more)] } });

    async function healthWith(object: KubeObject | undefined, change: object = {}): Promise<HealthReport> {
      if (object !== undefined) cluster.put(object);
      return healthOf([deployment()], { readyWhen: [{ ...entry, ...change }] }, { awaited: [WIDGET] });
    }

    it('is ready when every entry holds', async () => {
      expect((await healthWith(withCondition('True'))).status).toBe('ready');
    });

    it('is progressing while the last of several does not hold', async () => {
      cluster.put(withCondition('True'));
      const entries = [entry, { ...entry, condition: 'Synced' }];
      const report = await healthOf([deployment()], { readyWhen: entries }, { awaited: [WIDGET, WIDGET] });
      expect(report.status).toBe('progressing');
    });

    it.each<[string, KubeObject | undefined, string]>([
      ['the object does not exist', undefined, 'Widget shop/web: does not exist yet'],
      ['it has no status', widget(), 'Widget shop/web: has no status yet'],
      ['the condition is not the one that is wanted', withCondition('False'), 'condition Ready is False'],
      ['the condition is Unknown', withCondition('Unknown'), 'condition Ready is Unknown'],
      [
        'the condition is about a former generation',
        withCondition('True', { observedGeneration: 0 }),
        'Widget shop/web',
      ],
    ])('is progressing while %s', async (_say, object, message) => {
      const report = await healthWith(object);
      expect(report.status).toBe('progressing');
      expect(report.message).toContain(message);
    });

    it('is progressing while the kind is not served, or may not be read', async () => {
      const nowhere = { ...WIDGET, apiVersion: 'nowhere.dev/v1' };
      const readyWhen = [{ ...entry, apiVersion: 'nowhere.dev/v1' }];
      const unserved = await healthOf([], { readyWhen }, { awaited: [nowhere] });
      expect(unserved).toMatchObject({ status: 'progressing' });
      expect(unserved.message).toContain('is not served yet');
      cluster.before = ({ line }) => {
        if (line.includes('Widget')) throw new KubepkgError('ApiForbidden', 'cannot get widgets');
      };
      expect((await healthWith(withCondition('True'))).message).toBe('Widget shop/web: cannot get widgets');
    });

    it('does not hide what one of its own objects has come to', async () => {
      const report = await healthOf([failing], { readyWhen: [entry] }, { awaited: [WIDGET] });
      expect(report.status).toBe('failed');
    });
  });

  it('rule 4.11 of what is awaited besides names the deepest cause too', async () => {
    cluster.put(waiting);
    cluster.put(
      pod({
        status: {
          phase: 'Pending',
          containerStatuses: [
            {
              name: 'app',
              state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "db" not found' } },
            },
          ],
        },
      }),
    );
    const readyWhen = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', condition: 'Complete', status: 'True' },
    ];
    const report = await healthOf([], { readyWhen }, { awaited: [WEB] });
    expect(report.message).toContain('pod web: container app: CreateContainerConfigError: secret "db" not found');
  });

  describe('P8 by health checks', () => {
    const check = {
      apiVersion: 'example.dev/v1',
      kind: 'Widget',
      current: "status.phase == 'Up'",
      failed: "status.phase == 'Down'",
    };
    const withPhase = (phase: string, more: object = {}): KubeObject => widget({ status: { phase, ...more } });
    const component = { healthCheckExprs: [check] };

    it.each<[string, KubeObject, string]>([
      ['current is ready', withPhase('Up'), 'ready'],
      ['failed has failed', withPhase('Down'), 'failed'],
      ['neither is progressing', withPhase('Starting'), 'progressing'],
      ['F16 without the field is progressing', widget({ status: {} }), 'progressing'],
      ['current about a former generation is progressing', withPhase('Up', { observedGeneration: 1 }), 'progressing'],
    ])('an object that is %s', async (_say, object, status) => {
      expect((await healthOf([object], component)).status).toBe(status);
    });

    it('an object that is current and being deleted is not ready', async () => {
      const object = withPhase('Up');
      const metadata = {
        ...object.metadata,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['example.dev/hold'],
      };
      expect((await healthOf([{ ...object, metadata }], component)).status).toBe('progressing');
    });

    it('take the place of the rule of the kind, on every object that matches', async () => {
      const stuck = widget({ status: { phase: 'Up', conditions: [condition('Ready', 'False')] } });
      expect((await healthOf([stuck])).status).toBe('progressing');
      expect((await healthOf([stuck], component)).status).toBe('ready');
      const other = { ...withPhase('Starting'), metadata: { name: 'other', namespace: 'shop' } };
      expect((await healthOf([stuck, other], component)).message).toContain('Widget shop/other: ');
    });

    it('reach kinds that are ready by existing', async () => {
      const config = { ...CONFIG, metadata: { name: 'config', namespace: 'shop' }, data: { done: 'no' } };
      const healthCheckExprs = [{ apiVersion: 'v1', kind: 'ConfigMap', current: "data.done == 'yes'" }];
      expect((await healthOf([config])).status).toBe('ready');
      expect((await healthOf([config], { healthCheckExprs })).status).toBe('progressing');
    });

    it('on an object that does not exist wait for it', async () => {
      expect((await healthOf([], component, { absent: [WIDGET] })).message).toBe('Widget shop/web: does not exist');
    });

    it('are guarded against what was said before the change', async () => {
      const item = refOf(cluster.put(withPhase('Up')));
      await clock.advance(60_000);
      tracker.follow('shop/app', [item]);
      await tracker.refresh([item]);
      const begin = clock.now();
      const happenings = { change: { startedAt: begin, since: begin } };
      const request = { component: aRevisionComponent('app', component), inventory: [item], awaited: [], happenings };
      expect(await judge(request)).toMatchObject({ status: 'progressing', until: begin + 30_000 });
    });
  });

  it('follows the objects that have a readiness, and all that is awaited', () => {
    const component = aRevisionComponent('app');
    expect(followedBy({ component, inventory: [CONFIG, WEB], awaited: [WIDGET] })).toEqual([WEB, WIDGET]);
  });
});
