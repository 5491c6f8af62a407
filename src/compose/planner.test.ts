import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { tgzOf } from '../../test/build/archives.ts';
import { aComponent, aSource } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { API_VERSION } from '../api/names.ts';
import type { PackageSpec } from '../api/package.ts';
import type { PackageSource, SourceComponent } from '../api/package-source.ts';
import type { PackagePlan } from '../domain/plan/plan.ts';
import { CRD } from '../engine/crd-book.ts';
import { asString, at, type JsonObject } from '../lib/json.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import type { Backend } from '../ports/backend.ts';
import { planPackages } from './planner.ts';
import type { PlanRequest } from './planning.ts';

const TWO = [aComponent('app', { dependsOn: ['store'] }), aComponent('store')];

function sourceOf(
  components: readonly SourceComponent[],
  spec: Partial<PackageSource['spec']> = {},
  name = 'shop',
): KubeObject {
  const { version = '1.0.0' } = spec;
  const sourceRef = { kind: 'OCIArtifact' as const, url: `oci://registry.example.org/${name}:${version}` };
  const { apiVersion, kind, spec: parsed } = aSource(components, { sourceRef, ...spec });
  return { apiVersion, kind, metadata: { name }, spec: parsed };
}

function chartWithCrd(folder: string): Omit<FetchedChart, 'ref'> {
  const path = join(folder, 'store.tgz');
  const { apiVersion, kind } = CRD;
  const content = JSON.stringify({ apiVersion, kind, metadata: { name: 'things.example.org' } });
  writeFileSync(path, tgzOf([{ path: 'store/crds/things.yaml', content }]));
  return { path, digest: 'sha256:store', name: 'store', version: '1.0.0', sizeBytes: 1, hasPostHooks: false };
}

/** What the backend is asked to do by the steps of a plan. */
function deedsOf({ steps }: PackagePlan): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'install' || step.kind === 'upgrade') return `${step.kind} ${step.release}`;
    if (step.kind === 'hook') return `install ${step.release}`;
    return step.kind === 'remove' ? `uninstall ${step.release}` : [];
  });
}

describe('the planner', () => {
  let world: EngineWorld;
  /** What the plan is told of the installation beside what the engine knows. */
  let told: { readonly valuesSecret?: undefined };
  const folder = mkdtempSync(join(tmpdir(), 'kubepkg-planner-'));
  const withCrd = chartWithCrd(folder);

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => {
    world = new EngineWorld();
    told = {};
  });

  function pkg(name = 'shop', spec: Partial<PackageSpec> = {}): PlanRequest['packages'][number] {
    const known = world.cluster.get({ apiVersion: API_VERSION, kind: 'Package', name });
    const metadata = known?.metadata ?? { name, uid: `would-be-${name}`, generation: 1 };
    return { name, before: known, after: { apiVersion: API_VERSION, kind: 'Package', metadata, spec } };
  }

  async function plan(
    sources: readonly KubeObject[],
    ...packages: PlanRequest['packages']
  ): Promise<readonly PackagePlan[]> {
    const { cluster, clock, artifacts, log, options } = world.deps();
    const deps = { cluster, clock, artifacts, log, options: { ...options, ...told }, backends: () => world.backends };
    const request = { sources, packages: packages.length === 0 ? [pkg()] : packages, objects: true };
    return (await planPackages(deps, request)).packages;
  }

  async function planOne(source: KubeObject, spec: Partial<PackageSpec> = {}): Promise<PackagePlan> {
    const [first] = await plan([source], pkg('shop', spec));
    if (first === undefined) throw new Error('nothing was planned');
    return first;
  }

  /** Writes what was planned, and lets the engine do it. */
  async function carryOut(source: KubeObject): Promise<readonly string[]> {
    const before = world.backend.submitted.length;
    world.cluster.put(source);
    world.wake('shop');
    await world.settle();
    return world.backend.submitted.slice(before);
  }

  async function installed(components: readonly SourceComponent[] = TWO, spec: Partial<PackageSource['spec']> = {}) {
    world.cluster.put(sourceOf(components, spec));
    await world.install();
    expect(world.ready()).toBe('True ReconciliationSucceeded');
  }

  it('P18 plans an installation before anything is written, as the engine then does it', async () => {
    const source = sourceOf(TWO);
    const planned = await planOne(source);
    expect([world.cluster.writes(), world.cluster.watched()]).toEqual([[], []]);
    expect(planned).toMatchObject({ change: 'install', end: { kind: 'converged' }, rollback: { possible: false } });
    world.cluster.put(source);
    await world.install();
    expect(deedsOf(planned)).toEqual(world.backend.submitted);
  });

  it.each<[string, () => KubeObject, object]>([
    ['a new version', () => sourceOf(TWO, { version: '1.1.0' }), { change: 'upgrade' }],
    [
      'a version that is safe to go back from',
      () => sourceOf(TWO, { version: '1.1.0', rollback: { safe: true } }),
      { rollback: { possible: true, revision: 1, version: '1.0.0' } },
    ],
    [
      'a version with a hook, and without a component',
      () => sourceOf([aComponent('store'), aComponent('migrate', { phase: 'PreUpgrade' })], { version: '2.0.0' }),
      { change: 'upgrade', version: { from: '1.0.0', to: '2.0.0' } },
    ],
    [
      'a component in another place',
      () => sourceOf([aComponent('app', { dependsOn: ['store'] }), aComponent('store', { namespace: 'data' })]),
      { change: 'change' },
    ],
    ['what runs already', () => sourceOf(TWO), { change: 'keep', steps: [], end: { kind: 'converged' } }],
    ['an older version that is not safe', () => sourceOf(TWO, { version: '0.9.0' }), { end: { kind: 'invalid' } }],
  ])('P18 plans %s as the engine then does it', async (_say, source, expected) => {
    await installed();
    const before = world.cluster.writes().length;
    const planned = await planOne(source());
    expect(world.cluster.writes()).toHaveLength(before);
    expect(planned).toMatchObject(expected);
    expect(deedsOf(planned)).toEqual(await carryOut(source()));
  });

  it('costs no request more for a package whose revision is the wanted one', async () => {
    await installed();
    const fetched = world.artifacts.fetched.length;
    await planOne(sourceOf(TWO));
    expect(world.artifacts.fetched).toHaveLength(fetched);
  });

  it('plans a package after those of the plan that it requires', async () => {
    const variants = [{ name: 'default', requires: [{ package: 'db' }], components: [aComponent('app')] }];
    const sources = [sourceOf([], { variants }), sourceOf([aComponent('db', { namespace: 'db' })], {}, 'db')];
    const plans = await plan(sources, pkg('shop'), pkg('db'));
    expect(plans.map(({ name, end }) => [name, end.kind])).toEqual([
      ['db', 'converged'],
      ['shop', 'converged'],
    ]);
    expect(plans[1]?.requires).toEqual([{ name: 'db', optional: false, planned: true }]);
    expect(plans[1]?.inputs.requires).toEqual({ db: '1.0.0' });
  });

  it('finds an order also where some of the packages wait for one another', async () => {
    const needs = (...names: readonly string[]) => ({
      variants: [
        { name: 'default', requires: names.map((name) => ({ package: name })), components: [aComponent('app')] },
      ],
    });
    const sources = [
      sourceOf([], needs('db')),
      sourceOf([aComponent('db', { namespace: 'db' })], {}, 'db'),
      sourceOf([], needs('y'), 'x'),
      sourceOf([], needs('x'), 'y'),
    ];
    const plans = await plan(sources, pkg('shop'), pkg('db'), pkg('x'), pkg('y'));
    expect(plans.map(({ name, end }) => [name, end.kind])).toEqual([
      ['db', 'converged'],
      ['shop', 'converged'],
      ['x', 'blocked'],
      ['y', 'blocked'],
    ]);
  });

  it('says what is missing where the plan does not have it', async () => {
    const variants = [{ name: 'default', requires: [{ package: 'db' }], components: [aComponent('app')] }];
    const planned = await planOne(sourceOf([], { variants }));
    expect(planned).toMatchObject({ steps: [], end: { kind: 'blocked', reason: 'RequirementsNotMet' } });
    expect(planned.findings).toMatchObject([{ code: 'RequirementsNotMet', severity: 'warning' }]);
  });

  it('plans what is known when a registry cannot be reached, and says so', async () => {
    await installed();
    world.artifacts.failures.set('store', new KubepkgError('RegistryUnreachable', 'the registry does not answer'));
    const planned = await planOne(sourceOf(TWO, { version: '1.1.0' }));
    expect(planned.end.kind).toBe('converged');
    const serious = planned.findings.filter(({ severity }) => severity !== 'info');
    expect(serious.map(({ code, severity, subject }) => [code, severity, subject])).toEqual([
      ['ChartNotFetched', 'warning', 'component store'],
    ]);
    expect(serious[0]?.message).toContain('what is in it is not known, and not part of this plan');
  });

  it('takes the same reference to lead to the same chart while a registry cannot be reached', async () => {
    await installed();
    world.artifacts.failures.set('store', new KubepkgError('RegistryUnreachable', 'the registry does not answer'));
    const [planned] = await plan([sourceOf(TWO)], pkg('shop', { components: { app: { values: { a: 1 } } } }));
    const finding = planned?.findings.find(({ code }) => code === 'ChartNotFetched');
    expect(finding?.message).toContain('it is taken to be what the last revision had');
  });

  it('speaks of no last revision where there is none', async () => {
    world.artifacts.failures.set('store', new KubepkgError('RegistryUnreachable', 'the registry does not answer'));
    world.backend.observe = () => Promise.reject(new KubepkgError('ApiForbidden', 'secrets is forbidden'));
    const { findings } = await planOne(sourceOf(TWO));
    const messages = findings.map(({ message }) => message).join('\n');
    expect(messages).toContain('what is in it is not known, and not part of this plan');
    expect(messages).toContain('releases cannot be read, and are taken not to exist');
    expect(messages).not.toContain('last revision');
  });

  it('ends where a chart is not to be had', async () => {
    world.artifacts.failures.set('store', new KubepkgError('DigestMismatch', 'it is another one'));
    const planned = await planOne(sourceOf(TWO));
    expect(planned).toMatchObject({ steps: [], end: { kind: 'invalid' } });
    expect(planned.findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['InvalidConfiguration', 'ChartMissing']),
    );
  });

  it('takes what the operator has begun to be going on', async () => {
    world.cluster.put(sourceOf(TWO));
    const finish = world.backend.last();
    await world.install();
    const planned = await planOne(sourceOf(TWO));
    expect(deedsOf(planned)).toEqual(['install shop/app']);
    finish();
    await world.settle();
    expect(world.backend.submitted).toEqual(['install shop/store', 'install shop/app']);
  });

  it('believes the journal where the releases cannot be read', async () => {
    await installed();
    world.backend.observe = () => Promise.reject(new KubepkgError('ApiForbidden', 'secrets is forbidden'));
    const planned = await planOne(sourceOf(TWO));
    expect(planned).toMatchObject({ steps: [], findings: [{ code: 'ApiForbidden', severity: 'warning' }] });
  });

  it('says that it does not know of CustomResourceDefinitions and namespaces that may not be read', async () => {
    world.artifacts.fetch = (ref) => Promise.resolve({ ...withCrd, ref });
    world.cluster.before = ({ line }) => {
      if (line === 'read Namespace shop' || line === 'list CustomResourceDefinition') {
        throw new KubepkgError('ApiForbidden', 'it is forbidden');
      }
    };
    const planned = await planOne(sourceOf([aComponent('store')]));
    expect(planned.crds).toEqual([{ name: 'things.example.org', component: 'store', action: 'unknown' }]);
    const finding = planned.findings.find(({ code }) => code === 'NotRead');
    expect(finding?.message).toContain('may not be read: Namespace shop, every CustomResourceDefinition;');
    expect(finding?.remedy).toContain('get namespaces, list customresourcedefinitions.apiextensions.k8s.io');
  });

  it('reads the definition of a custom kind by its name where CustomResourceDefinitions may not be listed', async () => {
    world.cluster.serve('example.org/v1', 'Thing');
    const names = { kind: 'Thing', plural: 'things' };
    const versions = [{ name: 'v1', schema: { openAPIV3Schema: { properties: { spec: {} } } } }];
    const metadata = { name: 'things.example.org' };
    world.cluster.put({ ...CRD, metadata, spec: { group: 'example.org', names, versions } });
    const thing = { apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'a', namespace: 'shop' } };
    world.backend.capabilities.previewsObjects = true;
    world.backend.preview = () => Promise.resolve([thing]);
    const hidden = ['list CustomResourceDefinition', 'list HorizontalPodAutoscaler'];
    world.cluster.before = ({ line }) => {
      if (hidden.includes(line)) throw new KubepkgError('ApiForbidden', 'it is forbidden');
    };
    const { findings } = await planOne(sourceOf([aComponent('store')]));
    // It has no status to wait for.
    expect(findings.map(({ code }) => code)).not.toContain('NoReadiness');
    const message =
      'may not be read: every CustomResourceDefinition, every HorizontalPodAutoscaler of namespace shop; what';
    expect(findings.find(({ code }) => code === 'NotRead')?.message).toContain(message);
  });

  it('compares with what runs where the last delivery cannot be read', async () => {
    await installed([aComponent('store')]);
    world.backend.capabilities.previewsObjects = true;
    const config = (text: string) => {
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' }, data: { text } };
    };
    world.cluster.put(config('old'));
    world.backend.preview = () => Promise.resolve([config('new')]);
    world.cluster.before = ({ line }) => {
      if (line === 'list Secret') throw new KubepkgError('ApiForbidden', 'no');
    };
    const planned = await planOne(sourceOf([aComponent('store')], { version: '1.1.0' }));
    expect(planned.objects).toMatchObject([{ object: 'ConfigMap shop/a', change: 'changed' }]);
    expect(planned.findings.find(({ code }) => code === 'NotRead')?.message).toContain(
      'every Secret of namespace shop',
    );
  });

  describe('I10 with values of the platform', () => {
    const PLATFORM = { namespace: 'kubepkg-system', name: 'platform' };
    const OLD = 'hunter22!!';
    const NEW = 'correct horse';

    beforeEach(() => {
      world = new EngineWorld({ valuesSecret: PLATFORM });
      keep(OLD);
      world.backend.capabilities.previewsObjects = true;
      world.backend.preview = ({ values }) => Promise.resolve([configOf(values), podOf(values)]);
    });

    function keep(password: string): void {
      const text = `db: {password: "${password}"}\nlevel: warning\n`;
      const data = { 'values.yaml': Buffer.from(text).toString('base64') };
      world.cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: PLATFORM, data });
    }

    const metadata = { name: 'app', namespace: 'shop' };

    function configOf(values: JsonObject): KubeObject {
      const text = `url=postgres://shop:${String(at(values, 'db', 'password'))}@db`;
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text, motd: asString(values['motd']) } };
    }

    function podOf(values: JsonObject): KubeObject {
      const image = `registry.example.org/${String(at(values, 'db', 'password'))}`;
      return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'app', image }] } };
    }

    function says(motd: string): Partial<PackageSpec> {
      return { components: { store: { values: { motd } } } };
    }

    async function planned(spec: Partial<PackageSpec>, version = '1.0.0'): Promise<string> {
      const one = await planOne(sourceOf([aComponent('store')], { version }), spec);
      expect(one.objects.map(({ object }) => object)).toEqual(['ConfigMap shop/app', 'Pod shop/app']);
      expect(one.findings.find(({ code }) => code === 'ImageFloating')).toBeDefined();
      return JSON.stringify(one);
    }

    it('shows none of them of what is new, but what the Package says', async () => {
      const text = await planned(says('welcome'));
      expect(text).not.toContain(OLD);
      expect(text).toContain('url=postgres://shop:(hidden)@db');
      expect(text).toContain('welcome');
    });

    it.each([
      ['that the platform has changed', () => keep(NEW)],
      ['when the plan is not told of the Secret', () => (told = { valuesSecret: undefined })],
    ])('shows none of them of what was delivered, %s', async (_when, change) => {
      world.cluster.put(sourceOf([aComponent('store')]));
      world.addPackage(says('welcome'));
      await world.start();
      await world.settle();
      expect(world.ready()).toBe('True ReconciliationSucceeded');
      for (const object of [configOf, podOf]) world.cluster.put(object({ db: { password: OLD }, motd: 'welcome' }));
      change();
      const text = await planned(says('good evening'), '1.1.0');
      for (const secret of [OLD, NEW]) expect(text).not.toContain(secret);
      for (const word of ['welcome', 'good evening']) expect(text).toContain(word);
    });
  });

  it('shows a fault of a backend as a fault', async () => {
    const fault = new TypeError('a fault');
    world.backend.surroundings.check = () => Promise.reject(fault);
    await expect(planOne(sourceOf(TWO))).rejects.toBe(fault);
  });

  it('renders what the engine delivers', async () => {
    const previewed: object[] = [];
    const delivered: object[] = [];
    world.backend.capabilities.previewsObjects = true;
    const backend: Backend = world.backend;
    backend.preview = ({ token: _token, ...release }) => {
      previewed.push(release);
      return Promise.resolve([]);
    };
    const source = sourceOf([aComponent('store')]);
    await planOne(source);
    const submit = world.backend.submit.bind(world.backend);
    world.backend.submit = (action, signal) => {
      if ('release' in action) {
        const { token: _token, ...release } = action.release;
        delivered.push(release);
      }
      return submit(action, signal);
    };
    world.cluster.put(source);
    await world.install();
    expect(previewed).toEqual(delivered);
    expect(delivered).toMatchObject([{ recreate: 'FinishedJobs', upgradeCRDs: 'Skip' }]);
  });

  it.each(['ApiForbidden', 'BackendUnavailable'] as const)(
    'says that it does not know what is delivered where it cannot be rendered (%s)',
    async (code) => {
      world.backend.capabilities.previewsObjects = true;
      world.backend.preview = () => Promise.reject(new KubepkgError(code, 'it cannot be looked at'));
      const planned = await planOne(sourceOf([aComponent('store')]));
      const message = expect.stringContaining('the objects of component store') as unknown;
      expect(planned.findings).toContainEqual(expect.objectContaining({ code: 'NotRead', message }));
    },
  );

  it('tells how a package is that is left alone, in the words of the operator', async () => {
    await installed();
    const known = world.object('Package', 'shop');
    const ready = { type: 'Ready', status: 'False', reason: 'Degraded', message: 'it is ill' };
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const conditions = [{ ...ready, lastTransitionTime, observedGeneration: known.metadata.generation }];
    const after = { ...known, status: { ...(known['status'] as object), conditions } };
    const [planned] = await plan([sourceOf(TWO)], { name: 'shop', before: known, after });
    expect(planned).toMatchObject({ steps: [], end: { kind: 'blocked', reason: 'Degraded', message: 'it is ill' } });
  });

  it('asks the API server no more for many packages than for one', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `p${String(index)}`);
    const sources = names.map((name) => sourceOf([aComponent('app', { namespace: name })], {}, name));
    for (const source of sources) world.cluster.put(source);
    for (const name of names) world.addPackage({}, { name });
    await world.start();
    await world.settle();
    const before = world.cluster.requests.length;
    const plans = await plan(sources, ...names.map((name) => pkg(name)));
    expect(plans.map(({ change }) => change)).toEqual(names.map(() => 'keep'));
    // The backend in memory looks at each release by itself.
    const asked = world.cluster.requests.slice(before).filter(({ line }) => !line.includes('Secret'));
    expect(asked.length).toBeLessThan(10);
  });
});
