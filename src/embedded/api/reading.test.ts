import { describe, expect, it } from 'vitest';
import {
  apiScene,
  configMap,
  configMaps,
  definitions,
  follow,
  widget,
  widgetDefinition,
  widgets,
} from '../../../test/build/embedded-api.ts';
import type { EmbeddedApi } from '../model/api.ts';
import type { StatusError } from '../model/status-error.ts';

function fill(api: EmbeddedApi, count: number): void {
  for (let index = 0; index < count; index += 1) api.create(configMaps(), configMap(`c${String(index)}`));
}

function refusal(action: () => unknown): StatusError {
  try {
    action();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('it was not refused');
}

const names = (page: {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}): readonly string[] => page.items.map(({ metadata }) => metadata.name);

describe('a list', () => {
  it('in pages is of one moment, whatever changes in between', () => {
    const { api } = apiScene();
    fill(api, 5);
    const first = api.list(configMaps(), { limit: 2 });
    expect([names(first), first.remainingItemCount]).toEqual([['c0', 'c1'], 3]);
    api.delete(configMaps('c3'));
    api.create(configMaps(), configMap('c2a'));
    const second = api.list(configMaps(), { limit: 2, continue: first.continue ?? '' });
    expect([names(second), second.resourceVersion]).toEqual([['c2', 'c3'], first.resourceVersion]);
    const last = api.list(configMaps(), { limit: 2, continue: second.continue ?? '' });
    expect([names(last), last.continue]).toEqual([['c4'], undefined]);
  });

  it('whose moment is forgotten is refused with a token that goes on at what there is now', () => {
    const { api } = apiScene({ history: 5 });
    fill(api, 3);
    const first = api.list(configMaps(), { limit: 1 });
    for (let index = 0; index < 10; index += 1)
      api.patch(configMaps('c2'), { type: 'merge', body: { data: { a: String(index) } } });
    const expired = refusal(() => api.list(configMaps(), { limit: 1, continue: first.continue ?? '' }));
    expect([expired.code, expired.reason]).toEqual([410, 'Expired']);
    const { metadata } = expired.toJson() as { readonly metadata: { readonly continue: string } };
    expect(names(api.list(configMaps(), { continue: metadata.continue }))).toEqual(['c1', 'c2']);
  });

  it('does not count what selectors would find in the rest', () => {
    const { api } = apiScene();
    for (const name of ['a', 'b']) api.create(configMaps(), configMap(name, {}, { labels: { x: 'y' } }));
    expect(api.list(configMaps(), { limit: 1, labelSelector: 'x=y' })).not.toHaveProperty('remainingItemCount');
  });

  it('is of the version that is asked for exactly', () => {
    const { api } = apiScene();
    fill(api, 1);
    const { resourceVersion } = api.list(configMaps());
    fill(apiScene().api, 1);
    api.create(configMaps(), configMap('later'));
    expect(names(api.list(configMaps(), { resourceVersion, resourceVersionMatch: 'Exact' }))).toEqual(['c0']);
    expect(names(api.list(configMaps(), { resourceVersion, resourceVersionMatch: 'NotOlderThan' }))).toEqual([
      'c0',
      'later',
    ]);
  });

  it.each([
    [{ resourceVersion: '99999' }, 504],
    [{ resourceVersion: 'x' }, 400],
    [{ continue: 'x' }, 400],
    [{ resourceVersionMatch: 'Exact' }, 422],
  ] as const)('with %j is refused with %d', (options, code) => {
    const { api } = apiScene();
    expect(refusal(() => api.list(configMaps(), options)).code).toBe(code);
  });
});

describe('a watch', () => {
  it('tells what is there, then what changes', () => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('old'));
    const told = follow(api, configMaps());
    api.create(configMaps(), configMap('new'));
    api.create(configMaps(undefined, 'kube-system'), configMap('elsewhere'));
    api.patch(configMaps('new'), { type: 'merge', body: { data: { color: 'blue' } } });
    api.delete(configMaps('old'));
    expect(told).toEqual(['ADDED old', 'ADDED new', 'MODIFIED new', 'DELETED old']);
  });

  it('resumes after a version, and is told when that is too long ago', () => {
    const { api } = apiScene({ history: 3 });
    const { object } = api.create(configMaps(), configMap('a'));
    api.create(configMaps(), configMap('b'));
    expect(follow(api, configMaps(), { resourceVersion: object.metadata.resourceVersion })).toEqual(['ADDED b']);
    fill(api, 5);
    const { resourceVersion } = object.metadata;
    expect(refusal(() => follow(api, configMaps(), { resourceVersion }))).toMatchObject({
      reason: 'Expired',
      message: expect.stringMatching(/^too old resource version: /) as string,
    });
  });

  it('sees what enters and leaves its selection come and go', () => {
    const { api } = apiScene();
    const told = follow(api, configMaps(), { labelSelector: 'team=a' });
    api.create(configMaps(), configMap('x', {}, { labels: { team: 'b' } }));
    for (const team of ['a', 'b'])
      api.patch(configMaps('x'), { type: 'merge', body: { metadata: { labels: { team } } } });
    expect(told).toEqual(['ADDED x', 'DELETED x']);
  });

  it('says where the beginning ends, and how far it has come', () => {
    const { api } = apiScene();
    api.create(configMaps(), configMap('a'));
    const bookmarks: unknown[] = [];
    const watch = api.watch(configMaps(), { sendInitialEvents: true, allowBookmarks: true }, (event) => {
      if (event.type === 'BOOKMARK') bookmarks.push(event.object['metadata']);
    });
    api.create(configMaps(undefined, 'kube-system'), configMap('b'));
    watch.bookmark();
    const { resourceVersion } = api.list(configMaps());
    expect(bookmarks).toMatchObject([{ annotations: { 'k8s.io/initial-events-end': 'true' } }, { resourceVersion }]);
  });

  it('of one object tells of no other', () => {
    const { api } = apiScene();
    const told = follow(api, configMaps('mine'));
    api.create(configMaps(), configMap('other'));
    api.create(configMaps(), configMap('mine'));
    expect(told).toEqual(['ADDED mine']);
  });

  it('ends when its kind is not served any more, and tells nothing after it was stopped', () => {
    const { api } = apiScene();
    api.create(definitions(), widgetDefinition());
    const told: string[] = [];
    const watch = api.watch(widgets(), { onEnd: () => told.push('end') }, ({ type }) => told.push(type));
    api.watch(widgets(), {}, () => told.push('stopped')).stop();
    api.create(widgets(), widget('w'));
    api.delete(widgets('w'));
    api.delete(definitions('widgets.shop.example.org'));
    expect(told).toEqual(['ADDED', 'DELETED', 'end']);
    watch.stop();
  });
});
