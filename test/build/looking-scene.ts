import type { KubeObject } from '../../src/api/kube.ts';
import { formatSeconds } from '../../src/lib/time.ts';
import { deploymentManifest, LookingWorld, NOW } from './looking-world.ts';
import { condition, deployment, pod } from './readiness-objects.ts';

export const ago = (seconds: number): string => formatSeconds(NOW - seconds * 1000);

const SECRET = '---\napiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: hunter22}\n';

const DELIVERED = { state: 'Ready' as const, backendRevision: 1 };

/** Of the Deployment `app`: its container crashes. */
export const POD = pod({
  metadata: { name: 'app-5d9f7c-x2x4k', labels: { app: 'app' } },
  spec: { containers: [{ name: 'main' }, { name: 'proxy' }] },
  status: {
    phase: 'Running',
    conditions: [condition('Ready', 'False', { lastTransitionTime: ago(170) })],
    containerStatuses: [
      {
        name: 'main',
        ready: false,
        restartCount: 4,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 3 } },
      },
    ],
  },
});

/** The Deployment `app` with so many of its three replicas available. */
export function workload(available: number): KubeObject {
  const object = deployment(
    { selector: { matchLabels: { app: 'app' } } },
    {
      availableReplicas: available,
      readyReplicas: available,
      conditions: [
        condition('Available', available === 3 ? 'True' : 'False', { lastTransitionTime: ago(180) }),
        condition('Progressing', 'True', { reason: available === 3 ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated' }),
      ],
    },
  );
  return { ...object, metadata: { ...object.metadata, name: 'app' } };
}

/** Revision 1 is applied, 2 waits for its component app. */
export function upgrading(): LookingWorld {
  const world = new LookingWorld(
    { components: { app: { values: { color: 'red', db: { password: 'hunter22' }, tls: { secretName: 'web-tls' } } } } },
    {
      version: '1.0.0',
      currentRevision: 2,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Progressing',
          message: 'component app (2 of 2): Deployment shop/app: 1 of 3 replicas available',
          lastTransitionTime: ago(192),
        },
      ],
    },
  );
  world.revision(1, {
    status: {
      phase: 'Superseded',
      appliedAt: ago(3600),
      components: [
        { name: 'store', ...DELIVERED },
        { name: 'app', ...DELIVERED },
      ],
    },
    values: { app: { color: 'blue', db: { password: 'hunter11' }, tls: { secretName: 'web-tls' } }, store: {} },
  });
  world.revision(2, {
    version: '1.1.0',
    status: {
      phase: 'Applying',
      components: [
        { name: 'store', ...DELIVERED, startedAt: ago(200), readyAt: ago(192), backendRevision: 2 },
        {
          name: 'app',
          state: 'Submitted',
          attempt: 1,
          startedAt: ago(192),
          deadline: ago(-408),
          backendRevision: 2,
          message: 'Deployment shop/app: 1 of 3 replicas available',
        },
      ],
    },
    values: {
      app: { color: 'red', db: { password: 'hunter22' }, tls: { secretName: 'web-tls' }, domain: 'x.example.org' },
      store: {},
    },
  });
  world.record('store', 1, deploymentManifest('store', 'store:1'));
  world.record('store', 2, deploymentManifest('store', 'store:1'));
  world.record('app', 1, deploymentManifest('app', 'app:1') + SECRET);
  world.record('app', 2, deploymentManifest('app', 'app:2') + SECRET, 'Visit us at http://x.example.org');
  world.cluster.put(workload(1));
  world.cluster.put(POD);
  return world;
}
