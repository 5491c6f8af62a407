import { describe, expect, it } from 'vitest';
import {
  apiScene,
  configMap,
  configMaps,
  definitions,
  deployment,
  deployments,
  widget,
  widgetDefinition,
  widgets,
} from '../../../test/build/embedded-api.ts';
import type { Patch } from '../model/api.ts';
import { StatusError } from '../model/status-error.ts';

const STRICT = { fieldValidation: 'Strict' } as const;

describe('a new object', () => {
  it('gets what every object has', () => {
    const { api } = apiScene();
    const { object, created } = api.create(configMaps(), configMap('a'), { fieldManager: 'me' });
    expect(created).toBe(true);
    expect(object.metadata).toMatchObject({
      namespace: 'default',
      uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      creationTimestamp: '2030-01-01T00:00:00Z',
      managedFields: [{ manager: 'me', operation: 'Update', time: '2030-01-01T00:00:00Z' }],
    });
    expect(object.metadata).not.toHaveProperty('generation');
  });

  it('gets a name of its own where only its beginning is given', () => {
    const { api } = apiScene();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'job-' } };
    const names = [1, 2].map(() => api.create(configMaps(), body).object.metadata.name);
    expect(names).toEqual([expect.stringMatching(/^job-[b-z0-9]{5}$/), expect.stringMatching(/^job-/)]);
    expect(names[0]).not.toBe(names[1]);
  });

  it('has no status of who makes it', () => {
    const { api } = apiScene();
    const { object } = api.create(deployments(), { ...deployment('d'), status: { replicas: 7 } });
    expect([object['status'], object.metadata.generation]).toEqual([{}, 1]);
  });

  it.each([
    [
      'in a namespace that is not there',
      configMaps(undefined, 'nowhere'),
      configMap('a'),
      'NotFound',
      'namespaces "nowhere" not found',
    ],
    [
      'of another kind',
      configMaps(),
      { ...configMap('a'), kind: 'Secret' },
      'BadRequest',
      expect.stringMatching(/cannot be handled as a ConfigMap/) as string,
    ],
    [
      'of another namespace',
      configMaps(),
      configMap('a', {}, { namespace: 'b' }),
      'BadRequest',
      expect.stringMatching(/does not match the namespace/) as string,
    ],
    [
      'with a version',
      configMaps(),
      configMap('a', {}, { resourceVersion: '5' }),
      '',
      'resourceVersion should not be set on objects to be created',
    ],
    [
      'without a name',
      configMaps(),
      configMap(''),
      'Invalid',
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'of a kind that is not served',
      { group: 'x.org', version: 'v1', plural: 'xs' },
      {},
      'NotFound',
      'the server could not find the requested resource',
    ],
  ])('%s is refused', (_what, target, body, reason, message) => {
    const { api } = apiScene();
    expect(() => api.create(target, body)).toThrow(expect.objectContaining({ reason, message }));
  });

  it('that is there already is refused, also when it is on its way out', () => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('a', {}, { finalizers: ['example.org/hold'] }));
    const again = (): unknown => api.create(configMaps(), configMap('a'));
    expect(again).toThrow('configmaps "a" already exists');
    api.delete(configMaps('a'));
    expect(again).toThrow('object is being deleted: configmaps "a" already exists');
  });

  it('with fields that nobody knows is told of, or refused', () => {
    const { api } = apiScene();
    const body = { ...configMap('a'), colour: 'red' };
    expect(() => api.create(configMaps(), body, STRICT)).toThrow('strict decoding error: unknown field "colour"');
    expect(api.create(configMaps(), body, { fieldValidation: 'Ignore', dryRun: true }).warnings).toEqual([]);
    const { object, warnings } = api.create(configMaps(), body);
    expect([warnings, object]).toEqual([['unknown field "colour"'], expect.not.objectContaining({ colour: 'red' })]);
  });

  it('is judged by the hook, which may refuse it', () => {
    const { api } = apiScene({
      admit: ({ operation, object }) => {
        const { name = '' } = (object?.['metadata'] ?? {}) as { readonly name?: string };
        if (name === 'no') throw new StatusError('Forbidden', `${operation} denied`);
      },
    });
    expect(() => api.create(configMaps(), configMap('no'))).toThrow('CREATE denied');
    expect(api.list(configMaps()).items).toEqual([]);
  });
});

describe('a change', () => {
  it('of an older version is refused', () => {
    const { api } = apiScene();
    const { object } = api.create(configMaps(), configMap('a'));
    api.update(configMaps('a'), { ...object, data: { color: 'blue' } });
    expect(() => api.update(configMaps('a'), { ...object, data: { color: 'green' } })).toThrow(
      expect.objectContaining({
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: 'a', kind: 'configmaps' },
      }),
    );
  });

  it('that changes nothing is none, whenever and by whomever it is sent', async () => {
    const { api, clock } = apiScene();
    const { object } = api.create(configMaps(), configMap('a'), { fieldManager: 'me' });
    await clock.advance(5000);
    expect(api.update(configMaps('a'), object, { fieldManager: 'me' }).object).toEqual(object);
    expect(api.patch(configMaps('a'), { type: 'merge', body: {} }, { fieldManager: 'me' }).object).toEqual(object);
  });

  it('tried out is answered and not made', () => {
    const { api } = apiScene();
    const { object } = api.create(configMaps(), configMap('a'));
    const patch: Patch = { type: 'merge', body: { data: { color: 'blue' } } };
    expect(api.patch(configMaps('a'), patch, { dryRun: true }).object).toMatchObject({ data: { color: 'blue' } });
    expect(api.get(configMaps('a'))).toEqual(object);
  });

  it('of the spec counts as a generation, one of the status does not', () => {
    const { api } = apiScene();
    api.create(deployments(), deployment('d'));
    const generations = (
      [
        [deployments('d', 'status'), { spec: { replicas: 9 }, status: { replicas: 1 } }],
        [deployments('d'), { metadata: { labels: { a: 'b' } } }],
        [deployments('d'), { metadata: { annotations: { a: 'b' } } }],
        [deployments('d'), { spec: { replicas: 3 }, status: { replicas: 5 } }],
      ] as const
    ).map(([target, body]) => api.patch(target, { type: 'merge', body }).object.metadata.generation);
    expect(generations).toEqual([1, 1, 2, 3]);
    expect(api.get(deployments('d'))).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 1 } });
  });

  it('of a custom object needs a version where it replaces the whole', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    api.create(widgets(), widget('w'));
    expect(() => api.update(widgets('w'), widget('w', { size: 2 }))).toThrow(
      /metadata\.resourceVersion: Invalid value/,
    );
    const body = { metadata: { labels: { a: 'b' } }, spec: { size: 5 }, status: { phase: 'Ready' } };
    const { object } = api.patch(widgets('w', 'v1', 'status'), { type: 'merge', body });
    expect(object).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1 }, status: { phase: 'Ready' } });
    expect(object.metadata).not.toHaveProperty('labels');
  });

  it('cannot give an object another identity', () => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('a'));
    const body = { metadata: { uid: 'x' } };
    expect(() => api.patch(configMaps('a'), { type: 'merge', body })).toThrow(
      'ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable',
    );
    expect(() => api.update(configMaps('a'), configMap('a', {}, body.metadata))).toThrow(
      /Precondition failed: UID in precondition: x, UID in object meta: /,
    );
  });

  it('that takes the last finalizer away is answered in the version before', () => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('a', {}, { finalizers: ['example.org/a'] }));
    const { resourceVersion } = api.delete(configMaps('a')).metadata;
    const { object } = api.patch(configMaps('a'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(object.metadata).toMatchObject({ resourceVersion });
    expect(object.metadata).not.toHaveProperty('finalizers');
    expect(() => api.get(configMaps('a'))).toThrow('configmaps "a" not found');
  });

  it('that leaves no object of the kind is the fault of the patch', () => {
    const { api } = apiScene();
    api.create(deployments(), deployment('d'));
    const patch: Patch = { type: 'merge', body: { spec: { replicas: 'two' } } };
    expect(() => api.patch(deployments('d'), patch)).toThrow(
      expect.objectContaining({
        reason: 'Invalid',
        message: expect.stringMatching(/patch: Invalid value: .*replicas of type int32/) as string,
      }),
    );
  });

  it('makes what is not there for some kinds alone', () => {
    const { api } = apiScene();
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };
    const leases = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', namespace: 'default', name: 'l' };
    expect(api.update(leases, lease).created).toBe(true);
    expect(() => api.update(configMaps('a'), configMap('a'))).toThrow('configmaps "a" not found');
  });
});

describe('an apply', () => {
  const apply = (color: string, force = false): Patch => ({ type: 'apply', body: configMap('a', { color }), force });

  it('makes the object, changes it, and minds who owns what', () => {
    const { api } = apiScene();
    expect(api.patch(configMaps('a'), apply('red'), { fieldManager: 'one' })).toMatchObject({ created: true });
    expect(() => api.patch(configMaps('a'), apply('blue'), { fieldManager: 'two' })).toThrow(
      'Apply failed with 1 conflict: conflict with "one": .data.color',
    );
    const taken = api.patch(configMaps('a'), apply('blue', true), { fieldManager: 'two' });
    expect([taken.created, taken.object['data']]).toEqual([false, { color: 'blue' }]);
  });

  it('of nothing new writes nothing', async () => {
    const { api, clock } = apiScene();
    const { object } = api.patch(configMaps('a'), apply('red'), { fieldManager: 'one' });
    await clock.advance(5000);
    expect(api.patch(configMaps('a'), apply('red'), { fieldManager: 'one' }).object).toEqual(object);
  });

  it.each([
    ['of another version', { ...configMap('a'), apiVersion: 'v2' }, /invalid object type: \/v2, Kind=ConfigMap/],
    ['of another name', configMap('b'), /does not match the name on the URL/],
    ['with a uid of something that is not there', configMap('a', {}, { uid: 'x' }), /uid mismatch/],
    ['with managed fields', configMap('a', {}, { managedFields: [{}] }), /metadata\.managedFields must be nil/],
  ])('%s is refused', (_what, body, message) => {
    const { api } = apiScene();
    expect(() => api.patch(configMaps('a'), { type: 'apply', body }, { fieldManager: 'one' })).toThrow(message);
  });
});
