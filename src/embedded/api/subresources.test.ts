import { describe, expect, it } from 'vitest';
import {
  apiScene,
  definitions,
  deployment,
  deployments,
  pod,
  pods,
  widgetDefinition,
  widgets,
} from '../../../test/build/embedded-api.ts';
import type { EmbeddedApi, LogLine, LogSource, Target } from '../model/api.ts';
import type { JsonMap } from '../model/object.ts';

const SERVICES: Target = { group: '', version: 'v1', plural: 'services', namespace: 'default' };

function bind(api: EmbeddedApi, node = 'n'): void {
  const target = { kind: 'Node', name: node };
  api.create(pods('p', 'binding'), { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target });
}

describe('the scale of a workload', () => {
  const scale = (replicas: number, resourceVersion?: string): JsonMap => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'd', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    spec: { replicas },
  });

  it('is its number of replicas, read, written and patched', () => {
    const { api } = apiScene();
    api.create(deployments(), deployment('d'));
    expect(api.get(deployments('d', 'scale'))).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=d' },
    });
    api.update(deployments('d', 'scale'), scale(5));
    api.patch(deployments('d', 'scale'), { type: 'merge', body: { spec: { replicas: 6 } } });
    expect(api.get(deployments('d'))).toMatchObject({ metadata: { generation: 3 }, spec: { replicas: 6 } });
    api.patch(deployments('d', 'scale'), { type: 'apply', body: scale(7), force: true }, { fieldManager: 'me' });
    expect(api.get(deployments('d'))).toMatchObject({ spec: { replicas: 7 } });
  });

  it('is refused when it is wrong or out of date', () => {
    const { api } = apiScene();
    api.create(deployments(), deployment('d'));
    expect(() => api.update(deployments('d', 'scale'), scale(-1))).toThrow(/spec\.replicas: Invalid value: -1/);
    expect(() => api.update(deployments('d', 'scale'), scale(1, '1'))).toThrow(/the object has been modified/);
    expect(() => api.get(deployments('e', 'scale'))).toThrow('deployments.apps "e" not found');
  });

  it('lists who owned the replicas anew, also where they stay as they are', () => {
    const { api } = apiScene();
    const before = api.create(deployments(), deployment('d'), { fieldManager: 'me' }).object;
    api.patch(deployments('d', 'scale'), { type: 'merge', body: { spec: { replicas: 2 } } }, { fieldManager: 'other' });
    const { managedFields = [], resourceVersion } = api.get(deployments('d')).metadata;
    expect(resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect(managedFields.map(({ manager, time }) => [manager, time === undefined])).toEqual([
      ['me', true],
      ['me', false],
    ]);
    expect(managedFields[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('is not there where the kind has none', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    expect(() => api.get(widgets('w', 'v1', 'scale'))).toThrow('the server could not find the requested resource');
  });
});

describe('a pod', () => {
  it('is put on a node once', () => {
    const { api } = apiScene();
    api.create(pods(), pod('p'));
    bind(api);
    expect(api.get(pods('p'))).toMatchObject({
      metadata: { generation: 1 },
      spec: { nodeName: 'n' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(() => bind(api, 'm')).toThrow(
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    );
  });

  it('is evicted only as its disruption budget allows', () => {
    const { api } = apiScene();
    const budgets: Target = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', namespace: 'default' };
    api.create(pods(), pod('p'));
    bind(api);
    const conditions = [{ type: 'Ready', status: 'True' }];
    api.patch(pods('p', 'status'), { type: 'merge', body: { status: { phase: 'Running', conditions } } });
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'p' } } };
    api.create(budgets, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec });
    const evict = (): unknown =>
      api.create(pods('p', 'eviction'), { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
    expect(evict).toThrow(expect.objectContaining({ code: 429 }));
    const allowing = { status: { disruptionsAllowed: 1 } };
    api.patch({ ...budgets, name: 'b', subresource: 'status' }, { type: 'merge', body: allowing });
    evict();
    expect(api.get(pods('p')).metadata.deletionTimestamp).toBeDefined();
    expect(api.get({ ...budgets, name: 'b' })).toMatchObject({ status: { disruptionsAllowed: 0 } });
  });

  it('needs the account and the priority class that it names', () => {
    const { api } = apiScene();
    expect(() => api.create(pods(), pod('p', { serviceAccountName: 'x' }))).toThrow(
      'pods "p" is forbidden: error looking up service account default/x: serviceaccount "x" not found',
    );
    expect(() => api.create(pods(), pod('p', { priorityClassName: 'x' }))).toThrow(
      'no PriorityClass with name x was found',
    );
    const classes = { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses' };
    api.create(classes, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'x' },
      value: 7,
    });
    expect(api.create(pods(), pod('p', { priorityClassName: 'x' })).object).toMatchObject({ spec: { priority: 7 } });
  });
});

describe('the log of a pod', () => {
  const lines: readonly LogLine[] = ['one', 'two', 'three'].map((text, index) => ({
    time: Date.parse('2030-01-01T00:00:00Z') + index * 1000,
    text,
  }));
  const logs: LogSource = {
    lines: ({ previous }) => (previous ? undefined : lines),
    follow: (_target, onLine, onEnd) => {
      onLine({ time: 0, text: 'four' });
      onEnd();
      return { stop: () => undefined };
    },
  };

  function podOf(names: readonly string[]): EmbeddedApi {
    const { api } = apiScene({ logs });
    api.create(pods(), pod('p', { containers: names.map((name) => ({ name, image: 'registry.example.org/app:1' })) }));
    bind(api);
    return api;
  }

  it.each([
    [{}, 'one\ntwo\nthree\n'],
    [{ tailLines: 1 }, 'three\n'],
    [{ tailLines: 0 }, ''],
    [{ limitBytes: 5 }, 'one\nt'],
    [{ sinceTime: '2030-01-01T00:00:02Z' }, 'three\n'],
    [{ tailLines: 1, timestamps: true }, '2030-01-01T00:00:02.000000000Z three\n'],
  ])('with %j is %j', (options, text) => {
    expect(podOf(['app']).log(pods('p'), options).text).toBe(text);
  });

  it('goes on while it is followed', () => {
    const told: string[] = [];
    podOf(['app'])
      .log(pods('p'))
      .follow(
        (text) => told.push(text),
        () => told.push('end'),
      );
    expect(told).toEqual(['four\n', 'end']);
  });

  it.each([
    [['a', 'b'], {}, 'a container name must be specified for pod p, choose one of: [a b]'],
    [['a'], { container: 'c' }, 'container c is not valid for pod p'],
    [['a'], { previous: true }, 'previous terminated container "a" in pod "p" not found'],
  ])('of %j with %j is refused', (containers, options, message) => {
    expect(() => podOf(containers).log(pods('p'), options)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});

describe('a Service', () => {
  const service = (name: string, spec: JsonMap): JsonMap => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec,
  });
  const ports = [{ port: 80 }];

  it('has an address of its own, which is free when it is gone', () => {
    const { api } = apiScene();
    const ip = (name: string, spec: JsonMap = {}): unknown =>
      (api.create(SERVICES, service(name, { ports, ...spec })).object['spec'] as JsonMap)['clusterIP'];
    const first = ip('a');
    expect(ip('b')).not.toBe(first);
    expect(ip('c', { clusterIP: 'None' })).toBe('None');
    expect(() => ip('d', { clusterIP: first })).toThrow(/provided IP is already allocated/);
    expect(() => ip('d', { clusterIP: '1.2.3.4' })).toThrow(/does not match the current range/);
    api.delete({ ...SERVICES, name: 'a' });
    expect(ip('d', { clusterIP: first })).toBe(first);
  });

  it('has ports of the nodes, none of them twice', () => {
    const { api } = apiScene();
    const make = (name: string, nodePort?: number): unknown => {
      const own = nodePort === undefined ? ports : [{ port: 80, nodePort }];
      const { object } = api.create(SERVICES, service(name, { type: 'NodePort', ports: own }));
      return ((object['spec'] as JsonMap)['ports'] as readonly JsonMap[])[0]?.['nodePort'];
    };
    const first = make('a');
    expect(make('b')).not.toBe(first);
    expect(() => make('c', Number(first))).toThrow(
      /spec\.ports\[0\]\.nodePort: Invalid value: \d+: provided port is already allocated/,
    );
  });
});

describe('a question about rights', () => {
  it.each([
    ['authorization.k8s.io', 'selfsubjectaccessreviews', { allowed: true }],
    ['authorization.k8s.io', 'subjectaccessreviews', { allowed: true }],
    ['authorization.k8s.io', 'selfsubjectrulesreviews', { incomplete: false }],
    ['authentication.k8s.io', 'selfsubjectreviews', { userInfo: { username: 'admin' } }],
  ])('%s %s is answered yes', (group, plural, status) => {
    const { api } = apiScene();
    const target = { group, version: 'v1', plural };
    expect(api.create(target, { spec: {} }).object).toMatchObject({ status });
    expect(() => api.get({ ...target, name: 'x' })).toThrow(expect.objectContaining({ code: 405 }));
  });

  it('of a namespace is answered, too', () => {
    const { api } = apiScene();
    const target = {
      group: 'authorization.k8s.io',
      version: 'v1',
      plural: 'localsubjectaccessreviews',
      namespace: 'default',
    };
    expect(api.create(target, { spec: {} }).object).toMatchObject({ status: { allowed: true } });
  });
});

describe('a ServiceAccount', () => {
  it('gives out tokens for a time', () => {
    const { api } = apiScene();
    const accounts: Target = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'default' };
    api.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
    const { object } = api.create(
      { ...accounts, name: 'robot', subresource: 'token' },
      { spec: { expirationSeconds: 60 } },
    );
    expect(object).toMatchObject({
      status: { expirationTimestamp: '2030-01-01T00:01:00Z', token: expect.stringMatching(/^ey/) as string },
    });
  });
});
