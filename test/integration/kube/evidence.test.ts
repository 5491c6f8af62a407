import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import { collectEvidence } from '../../../src/engine/evidence.ts';
import type { Evidence } from '../../../src/api/package-revision.ts';
import { at } from '../../../src/lib/json.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import { aRevision, aRevisionComponent } from '../../build/objects.ts';
import { adminAccess, clientOf } from './clients.ts';

const access = adminAccess();
const client = clientOf(access);
const namespace = `evidence-${randomUUID().slice(0, 8)}`;
const home = `${namespace}-home`;
const LABELS = { app: 'migrate' };
const JOB: ObjectRef = { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'migrate' };
const SECRET: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: home, name: 'kubepkg-evidence-shop-1' };
const CONTAINERS = [{ name: 'migrate', image: 'migrate:1' }];

async function make(object: KubeObject): Promise<KubeObject> {
  return client.write({ verb: 'create', object });
}

async function setStatus(ref: ObjectRef, patch: unknown): Promise<void> {
  await client.write({ verb: 'merge-patch', subresource: 'status', ref, patch: { status: patch } });
}

function collect(cluster: Cluster): Promise<Evidence> {
  const component = aRevisionComponent('migrate', { namespace });
  return collectEvidence(
    { cluster, namespace: home },
    {
      revision: aRevision(),
      component,
      isHook: true,
      target: { package: 'shop', component: 'migrate', releaseName: 'migrate', namespace },
      backend: { inventory: () => Promise.resolve([JOB]) },
    },
  );
}

/** There is no kubelet, so what it would answer is given here. `written` gets what the API server made of each write. */
function withLog(line: string, written: KubeObject[]): Cluster {
  return {
    read: (ref, options) => client.read(ref, options),
    list: (selection) => client.list(selection),
    write: async (request) => {
      const object = await client.write(request);
      written.push(object);
      return object;
    },
    watch: (selection, onEvent) => client.watch(selection, onEvent),
    served: (apiVersion, kind) => client.served(apiVersion, kind),
    logs: () => Promise.resolve(line),
  };
}

beforeAll(async () => {
  await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const made = await make({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate', namespace },
    // Suspended, so that no controller makes pods of its own.
    spec: {
      suspend: true,
      manualSelector: true,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: { restartPolicy: 'Never', containers: CONTAINERS } },
    },
  });
  expect(made.kind).toBe('Job');
  const name = 'migrate-x';
  await make({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: LABELS },
    spec: { restartPolicy: 'Never', containers: CONTAINERS },
  });
  const terminated = { exitCode: 3, reason: 'Error' };
  const status = {
    name: 'migrate',
    image: 'migrate:1',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { terminated },
  };
  await setStatus({ apiVersion: 'v1', kind: 'Pod', namespace, name }, { phase: 'Failed', containerStatuses: [status] });
});

afterAll(() => {
  client.close();
});

describe('evidence on a real API server', () => {
  it('names the object and the exit code, and what no kubelet tells is no fault', async () => {
    const { findings, logs } = await collect(client);
    expect(findings[0]).toMatch(/^Job .*\/migrate: suspended .*exit code 3$/);
    expect(findings).toContain(`Pod ${namespace}/migrate-x: container migrate exited with code 3 (Error)`);
    expect(logs).toBeUndefined();
  });

  it('keeps the log lines, and takes the place of those from before a crash', async () => {
    const written: KubeObject[] = [];
    await collect(withLog('first', written));
    const second = await collect(withLog('second', written));
    expect(second.logs).toEqual({ namespace: home, name: SECRET.name });
    // Its owner is made up, so that the garbage collector soon takes it away.
    const secret = written.findLast(({ metadata }) => metadata.name === SECRET.name);
    expect(secret).toMatchObject({ type: 'kubepkg.dev/evidence' });
    const kept = at(secret, 'data');
    expect(kept).toEqual({ 'migrate-x.migrate': Buffer.from('second').toString('base64') });
  });

  it('names each permission that is missing', async () => {
    const nobody = clientOf({
      ...access,
      impersonate: { user: 'nobody', groups: ['system:authenticated'], extra: {} },
    });
    const { findings } = await collect(nobody);
    expect(findings.join('\n')).toContain('User "nobody" cannot get resource "jobs"');
    nobody.close();
  });
});
