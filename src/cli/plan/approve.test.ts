import { describe, expect, it } from 'vitest';
import { aPackagePlan } from '../../../test/build/plans.ts';
import type { PlanInputs } from '../../domain/plan/plan.ts';
import { componentFacts, kubeObject, planFacts } from '../../../test/build/plan-facts.ts';
import { shopWorld } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../../api/errors.ts';
import { tryRelease } from '../../compose/plan-objects.ts';
import { Unread } from '../../compose/plan-unread.ts';
import { StillCluster } from '../../compose/still-cluster.ts';
import { predict } from '../../domain/plan/predictions/predictions.ts';
import { approvedInstall, differencesBetween, inputOf, parseSavedPlan, refuseOutdated, savedPlan } from './approve.ts';

const PACKAGE = {
  apiVersion: 'kubepkg.dev/v1',
  kind: 'Package',
  metadata: { name: 'shop' },
  spec: { variant: 'default' },
};
const WANTED = {
  sources: [],
  packages: [{ name: 'shop', before: undefined, apply: PACKAGE, after: PACKAGE }],
  changes: [],
  chosen: [],
};
const RESULT = { cluster: 'uid-of-cluster', packages: [aPackagePlan()] };
const saved = savedPlan(RESULT, WANTED, { plainHttp: false });
const text = JSON.stringify(saved, null, 2);

function changed(inputs: Partial<PlanInputs>): typeof RESULT {
  return { ...RESULT, packages: [aPackagePlan({ inputs: { ...aPackagePlan().inputs, ...inputs } })] };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('a saved plan', () => {
  it('is read back as it was saved, and approves the same', () => {
    expect(parseSavedPlan(text, 'shop.plan')).toEqual(JSON.parse(text));
    expect(() => {
      refuseOutdated(parseSavedPlan(text, 'shop.plan'), RESULT);
    }).not.toThrow();
  });

  it('asks for what is to be written, and nothing more', () => {
    expect(inputOf(parseSavedPlan(text, 'shop.plan'), 1000)).toEqual({
      names: ['shop'],
      manifests: { sources: [], packages: [PACKAGE] },
      settings: new Map([['shop', { values: {} }]]),
      waitMs: 1000,
    });
  });

  it.each([
    ['no JSON', 'kind: Plan', 'InvalidInput', 'is not a saved plan'],
    ['another object', '{"kind": "Package"}', 'InvalidInput', 'is not a saved plan'],
    [
      'a plan that was only printed',
      JSON.stringify({ ...saved, apply: undefined }),
      'InvalidInput',
      'not a saved plan',
    ],
    ['edited', text.replace('1.1.0', '1.2.0'), 'InvalidInput', 'was changed after it was saved'],
    ['of another version', text.replace('kubepkg.dev/v1', 'kubepkg.dev/v9'), 'Unsupported', 'a plan of kubepkg.dev/v9'],
  ])('is refused when it is %s', (_what, content, code, message) => {
    const read = (): unknown => parseSavedPlan(content, 'shop.plan');
    expect(read).toThrow(expect.objectContaining({ code }));
    expect(read).toThrow(message);
  });

  it.each<[string, Partial<PlanInputs>, string]>([
    ['the chart', { charts: { store: 'sha256:other' } }, 'the chart of component store has changed'],
    ['a chart that is new', { charts: { store: 'sha256:chart', app: 'x' } }, 'the chart of component app has changed'],
    ['the values', { values: { store: 'sha256:other' } }, 'the values of component store have changed'],
    [
      'what is installed',
      { installed: '1 Superseded, 2 Applied' },
      'its revisions are 1 Superseded, 2 Applied instead of',
    ],
    ['a CRD', { crds: { 'things.example.org': '18' } }, 'CustomResourceDefinition things.example.org has changed'],
    ['a dependency', { requires: { db: '2.0.0' } }, 'the required package db is at version 2.0.0 now'],
    ['a dependency that is gone', { requires: { db: '' } }, 'the required package db is not applied now'],
    ['the source', { source: { generation: 3, spec: 'sha256:source' } }, 'its PackageSource has changed'],
    ['the Package', { package: { uid: 'uid-shop', generation: 4, spec: 'x' } }, 'the Package has changed'],
    ['anything else that is wanted', { desired: 'sha256:other' }, 'what is wanted has changed'],
  ])('is refused after a change of %s, which is named', (_what, inputs, message) => {
    const differences = differencesBetween(saved, changed(inputs));
    expect(differences).toHaveLength(1);
    expect(differences[0]).toContain(message);
    expect(() => {
      refuseOutdated(saved, changed(inputs));
    }).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });

  it('P18 is neither made for a cluster nor carried out on one that nothing tells from others', () => {
    const nowhere = { ...RESULT, cluster: '' };
    const forbidden = expect.objectContaining({ code: 'ApiForbidden' }) as Error;
    expect(() => savedPlan(nowhere, WANTED, { plainHttp: false })).toThrow(forbidden);
    expect(() => {
      refuseOutdated({ ...saved, cluster: '' }, nowhere);
    }).toThrow(forbidden);
  });

  it('is refused by another cluster, and where other steps would be taken', () => {
    expect(differencesBetween(saved, { ...RESULT, cluster: 'uid-of-another' })).toEqual([
      'it was made for another cluster',
    ]);
    const fewer = { ...RESULT, packages: [aPackagePlan({ steps: [] })] };
    expect(differencesBetween(saved, fewer)).toEqual(['package shop: other steps would be taken']);
    expect(differencesBetween(saved, { ...RESULT, packages: [] })).toEqual(['package shop is not planned any more']);
  });

  it.each([
    ['was carried out', {}, 'the plan was carried out already: shop'],
    ['was carried out, and something else is wanted now', { desired: 'sha256:other' }, 'is out of date'],
  ])('is refused with that word where it %s', (_say, inputs, message) => {
    const done = changed({ installed: '1 Superseded, 2 Applied', ...inputs }).packages.map((plan) => ({
      ...plan,
      steps: [],
      end: { kind: 'converged', reason: 'ReconciliationSucceeded', message: 'all is well' } as const,
    }));
    expect(() => {
      refuseOutdated(saved, { ...RESULT, packages: done });
    }).toThrow(message);
  });

  it('is refused where a package would be installed that it does not have, such as one that was removed since', () => {
    const base = aPackagePlan({ name: 'base', change: 'install' });
    const now = { ...RESULT, packages: [base, ...RESULT.packages] };
    expect(differencesBetween(saved, now)).toEqual(['package base would be installed as well']);
    expect(() => {
      refuseOutdated(saved, now);
    }).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });

  it('I10 holds nothing of a Secret, and the values of a Package once: as they are to be written', async () => {
    const password = 'hunter22!!';
    const objects = [
      `{ apiVersion: v1, kind: Secret, metadata: { name: a, namespace: shop }, data: { key: ${base64(password)} } }`,
      `{ apiVersion: v1, kind: Secret, metadata: { name: b, namespace: shop }, stringData: { key: "${password}" } }`,
      `{ apiVersion: v1, kind: ConfigMap, metadata: { name: c, namespace: shop }, data: { key: "${password}" } }`,
    ].map((text) => kubeObject(text));
    const cluster = new MemoryCluster();
    cluster.before = ({ verb }) => {
      if (verb !== 'read') throw new KubepkgError('ApiInvalid', `Invalid value: "${password}"`);
    };
    const eyes = { live: cluster, still: new StillCluster(cluster), unread: new Unread() };
    const tried = await tryRelease(eyes, { component: 'store', objects, former: [], secretValues: [] });
    const findings = predict(planFacts([componentFacts(tried.facts)]));
    expect(tried.plans.map(({ change }) => change)).toEqual(['created', 'created', 'created']);
    expect(findings.map(({ code }) => code)).toContain('Refused');
    const spec = { components: { store: { values: { title: 'Corner shop' } } } };
    const wanted = { ...PACKAGE, spec };
    const plan = { ...RESULT, packages: [aPackagePlan({ objects: tried.plans, findings })] };
    const packages = [{ name: 'shop', before: undefined, apply: wanted, after: wanted }];
    const written = JSON.stringify(savedPlan(plan, { sources: [], packages }, { plainHttp: false }));
    expect(written).not.toContain(password);
    expect(written).not.toContain(base64(password));
    expect(written.split('Corner shop')).toHaveLength(2);
    expect(Object.keys(saved)).toEqual(['apiVersion', 'kind', 'cluster', 'packages', 'apply', 'settings', 'seal']);
  });
});

describe('the approval of a saved plan', () => {
  async function saving(): Promise<CliWorld> {
    const world = shopWorld();
    world.plan = () => Promise.resolve(RESULT);
    await world.run('plan', 'shop@>=1', '--save', 'shop.plan');
    return world;
  }

  function approve(world: CliWorld): ReturnType<typeof approvedInstall> {
    const target = { cluster: world.cluster };
    return approvedInstall(world.host(), { file: 'shop.plan', target, places: {}, waitMs: 1000 });
  }

  it('gives what was asked for when it was saved, and writes nothing', async () => {
    const world = await saving();
    const { packages } = await approve(world);
    expect(packages.map(({ apply }) => apply['spec'])).toEqual([{ version: '>=1' }]);
    expect(world.cluster.written()).toEqual([]);
  });

  it('is refused when a plan made now is another one', async () => {
    const world = await saving();
    world.plan = () => Promise.resolve(changed({ charts: { store: 'sha256:other' } }));
    await expect(approve(world)).rejects.toThrow('the chart of component store has changed');
  });

  it('is refused when there is no such file', async () => {
    const world = await saving();
    world.files.delete('shop.plan');
    await expect(approve(world)).rejects.toThrow('there is no such file');
  });
});
