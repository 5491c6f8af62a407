import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { asArray, at } from '../../src/lib/json.ts';
import type { ArgoCdOptions } from '../../src/backends/argocd/backend.ts';
import type { Backend, DesiredRelease, PresentRelease, ReleaseTarget } from '../../src/ports/backend.ts';
import { ARGOCD, type ArgoCdHarness, startArgoCdHarness } from './argocd-harness.ts';
import { BackendWorld, presentOf } from './backend-world.ts';

const NO_ABORT = new AbortController().signal;
const LONGEST_WAIT = { timeout: 50_000, interval: 50 };
const VALUES_TRIES = 8;
const CAPABILITIES = { runsProcesses: false, adoptsObjects: true, secretValues: false, previewsObjects: true };
const PROJECT = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject' };

/** What Argo CD alone does, and a person does to an Application. */
export function argocdCases(): void {
  describe('the Argo CD backend with the real Argo CD', () => {
    const started: ArgoCdHarness[] = [];
    const world = new BackendWorld({
      capabilities: CAPABILITIES,
      start: async () => {
        const harness = await startArgoCdHarness();
        started.push(harness);
        return harness;
      },
    });
    beforeAll(() => world.start());
    afterAll(() => world.close());
    const argo = (): ArgoCdHarness => {
      const [harness] = started;
      if (harness === undefined) throw new Error('Argo CD was not started');
      return harness;
    };
    evidenceCases(world);
    handCases(world, argo);
    hookCases(world);
    sourceCases(world, argo);
    policyCases(world, argo);
    // The last: it takes a part of Argo CD away.
    outageCases(world, argo);
  });
}

async function begin(
  world: BackendWorld,
  release: DesiredRelease,
  backend = world.harness.createBackend(),
): Promise<void> {
  const observed = await backend.observe(release);
  const kind = observed.state === 'absent' ? 'install' : 'upgrade';
  expect(await backend.submit({ kind, release, observed }, NO_ABORT)).toEqual({ kind: 'accepted' });
}

async function until(
  backend: Backend,
  target: ReleaseTarget,
  holds: (observed: PresentRelease) => boolean,
): Promise<PresentRelease> {
  const seen: PresentRelease[] = [];
  const isSo = async (): Promise<boolean> => {
    const observed = presentOf(await backend.observe(target));
    seen.push(observed);
    return holds(observed);
  };
  await expect.poll(isSo, LONGEST_WAIT).toBe(true);
  return seen.at(-1) ?? presentOf(await backend.observe(target));
}

function evidenceCases(world: BackendWorld): void {
  describe('evidence', () => {
    it('R4 a values-only change is never delivered before its objects are changed', async () => {
      const target = await world.target();
      const first = await world.release(target, { values: { color: 'color-0' } });
      await world.delivered(first);
      for (let turn = 1; turn <= VALUES_TRIES; turn++) {
        const color = `color-${String(turn)}`;
        const release = { ...first, token: `turn-${String(turn)}`, values: { color } };
        await begin(world, release);
        await until(world.harness.createBackend(), target, ({ delivery }) => delivery === 'delivered');
        expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color')).toBe(color);
      }
    });

    it('R4 a delivery of the very same is delivered anew', async () => {
      const target = await world.target();
      const release = await world.release(target);
      const before = await world.delivered(release);
      const after = await world.delivered({ ...release, token: 'again' });
      expect(after.revision).toBeGreaterThan(before.revision);
    });

    it('a value that is null is delivered like any other', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target, { values: { color: 'red', password: null } }));
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color')).toBe('red');
    });
  });
}

function handCases(world: BackendWorld, argo: () => ArgoCdHarness): void {
  describe('a user', () => {
    it('who syncs what is delivered already changes nothing', async () => {
      const target = await world.target();
      const before = await world.delivered(await world.release(target));
      await argo().sync(target);
      expect(await world.observe(target)).toEqual(before);
    });

    it('who edits the Application and syncs nothing is noticed, and put right by the next delivery', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target));
      await argo().edit(target, withColor('pink'));
      expect(presentOf(await world.observe(target))).toMatchObject({
        digest: undefined,
        message: expect.stringContaining('changed outside kubepkg') as string,
      });
      await world.delivered(await world.release(target, { values: { color: 'green' } }));
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color')).toBe('green');
    });

    it('F03 R3 who sets skip-reconcile is named, and the delivery goes on once it is taken away', async () => {
      const target = await world.target();
      const release = await world.release(target);
      await world.delivered(release);
      await argo().edit(target, annotated({ 'argocd.argoproj.io/skip-reconcile': 'true' }));
      await begin(world, { ...release, token: 'paused' });
      const paused = await until(world.harness.createBackend(), target, ({ token }) => token === 'paused');
      expect(paused).toMatchObject({
        delivery: 'underway',
        message: expect.stringContaining('paused outside kubepkg') as string,
      });
      await argo().edit(target, annotated({ 'argocd.argoproj.io/skip-reconcile': 'false' }));
      await until(world.harness.createBackend(), target, ({ delivery }) => delivery === 'delivered');
    });

    it('who chose self-heal gets it back, and self-heal takes no evidence away', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target));
      await argo().edit(target, (live) => ({ ...live, spec: withAutomated(live) }));
      const release = await world.release(target, { values: { color: 'green' } });
      const observed = await world.delivered(release);
      expect(observed.handBack).toBe(true);
      expect(at(await argo().application(target), 'spec', 'syncPolicy', 'automated')).toBeUndefined();
      const backend = world.harness.createBackend();
      expect(await backend.submit({ kind: 'hand-back', target, observed }, NO_ABORT)).toEqual({ kind: 'accepted' });
      expect(at(await argo().application(target), 'spec', 'syncPolicy', 'automated')).toEqual({ selfHeal: true });
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: target.namespace, name: 'web' };
      await argo().cluster.write({ verb: 'merge-patch', ref, patch: { data: { color: 'mine' } } });
      const color = async (): Promise<unknown> =>
        at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color');
      await expect.poll(color, LONGEST_WAIT).toBe('green');
      expect(await world.observe(target)).toMatchObject({ ...observed, handBack: false });
    });

    it('who deletes the Application leaves the objects, and the next delivery goes on with them', async () => {
      const target = await world.target();
      await world.delivered(await world.release(target));
      const before = await world.read('Deployment', 'web', target.namespace);
      const name = (await argo().application(target))?.metadata.name ?? '';
      const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: ARGOCD.namespace, name };
      await argo().cluster.write({ verb: 'delete', ref });
      await expect.poll(() => world.observe(target), LONGEST_WAIT).toEqual({ state: 'absent' });
      await world.delivered(await world.release(target));
      expect((await world.read('Deployment', 'web', target.namespace))?.metadata.uid).toBe(before?.metadata.uid);
    });

    it('who ends the operation is said to have', async () => {
      const target = await world.target();
      await begin(world, await slowHook(world, target));
      await hookStarted(world, target);
      const isDone = async (): Promise<boolean> => {
        await argo().edit(target, terminated);
        return presentOf(await world.observe(target)).delivery === 'failed';
      };
      await expect.poll(isDone, LONGEST_WAIT).toBe(true);
      expect(presentOf(await world.observe(target)).failure?.code).toBe('Interrupted');
    });
  });
}

function hookCases(world: BackendWorld): void {
  describe('hooks of a chart', () => {
    it('F51 P9 a hook that never ends is stopped, its Job is gone, and the next attempt goes through', async () => {
      const target = await world.target();
      const release = await slowHook(world, target);
      const backend = world.harness.createBackend();
      await begin(world, release, backend);
      await hookStarted(world, target);
      const underway = presentOf(await backend.observe(target));
      expect(underway.delivery).toBe('underway');
      expect(await backend.submit({ kind: 'stop', target, observed: underway }, NO_ABORT)).toEqual({
        kind: 'accepted',
      });
      const stopped = await until(backend, target, ({ delivery }) => delivery === 'failed');
      expect(stopped.token).toBe(release.token);
      await world.gone('Job', 'web-install', target.namespace);
      await world.delivered(await world.release(target, { chart: { name: 'hooked' }, values: { runFor: '0.1s' } }));
    });

    it('an attempt that comes while another runs ends that, and is told to come again', async () => {
      const target = await world.target();
      await begin(world, await slowHook(world, target));
      const backend = world.harness.createBackend();
      await hookStarted(world, target);
      const release = await world.release(target, { chart: { name: 'hooked' }, values: { runFor: '0.1s' } });
      const tryIt = async (): Promise<string> => {
        const observed = await backend.observe(target);
        const outcome = await backend.submit({ kind: 'upgrade', release, observed }, NO_ABORT);
        return outcome.kind === 'accepted' ? 'accepted' : outcome.error.code;
      };
      expect(await tryIt()).toBe('ReleaseLocked');
      await expect.poll(tryIt, LONGEST_WAIT).toBe('accepted');
      await until(backend, target, ({ delivery, token }) => delivery === 'delivered' && token === release.token);
    });

    it('a second sync of a chart with hooks changes what it is to change', async () => {
      const target = await world.target();
      const files = { 'templates/color.yaml': COLORED };
      const chart = { name: 'hooked', files };
      await world.delivered(await world.release(target, { chart, values: { runFor: '0.1s', color: 'red' } }));
      await world.delivered(await world.release(target, { chart, values: { runFor: '0.1s', color: 'green' } }));
      expect(at(await world.read('ConfigMap', 'colored', target.namespace), 'data', 'color')).toBe('green');
    });
  });
}

function sourceCases(world: BackendWorld, argo: () => ArgoCdHarness): void {
  describe('a chart', () => {
    it('F85 of a registry is taken by its digest, with a + in its version', async () => {
      const target = await world.target();
      const chart = await argo().publish({ name: 'web', version: '1.2.3+up4' });
      await world.delivered({ ...(await world.release(target)), chart });
      expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'version')).toBe('1.2.3+up4');
      expect(at(await argo().application(target), 'spec', 'source', 'targetRevision')).toMatch(/^sha256:/);
    });

    it('that moved to other content under its version is still the one that was verified', async () => {
      const target = await world.target();
      const chart = await argo().publish({ name: 'web', version: '3.0.0' });
      await argo().publish({ name: 'web', version: '3.0.0', files: { 'templates/web.yaml': COLORED } });
      await world.delivered({ ...(await world.release(target)), chart });
      expect(await world.read('ConfigMap', 'web', target.namespace)).toBeDefined();
      expect(await world.read('ConfigMap', 'colored', target.namespace)).toBeUndefined();
    });

    it('F33 may have a CRD that is larger than an annotation', async () => {
      const target = await world.target();
      const files = { 'templates/big.yaml': bigCrd(target.namespace) };
      await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
      expect(await world.read('CustomResourceDefinition', `bigs.${target.namespace}.example.com`)).toBeDefined();
    });

    it('F90 of a release with a long name is delivered', async () => {
      const target = await world.target({ releaseName: `r${'x'.repeat(52)}` });
      const observed = await world.delivered(await world.release(target));
      expect(observed.delivery).toBe('delivered');
    });

    it('that is nowhere is waited for', async () => {
      const target = await world.target();
      const release = await world.release(target);
      await begin(world, { ...release, chart: { ...release.chart, digest: `sha256:${'0'.repeat(64)}` } });
      const { failure } = await until(world.harness.createBackend(), target, ({ delivery }) => delivery === 'failed');
      expect(failure?.code).toBe('ArtifactNotFound');
      await world.delivered({ ...release, token: 'found' });
    });
  });
}

function policyCases(world: BackendWorld, argo: () => ArgoCdHarness): void {
  describe('a project', () => {
    async function deliverIn(options: Partial<ArgoCdOptions>): Promise<PresentRelease> {
      const target = await world.target();
      const backend = argo().createBackendWith(options);
      await begin(world, await world.release(target), backend);
      return until(backend, target, ({ delivery }) => delivery === 'failed');
    }

    it.each<[string, object]>([
      ['the destination', { sourceRepos: ['*'], destinations: [{ namespace: 'elsewhere', server: '*' }] }],
      ['the source', { sourceRepos: ['https://charts.example.com'], destinations: [{ namespace: '*', server: '*' }] }],
    ])('that forbids %s is said to', async (what, spec) => {
      const name = `no-${what.replace('the ', '')}`;
      await argo().cluster.write({
        verb: 'create',
        object: { ...PROJECT, metadata: { name, namespace: ARGOCD.namespace }, spec },
      });
      expect((await deliverIn({ project: name })).failure?.code).toBe('InvalidConfiguration');
    });

    it('that is not there is missed before anything is touched', async () => {
      const backend = argo().createBackendWith({ project: 'absent' });
      expect(await backend.surroundings?.check()).toMatchObject({ code: 'BackendUnavailable' });
      expect(await world.harness.createBackend().surroundings?.check()).toBeUndefined();
    });

    it('may not be looked at without a permission, and that is said', async () => {
      const powerless = world.harness.createPowerlessBackend();
      expect(await powerless.surroundings?.check()).toMatchObject({ code: 'BackendUnavailable' });
    });
  });

  it('P21 an Application of that name that is not ours is foreign, and adopted when it is wished', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target));
    await argo().edit(target, (live) => ({ ...live, metadata: { ...live.metadata, labels: {} } }));
    const { outcome, observed } = await world.deliver(await world.release(target));
    expect([outcome.kind, observed.state]).toEqual(['refused', 'foreign']);
    await world.delivered(await world.release(target, { adopt: true }));
  });

  it('P21 an object of another Application is not taken, whatever is wished', async () => {
    const one = await world.target();
    const { namespace } = one;
    await world.delivered(await world.release(one));
    const files = { 'templates/theirs.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n' };
    const other = await world.target({ namespace, releaseName: 'other', component: 'other' });
    const before = await world.read('ConfigMap', 'web', namespace);
    const release = await world.release(other, { chart: { name: 'web', files }, adopt: true });
    expect((await world.deliver(release)).outcome).toMatchObject({ error: { code: 'OwnershipConflict' } });
    expect(await world.read('ConfigMap', 'web', namespace)).toEqual(before);
  });
}

function outageCases(world: BackendWorld, argo: () => ArgoCdHarness): void {
  describe('a part of Argo CD that is down', () => {
    it('the application controller: is told of, and goes on with it when it is back', async () => {
      const target = await world.target();
      argo().controlPlane.pause('argocd-application-controller');
      try {
        await begin(world, await world.release(target));
        const later = argo().createBackendAt(() => Date.now() + 31_000);
        expect(presentOf(await later.observe(target))).toMatchObject({
          delivery: 'underway',
          message: expect.stringContaining('is it running?') as string,
        });
      } finally {
        argo().controlPlane.resume('argocd-application-controller');
      }
      await until(world.harness.createBackend(), target, ({ delivery }) => delivery === 'delivered');
    });

    it('the repo server: what was delivered is delivered still, with all its objects; the rest is tried again', async () => {
      const target = await world.target();
      const release = await world.release(target);
      await world.delivered(release);
      const backend = world.harness.createBackend();
      const objects = [...(await backend.inventory(target))].map(({ kind }) => kind).sort();
      await argo().controlPlane.kill('argocd-repo-server');
      await argo().edit(target, annotated({ 'argocd.argoproj.io/refresh': 'hard' }));
      await expect
        .poll(async () => conditionsOf(await argo().application(target)), LONGEST_WAIT)
        .toContain('ComparisonError');
      expect(presentOf(await backend.observe(target)).delivery).toBe('delivered');
      expect([...(await backend.inventory(target))].map(({ kind }) => kind).sort()).toEqual(objects);
      await begin(world, { ...release, token: 'without', values: { color: 'green' } });
      const { failure } = await until(backend, target, ({ delivery }) => delivery === 'failed');
      expect(failure?.code).toBe('RegistryUnreachable');
    });
  });
}

const COLORED = `apiVersion: v1
kind: ConfigMap
metadata:
  name: colored
data:
  color: {{ .Values.color | default "none" | quote }}
`;

function slowHook(world: BackendWorld, target: ReleaseTarget): Promise<DesiredRelease> {
  return world.release(target, { chart: { name: 'hooked' }, values: { runFor: '300s' } });
}

async function hookStarted(world: BackendWorld, { namespace }: ReleaseTarget): Promise<void> {
  await expect.poll(() => world.read('Job', 'web-install', namespace), LONGEST_WAIT).toBeDefined();
}

function annotated(annotations: Readonly<Record<string, string>>): (live: KubeObject) => KubeObject {
  return (live) => ({
    ...live,
    metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, ...annotations } },
  });
}

function withColor(color: string): (live: KubeObject) => KubeObject {
  return (live) => {
    const changed = structuredClone(live) as KubeObject & {
      spec: { source: { helm: { valuesObject: Record<string, unknown> } } };
    };
    changed.spec.source.helm.valuesObject['color'] = color;
    return changed;
  };
}

function withAutomated({ spec }: KubeObject): object {
  const policy = at(spec, 'syncPolicy') as object;
  return { ...(spec as object), syncPolicy: { ...policy, automated: { selfHeal: true } } };
}

function terminated(live: KubeObject): KubeObject {
  const state = at(live['status'], 'operationState') as object;
  if (live['operation'] === undefined) return live;
  return { ...live, status: { ...(live['status'] as object), operationState: { ...state, phase: 'Terminating' } } };
}

function conditionsOf(application: KubeObject | undefined): readonly unknown[] {
  return asArray(at(application, 'status', 'conditions')).map((condition) => at(condition, 'type'));
}

function bigCrd(group: string): string {
  const properties = Object.fromEntries(
    Array.from({ length: 700 }, (_, index) => [
      `field${String(index)}`,
      { type: 'string', description: 'x'.repeat(500) },
    ]),
  );
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `bigs.${group}.example.com` },
    spec: {
      group: `${group}.example.com`,
      scope: 'Namespaced',
      names: { kind: 'Big', plural: 'bigs' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
}
