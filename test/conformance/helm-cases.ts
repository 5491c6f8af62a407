import { readdir, readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { asArray, asString, at, type JsonObject } from '../../src/lib/json.ts';
import { BackendWorld, presentOf } from './backend-world.ts';
import { crdCases } from './helm-crd-cases.ts';
import { crdUpgradeCases } from './helm-crd-upgrade-cases.ts';
import { helmRemovalCases } from './helm-removal-cases.ts';
import { type HelmHarness, startHelmHarness } from './helm-harness.ts';
import { hookOwnershipCases } from './helm-hook-cases.ts';
import { transientCases } from './helm-transient-cases.ts';

const NO_ABORT = new AbortController().signal;
const SECRET = 'hunter2-is-secret';
const INVALID_NAME = ['web-good', 'Not_Valid']
  .map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`)
  .join('---\n');

class HelmWorld extends BackendWorld {
  #helm: HelmHarness | undefined;

  constructor() {
    super({
      capabilities: { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: true },
      start: async () => {
        this.#helm = await startHelmHarness();
        return this.#helm;
      },
    });
  }

  get helm(): HelmHarness {
    if (this.#helm === undefined) throw new Error('helm was not started');
    return this.#helm;
  }

  /** The Job of the chart `task`, once it has ended. */
  async finished(namespace: string): Promise<KubeObject> {
    const isDone = async (): Promise<boolean> =>
      conditionTime(await this.read('Job', 'web', namespace), 'Complete') !== '';
    await expect.poll(isDone, { timeout: 30_000, interval: 50 }).toBe(true);
    const job = await this.read('Job', 'web', namespace);
    if (job === undefined) throw new Error('the Job is gone');
    return job;
  }

  async records(namespace: string): Promise<readonly KubeObject[]> {
    const selection = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: 'owner=helm' };
    return (await this.harness.cluster.list(selection)).items;
  }
}

/** What only the Helm backend promises. */
export function helmCases(): void {
  describe('the helm backend', () => {
    const world = new HelmWorld();
    beforeAll(() => world.start());
    afterAll(() => world.close());
    processCases(world);
    recordCases(world);
    hookCases(world);
    changeCases(world);
    crdCases(world);
    crdUpgradeCases(world);
    hookOwnershipCases(world);
    transientCases(world);
    helmRemovalCases(world);
  });
}

function processCases(world: HelmWorld): void {
  it('P22 R7 looks at a release without starting a process', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target));
    const before = world.helm.started.length;
    const backend = world.harness.createBackend();
    for (let turn = 0; turn < 5; turn += 1) {
      await backend.observe(target);
      await backend.inventory(target);
    }
    expect(world.helm.started.length).toBe(before);
  });

  it('P22 starts one process for a delivery, besides the one that tells its version', async () => {
    const target = await world.target();
    const backend = world.harness.createBackend();
    const before = world.helm.started.length;
    await world.deliver(await world.release(target), backend);
    await world.deliver(await world.release(target), backend);
    const commands = world.helm.started.slice(before).map(({ args }) => args[0]);
    expect(commands).toEqual(['version', 'install', 'upgrade']);
  });

  it('I10 has no value among the arguments or in the environment of a process', async () => {
    const target = await world.target();
    const release = await world.release(target, {
      chart: { name: 'hooked' },
      values: { runFor: '300s', password: SECRET },
    });
    const controller = new AbortController();
    const action = { kind: 'install', release, observed: { state: 'absent' } } as const;
    const running = world.harness.createBackend().submit(action, controller.signal);
    await expect
      .poll(async () => (await world.observe(target)).state, { timeout: 30_000, interval: 20 })
      .toBe('present');
    const processes = await processesOf(target.namespace);
    controller.abort();
    await running;
    expect(processes.length).toBeGreaterThan(0);
    expect(processes.filter((text) => text.includes(SECRET))).toEqual([]);
  });

  it('of two deliveries at once exactly one is done', async () => {
    const target = await world.target();
    const releases = await Promise.all([world.release(target), world.release(target)]);
    const observed = { state: 'absent' } as const;
    const submit = (release: (typeof releases)[number]) =>
      world.harness.createBackend().submit({ kind: 'install', release, observed }, NO_ABORT);
    const outcomes = await Promise.all(releases.map(submit));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['accepted', 'failed']);
    expect(await world.records(target.namespace)).toHaveLength(1);
  });
}

function recordCases(world: HelmWorld): void {
  it('P22 F91 keeps a bounded history', async () => {
    const target = await world.target();
    for (let turn = 0; turn < 12; turn += 1) await world.delivered(await world.release(target));
    expect(await world.records(target.namespace)).toHaveLength(10);
  });

  it('F91 a release too large for its record is refused before anything is applied, naming the biggest files', async () => {
    const target = await world.target();
    const files = { 'files/blob.txt': randomBytes(1_100_000).toString('base64'), 'files/small.txt': 'x' };
    const { outcome, observed } = await world.deliver(await world.release(target, { chart: { name: 'web', files } }));
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ReleaseTooLarge', class: 'terminal' } });
    expect(outcome).toMatchObject({
      error: { message: expect.stringContaining('web/files/blob.txt (1433 KiB)') as string },
    });
    expect(observed).toEqual({ state: 'absent' });
    expect(await world.read('ConfigMap', 'web', target.namespace)).toBeUndefined();
  });

  it('a release of an earlier kubepkg, without a component label, is taken over', async () => {
    const target = await world.target();
    const chart = await world.harness.chart({ name: 'web' });
    const labels = 'kubepkg.dev/package=shop';
    await world.helm.helm('install', 'web', chart.path, '--namespace', target.namespace, '--labels', labels);
    expect(presentOf(await world.observe(target))).toMatchObject({ delivery: 'delivered', token: undefined });
    expect((await world.delivered(await world.release(target))).revision).toBe(2);
  });

  it('a release that helm 3 applied from the client passes to the server, and loses what was dropped', async () => {
    const target = await world.target();
    const chart = await world.harness.chart({ name: 'web' });
    const flags = ['--server-side=false', '--labels', 'kubepkg.dev/package=shop', '--set', 'extra=true'];
    await world.helm.helm('install', 'web', chart.path, '--namespace', target.namespace, ...flags);
    await world.delivered(await world.release(target, { values: { color: 'red' } }));
    expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'color')).toBe('red');
    await world.gone('ConfigMap', 'web-extra', target.namespace);
  });

  it('the message of a failure outlives the process', async () => {
    const target = await world.target();
    await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
    const { message } = presentOf(await world.observe(target));
    expect(message).toMatch(/^release revision 1 is failed: .*Service "web-second" is invalid/);
  });
}

function hookCases(world: HelmWorld): void {
  it('a post-install hook runs only once the workload is ready', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target, { chart: { name: 'checked' } }));
    const deployment = await world.read('Deployment', 'web', target.namespace);
    const job = await world.read('Job', 'web-check', target.namespace);
    const available = conditionTime(deployment, 'Available');
    expect(available).not.toBe('');
    expect((job?.metadata.creationTimestamp ?? '') >= available).toBe(true);
    expect(at(job, 'status', 'succeeded')).toBe(1);
  });

  it('R1 a hook that fails fails the delivery', async () => {
    const target = await world.target();
    const failing = { chart: { name: 'hooked' }, values: { exitCode: '1' } };
    const { outcome, observed } = await world.deliver(await world.release(target, failing));
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'HelmFailed', class: 'terminal' } });
    expect(presentOf(observed).delivery).toBe('failed');
    expect(await world.read('ConfigMap', 'web', target.namespace)).toBeUndefined();
  });
}

function changeCases(world: HelmWorld): void {
  it.each([
    ['the next version', { color: 'red' }],
    ['a rollback', {}],
  ])('F67 %s removes what only a failed attempt had created', async (_, values) => {
    const target = await world.target();
    await world.delivered(await world.release(target));
    await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
    expect(await world.read('ConfigMap', 'web-first', target.namespace)).toBeDefined();
    await world.delivered(await world.release(target, { values }));
    await world.gone('ConfigMap', 'web-first', target.namespace);
    expect(await world.read('ConfigMap', 'web', target.namespace)).toBeDefined();
  });

  it('F65 after an upgrade to an object with an invalid name the next version succeeds', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target));
    const files = { 'templates/bad.yaml': INVALID_NAME };
    const { outcome } = await world.deliver(await world.release(target, { chart: { name: 'web', files } }));
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ApiInvalid', class: 'terminal' } });
    await world.delivered(await world.release(target, { chart: { name: 'web', version: '2.0.0' } }));
    expect(at(await world.read('ConfigMap', 'web', target.namespace), 'data', 'version')).toBe('2.0.0');
    await world.gone('ConfigMap', 'web-good', target.namespace);
  });

  it.each([
    ['keeps what it has too', { name: 'broken' }, { port: 80 }, true],
    ['removes what it has not', { name: 'web' }, {}, false],
  ])('F67 a fixed version over a first attempt that failed half-way %s', async (_, chart, values, isKept) => {
    const target = await world.target();
    await world.deliver(await world.release(target, { chart: { name: 'broken' } }));
    const before = await world.read('ConfigMap', 'web-first', target.namespace);
    expect(before).toBeDefined();
    await world.delivered(await world.release(target, { chart, values }));
    const after = await world.read('ConfigMap', 'web-first', target.namespace);
    expect(after?.metadata.uid).toBe(isKept ? before?.metadata.uid : undefined);
  });

  it('F52 a finished Job whose template changed is made again', async () => {
    const target = await world.target();
    const first = await finishedTask(world, target.namespace, { image: 'example.com/task:1' });
    const second = await finishedTask(world, target.namespace, { image: 'example.com/task:2' });
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  it('a finished Job is left alone when its template is the same', async () => {
    const target = await world.target();
    const first = await finishedTask(world, target.namespace, { backoffLimit: 1 });
    const second = await finishedTask(world, target.namespace, { backoffLimit: 2 });
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(at(second, 'spec', 'backoffLimit')).toBe(2);
  });

  it.each([
    ['still runs', { runFor: '300s' }, 'FinishedJobs'],
    ['is not to be made again', { runFor: '0.1s' }, 'Never'],
  ] as const)('F52 a Job that %s fails as immutable', async (_, values, recreate) => {
    const target = await world.target();
    const chart = { name: 'task' };
    await world.delivered(await world.release(target, { chart, values }));
    if (recreate === 'Never') await world.finished(target.namespace);
    const release = await world.release(target, { chart, values: { ...values, image: 'example.com/task:2' } });
    const { outcome } = await world.deliver({ ...release, recreate });
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ImmutableField', class: 'terminal' } });
  });
}

async function finishedTask(world: HelmWorld, namespace: string, values: JsonObject): Promise<KubeObject> {
  const target = await world.target({ namespace });
  await world.delivered(await world.release(target, { chart: { name: 'task' }, values }));
  return world.finished(namespace);
}

/** When a condition became true; empty while it is not. */
function conditionTime(object: KubeObject | undefined, type: string): string {
  const condition = asArray(at(object, 'status', 'conditions')).find((each) => at(each, 'type') === type);
  return at(condition, 'status') === 'True' ? (asString(at(condition, 'lastTransitionTime')) ?? '') : '';
}

/** Arguments and environment of every process that works on this namespace. */
async function processesOf(namespace: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => Promise.all([proc(pid, 'cmdline'), proc(pid, 'environ')])));
  return texts.filter(([cmdline]) => cmdline.includes(namespace)).map((parts) => parts.join(' '));
}

/** A process may end while it is looked at. */
function proc(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}
