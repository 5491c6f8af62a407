import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { API_VERSION } from '../../src/api/names.ts';
import { SEARCH_LIMITS } from '../../src/domain/resolve/solve/request.ts';
import { writeYaml } from '../../src/lib/yaml.ts';
import { answering, shopSource, shopWorld, WELL } from '../build/shop-world.ts';
import { aRequirement } from '../build/version-request.ts';

const page = readFileSync(new URL('../../docs/guides/resolving.md', import.meta.url), 'utf8');

function source(what: string, ...requires: readonly string[]): KubeObject {
  const [name = '', version = ''] = what.split(' ');
  return shopSource({ version, variants: [{ name: 'default', requires: requires.map(aRequirement) }] }, name);
}

function running(what: string): KubeObject {
  const [name = '', version = ''] = what.split(' ');
  const spec = { variant: 'default', revisionHistoryLimit: 10 };
  return { apiVersion: API_VERSION, kind: 'Package', metadata: { name, generation: 1 }, spec, status: { version } };
}

/** What a person sees of a command. */
async function shown(cluster: readonly KubeObject[], given: readonly KubeObject[], word: string): Promise<string> {
  const world = shopWorld();
  answering(world, WELL);
  for (const object of cluster) world.cluster.set(object);
  world.files.set('given.yaml', given.map((object) => `---\n${writeYaml(object)}`).join(''));
  await world.run('install', word, '--no-wait', ...(given.length > 0 ? ['-f', 'given.yaml'] : []));
  return world.stderr.text;
}

function unwrapped(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const SHOP_2 = source('shop 2.0.0', 'base >=2');
const BASE_2 = source('base 2.1.0');
const BASE_RUNS = [source('base 1.4.0'), running('base 1.4.0')];

describe('the page on resolving shows what is shown', () => {
  it.each<readonly [string, readonly KubeObject[], readonly KubeObject[], string]>([
    ['who brings a package in', [source('shop 1.0.0', 'base'), source('base 1.4.0')], [], 'shop'],
    ['what else a file changes', BASE_RUNS, [SHOP_2, BASE_2], 'shop'],
    [
      'who wants what',
      [...BASE_RUNS, source('billing 1.0.0', 'base <2'), running('billing 1.0.0')],
      [SHOP_2, BASE_2],
      'shop',
    ],
    ['what nothing on offer meets', [source('shop 1.0.0', 'bsae'), source('base 1.4.0')], [], 'shop'],
    ['that it does not go back', [BASE_2, running('base 2.1.0')], [source('base 1.4.0')], 'base'],
    ['that it goes back when asked', [BASE_2, running('base 2.1.0')], [source('base 1.4.0')], 'base@1.4.0'],
  ])('%s', async (_what, cluster, given, word) => {
    const text = await shown(cluster, given, word);
    expect(unwrapped(page)).toContain(unwrapped(text));
  });

  it('names the limit', () => {
    expect(page).toContain(`${SEARCH_LIMITS.steps.toLocaleString('en')} choices`);
  });
});
