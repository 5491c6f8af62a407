import { afterAll, describe, expect, it } from 'vitest';
import type { Requirement } from '../../../src/api/package-source.ts';
import { deploymentChart } from './charts.ts';
import { inNamespace, messageOf, publish, says } from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('requirements/tree', { app: deploymentChart() });
await world.startOperator();

/** A package of one component, in a namespace of its name. */
async function offer(name: string, requires: readonly Requirement[] = [], version = '1.0.0'): Promise<void> {
  await publish(world, name, { tree, version, requires, components: [inNamespace(name)('app')] });
}

describe('a package that contradicts itself', () => {
  it('a constraint that cannot be read is InvalidConfiguration', async () => {
    await offer('newest', [{ package: 'sane', version: 'newest' }]);
    await world.applyPackage('newest');
    expect(messageOf(await world.untilPackage('newest', hasReason('InvalidConfiguration')))).toContain('"newest"');
  });
});

describe('a package that requires another', () => {
  it('P3 an API counts from the moment that somebody defines it', async () => {
    await offer('late', [{ capability: 'api:late.example.org/v1' }]);
    await world.applyPackage('late');
    const waiting = await world.untilPackage('late', hasReason('RequirementsNotMet'));
    expect(messageOf(waiting)).toContain('api:late.example.org/v1');
    await world.cluster.write({
      verb: 'create',
      object: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'things.late.example.org' },
        spec: {
          group: 'late.example.org',
          scope: 'Namespaced',
          names: { kind: 'Thing', plural: 'things' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      },
    });
    await world.untilPackage('late', isReady);
  });

  it('P4 an optional one that would close a circle is ignored: the other comes second', async () => {
    await offer('hen', [{ package: 'egg', optional: true }]);
    await offer('egg', [{ package: 'hen' }]);
    await world.applyPackage('egg');
    await world.untilPackage('egg', hasReason('RequirementsNotMet'));
    await world.applyPackage('hen');
    await Promise.all([world.untilPackage('hen', isReady), world.untilPackage('egg', isReady)]);
    const [hen, egg] = await Promise.all([world.revisions('hen'), world.revisions('egg')]);
    const applied = hen[0]?.status?.appliedAt ?? '';
    expect(applied <= (egg[0]?.status?.components?.[0]?.startedAt ?? ''), 'the hen was there first').toBe(true);
  });

  it('P3 packages that require each other are told of their circle instead of waiting silently', async () => {
    await offer('left', [{ package: 'right' }]);
    await offer('right', [{ package: 'left' }]);
    await world.applyPackage('left');
    await world.applyPackage('right');
    const chain = says(/left → right → left|right → left → right/);
    const found = await Promise.all([world.untilPackage('left', chain), world.untilPackage('right', chain)]);
    expect(found.map((pkg) => condition(pkg, 'Ready')?.reason)).toEqual(['RequirementsNotMet', 'RequirementsNotMet']);
    await world.applyPackage('left', { ignoreDependencies: ['right'] });
    await Promise.all([world.untilPackage('left', isReady), world.untilPackage('right', isReady)]);
  });
});
