import { describe, expect, it } from 'vitest';
import { apiScene, definitions, widget, widgetDefinition, widgets } from '../../../test/build/embedded-api.ts';
import { asArray, at } from '../../lib/json.ts';
import type { EmbeddedApi } from '../model/api.ts';
import { createEmbeddedApi } from './index.ts';

const NAME = 'widgets.shop.example.org';

function conditions(api: EmbeddedApi, name: string): readonly string[] {
  const all = asArray(at(api.get(definitions(name)), 'status', 'conditions'));
  return all.map((own) => `${String(at(own, 'type'))}=${String(at(own, 'status'))} ${String(at(own, 'reason'))}`);
}

describe('a CustomResourceDefinition', () => {
  it('is accepted, and its kind served, at once', () => {
    const { api } = apiScene();
    expect(api.resource(widgets())).toBeUndefined();
    const { object } = api.create(definitions(), widgetDefinition());
    expect(object['status']).toMatchObject({ storedVersions: ['v1'], conditions: null });
    expect(conditions(api, NAME)).toEqual(['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']);
    expect(api.resource(widgets())?.kind).toBe('Widget');
  });

  it('prunes, completes and judges what is made of its kind', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    const { object } = api.create(widgets(), widget('w', { size: 2, colour: 'red' }));
    expect(object['spec']).toEqual({ size: 2, color: 'red' });
    expect(object.metadata.generation).toBe(1);
    expect(() => api.create(widgets(), widget('x', { size: 0 }))).toThrow(
      'Widget.shop.example.org "x" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    );
    expect(api.list(widgets(), { fieldSelector: 'spec.color=red' }).items).toHaveLength(1);
  });

  it('serves one object in all its versions', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    const body = { ...widget('w', {}), apiVersion: 'shop.example.org/v2' };
    const { object } = api.create(widgets(undefined, 'v2'), body);
    expect([object.apiVersion, object['spec']]).toEqual(['shop.example.org/v2', { color: 'red' }]);
    expect(api.get(widgets('w'))).toMatchObject({ apiVersion: 'shop.example.org/v1', spec: { color: 'red' } });
    expect(() => api.create(widgets(), { ...widget('x'), apiVersion: 'shop.example.org/v2' })).toThrow(
      'the API version in the data (shop.example.org/v2) does not match the expected API version (shop.example.org/v1)',
    );
  });

  it('shows what is stored by the schema that it has now', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    api.create(widgets(), widget('w', { size: 2 }));
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';
    const operations = [
      { op: 'add', path: `${path}/shape`, value: { type: 'string', default: 'round' } },
      { op: 'remove', path: `${path}/size` },
    ];
    api.patch(definitions(NAME), { type: 'json', body: operations });
    expect(api.get(widgets('w'))['spec']).toEqual({ color: 'red', shape: 'round' });
  });

  it('shows each version by its own schema', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    api.create(widgets(), widget('w', { size: 2 }));
    const shape = { type: 'string', default: 'round' };
    const spec = { type: 'object', properties: { color: { type: 'string' }, shape } };
    const value = { type: 'object', properties: { spec } };
    const path = '/spec/versions/1/schema/openAPIV3Schema';
    api.patch(definitions(NAME), { type: 'json', body: [{ op: 'replace', path, value }] });
    expect(api.get(widgets('w', 'v2'))['spec']).toEqual({ color: 'red', shape: 'round' });
    expect(api.get(widgets('w'))['spec']).toEqual({ color: 'red', size: 2 });
  });

  it('remembers the versions in which objects were kept', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    const operations = [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'replace', path: '/spec/versions/1/storage', value: true },
    ];
    const { object } = api.patch(definitions(NAME), { type: 'json', body: operations });
    expect(object['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
  });

  it('waits for a name that another one has', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    api.create(definitions(), widgetDefinition('gadgets', 'Widget'));
    expect(conditions(api, 'gadgets.shop.example.org')).toEqual([
      'NamesAccepted=False ListKindConflict',
      'Established=False NotAccepted',
    ]);
    const gadgets = { ...widgets(), plural: 'gadgets' };
    expect(api.resource(gadgets)).toBeUndefined();
    api.delete(definitions(NAME));
    expect(conditions(api, 'gadgets.shop.example.org')).toEqual([
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
    expect(api.resource(gadgets)?.kind).toBe('Widget');
  });

  it('goes when its last instance has gone, and lets none in until then', async () => {
    const { api, clock } = apiScene();
    api.create(definitions(), widgetDefinition());
    api.create(widgets(), widget('free'));
    api.create(widgets(), widget('held', {}, { finalizers: ['example.org/hold'] }));
    expect(api.delete(definitions(NAME)).metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect(conditions(api, NAME)).toContain('Terminating=True InstanceDeletionInProgress');
    expect(api.list(widgets()).items.map(({ metadata }) => metadata.name)).toEqual(['held']);
    expect(() => api.create(widgets(), widget('late'))).toThrow(
      /not allowed while custom resource definition is terminating/,
    );
    api.patch(widgets('held'), { type: 'merge', body: { metadata: { finalizers: null } } });
    await clock.advance(10_000);
    expect(() => api.get(definitions(NAME))).toThrow(/not found/);
    expect(() => api.list(widgets())).toThrow('the server could not find the requested resource');
  });

  it('that was about to go when everything was taken over goes there', async () => {
    const { clock } = apiScene();
    const options = { clock, random: () => 0.5 };
    const first = createEmbeddedApi(options);
    first.create(definitions(), widgetDefinition());
    first.create(widgets(), widget('free'));
    first.delete(definitions(NAME));
    const next = createEmbeddedApi({ ...options, content: first.content() });
    await clock.advance(10_000);
    expect(next.get(definitions(NAME)).metadata.deletionTimestamp).toBeDefined();
    next.goOn();
    await clock.advance(10_000);
    expect(() => next.get(definitions(NAME))).toThrow(/not found/);
  });

  it('is served, and served no more, where what was done to it is repeated', () => {
    const { clock } = apiScene();
    const options = { clock, random: () => 0.5 };
    const [first, next] = [createEmbeddedApi(options), createEmbeddedApi(options)];
    first.observe((change) => {
      next.repeat(change);
    });
    first.create(definitions(), widgetDefinition());
    expect(next.resource(widgets())?.kind).toBe('Widget');
    first.delete(definitions(NAME));
    expect(next.resource(widgets())).toBeUndefined();
    expect(next.revision()).toBe(first.revision());
  });

  it('that is made again has none of the objects of before', async () => {
    const { api, clock } = apiScene();
    api.create(definitions(), widgetDefinition());
    api.create(widgets(), widget('w'));
    api.delete(definitions(NAME));
    await clock.advance(10_000);
    api.create(definitions(), widgetDefinition());
    expect(api.list(widgets()).items).toEqual([]);
  });
});
