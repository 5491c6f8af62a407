import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../../test/build/objects.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DesiredPackage } from './desired.ts';
import { withAcceptedValues } from './platform-values.ts';
import { resolvePackage } from './resolve-package.ts';

const PLATFORM = { global: { registry: 'mirror.example.org', tls: true }, proxy: 'http://proxy.example.org' };
const COMPONENTS = [aComponent('app'), aComponent('migrate', { phase: 'PreUpgrade' })];

function desiredOf(
  own: JsonObject = {},
  platformValues: JsonObject | undefined = PLATFORM,
  skip = false,
): DesiredPackage {
  const source = aSource(COMPONENTS);
  const annotations = skip ? { 'kubepkg.dev/skip-platform-values': 'true' } : {};
  const resolution = resolvePackage(
    aPackage({ components: { app: { values: own } } }),
    { ...source, metadata: { ...source.metadata, annotations } },
    { defaultBackend: 'helm', platformValues },
  );
  if (resolution.kind !== 'resolved') throw new Error(resolution.message);
  return resolution.desired;
}

const valuesOf = ({ components }: DesiredPackage): JsonObject | undefined => components[0]?.values;

describe("the platform's values", () => {
  it('go under those of every component, hooks too', () => {
    const { components, hooks } = desiredOf();
    expect([...components, ...hooks].map(({ values }) => values)).toEqual([PLATFORM, PLATFORM]);
  });

  it('merge deeply with those of the user, who has the last word', () => {
    expect(valuesOf(desiredOf({ global: { tls: false }, proxy: null }))).toEqual({
      global: { registry: 'mirror.example.org', tls: false },
      proxy: null,
    });
  });

  it('are left out where the source says so', () => {
    expect(valuesOf(desiredOf({ a: 1 }, PLATFORM, true))).toEqual({ a: 1 });
  });

  it('make another desired state when they change, and the same when they do not', () => {
    const digests = [PLATFORM, { ...PLATFORM }, { ...PLATFORM, proxy: 'none' }, {}, undefined].map(
      (platform) => desiredOf({}, platform ?? {}).digest,
    );
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
    expect(digests[4]).toBe(digests[3]);
  });

  it.each<[string, JsonObject, readonly string[] | undefined, readonly string[]]>([
    ['all to a chart that takes any', {}, undefined, ['global', 'proxy']],
    ['only what a strict chart knows', {}, ['global', 'image'], ['global']],
    ['nothing to a chart that takes nothing', {}, [], []],
    [
      'and what the user wrote, whatever the chart says of it',
      { proxy: 'mine', other: 1 },
      ['global'],
      ['global', 'proxy', 'other'],
    ],
  ])('reach a chart: %s', (_say, own, keys, expected) => {
    const accepted = withAcceptedValues(desiredOf(own), (name) => (name === 'app' ? keys : undefined));
    expect(Object.keys(valuesOf(accepted) ?? {}).sort()).toEqual([...expected].sort());
    expect(accepted.hooks[0]?.values).toEqual(PLATFORM);
  });
});
