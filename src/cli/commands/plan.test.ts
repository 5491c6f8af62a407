import { describe, expect, it } from 'vitest';
import { aPackagePlan } from '../../../test/build/plans.ts';
import { shopWorld } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import type { PlanSettings } from '../../compose/create-plan.ts';
import type { PlanRequest } from '../../compose/planning.ts';
import type { PackagePlan } from '../../domain/plan/plan.ts';
import { textWidth } from '../text/width.ts';

interface Asked {
  readonly settings: PlanSettings;
  readonly request: PlanRequest;
}

function planning(...packages: readonly PackagePlan[]): { readonly world: CliWorld; readonly asked: Asked[] } {
  const world = shopWorld();
  const asked: Asked[] = [];
  world.plan = (settings, request) => {
    asked.push({ settings, request });
    return Promise.resolve({ cluster: 'uid', packages: packages.length === 0 ? [aPackagePlan()] : packages });
  };
  return { world, asked };
}

describe('kubepkg plan', () => {
  it('P18 shows versions, steps with what they wait for, rollback, surroundings, objects and findings', async () => {
    const { world } = planning();
    expect(await world.run('plan', 'shop')).toBe(0);
    expect(world.stdout.text).toBe(`shop: upgrade 1.0.0 → 1.1.0 (variant default, by helm)
  PackageSource shop has version 1.1.0
  2.0.0 is not taken: billing 1.0.0 requires shop <2
  requires db >=1 (in this plan)
  Steps
    1. fetch and verify the charts of 1.1.0: store, app
    2. begin revision 2 (1.1.0)
    3. run hook migrate in shop/migrate, from 1.0.0 to 1.1.0
       waits for its Jobs to complete; 10m at most
    4. upgrade store as shop/store
       waits for every object of its release to be ready; 10m at most
    5. leave app as it is: shop/app is what is wanted already
       waits for every object of its release to be ready; 10m at most
    6. revision 2 (1.1.0) is applied
    7. remove old at shop/old: the new version does not have it; its PersistentVolumeClaims and CustomResourceDefinitions stay
  Components
    store: upgrade store 1.0.0 → store 1.1.0 (the chart)
    app: keep app 1.0.0
  should a component fail, the package is rolled back to revision 1 (1.0.0)
  Around it
    CustomResourceDefinition things.example.org is not created on an upgrade (upgradeCRDs: Skip)
    namespace shop is created; it is never deleted
    whoever delivers has to be allowed to get, create, patch and delete deployments.apps
  Objects
    ~ Deployment shop/store (store) is changed
      @@ spec
      -  replicas: 1
      +  replicas: 2
  Findings
    warning: component store: Cluster shop/db: nobody says when it is ready
      declare readyWhen
`);
    expect(world.stderr.text).toBe('');
    expect(world.cluster.written()).toEqual([]);
  });

  it('breaks no terminal of 40 columns', async () => {
    const { world } = planning();
    Object.assign(world.stdout, { isTerminal: true, columns: 40 });
    world.env['NO_COLOR'] = '1';
    await world.run('plan', 'shop');
    const long = world.stdout.text.split('\n').filter((line) => textWidth(line) > 40);
    // A name that is longer than the line stays in one piece.
    expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
  });

  it('plans the Package as it would be written, with what the operator was told', async () => {
    const { world, asked } = planning();
    const words = ['--operator-namespace', 'ops', '--values-secret', 'ops/values', '--backend', 'flux', '--no-objects'];
    expect(await world.run('plan', 'shop@>=1', '--variant', 'large', ...words)).toBe(0);
    expect(asked[0]?.request.packages[0]?.after['spec']).toMatchObject({ version: '>=1', variant: 'large' });
    expect(asked[0]?.request.objects).toBe(false);
    expect(asked[0]?.settings).toMatchObject({
      backend: 'flux',
      namespace: 'ops',
      valuesSecret: { namespace: 'ops', name: 'values' },
      plainHttp: false,
    });
  });

  it.each([
    ['an error', 'error', [], 1],
    ['an error that does not count', 'error', ['--fail-on', 'never'], 0],
    ['a warning', 'warning', [], 0],
    ['a warning that counts', 'warning', ['--fail-on', 'warning'], 1],
    ['an info', 'info', ['--fail-on', 'warning'], 0],
  ] as const)('ends with %s', async (_what, severity, flags, exitCode) => {
    const finding = { code: 'X', severity, subject: 'component a', message: 'm', remedy: 'r' };
    const { world } = planning(aPackagePlan({ findings: [finding] }));
    expect(await world.run('plan', 'shop', ...flags)).toBe(exitCode);
  });

  it('prints data with numbered steps', async () => {
    const { world } = planning();
    await world.run('plan', 'shop', '-o', 'json');
    const printed = JSON.parse(world.stdout.text) as { readonly packages: readonly { readonly steps: unknown[] }[] };
    expect(printed).toMatchObject({ apiVersion: 'kubepkg.dev/v1', kind: 'Plan', cluster: 'uid' });
    expect(printed.packages[0]?.steps[1]).toEqual({
      number: 2,
      kind: 'begin',
      revision: 2,
      version: '1.1.0',
      fromVersion: '1.0.0',
    });
  });

  it.each([
    [
      { kind: 'blocked', reason: 'RequirementsNotMet', message: 'db is missing' },
      'nothing is done: RequirementsNotMet',
    ],
    [{ kind: 'removed', reason: 'Deleting', message: 'gone' }, 'then it is gone'],
    [{ kind: 'converged', reason: 'ReconciliationSucceeded', message: 'all is well' }, 'nothing to do: all is well'],
  ] as const)('says where nothing is to be done: %o', async (end, text) => {
    const { world } = planning(aPackagePlan({ end, steps: [], components: [] }));
    await world.run('plan', 'shop');
    expect(world.stdout.text).toContain(text);
  });

  it('lets nothing of the cluster move the cursor', async () => {
    const { world } = planning(
      aPackagePlan({ end: { kind: 'invalid', reason: 'InvalidConfiguration', message: 'a\u001b[2Jb' } }),
    );
    await world.run('plan', 'shop');
    expect(world.stdout.text).not.toContain('\u001b');
  });

  it('keeps a plan', async () => {
    const { world } = planning();
    expect(await world.run('plan', 'shop', '--save', 'shop.plan')).toBe(0);
    const saved: unknown = JSON.parse(world.files.get('shop.plan') ?? '');
    expect(saved).toMatchObject({
      kind: 'Plan',
      apply: { packages: [{ kind: 'Package', metadata: { name: 'shop' } }] },
    });
  });

  it.each([
    ['a Secret that is none', ['shop', '--values-secret', 'values'], 2, 'NAMESPACE/NAME'],
    ['no package', [], 2, 'name a package'],
    ['a package with a mistake', ['shpo'], 2, 'did you mean shop?'],
  ])('refuses %s', async (_what, argv, exitCode, hint) => {
    const { world } = planning();
    expect(await world.run('plan', ...argv)).toBe(exitCode);
    expect(world.stderr.text).toContain(hint);
  });
});
