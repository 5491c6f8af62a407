import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProjectRoot } from '../controlplane/project-root.ts';
import { UserError } from '../controlplane/user-error.ts';
import { chooseCluster } from './choice.ts';
import { openCluster } from './cluster.ts';
import { hookOf, kubectl } from './kubectl.ts';
import { type PodWatch, watchPods } from './pod-watch.ts';
import { type DemoRelease, FIRST, FIXED, STOPPED, UNDONE, UPGRADE } from './releases.ts';
import { installCrds, kubepkg, type Published, publish, type Stage, startOperator, untilEstablished } from './stage.ts';
import { DemoError, heading, say } from './terminal.ts';
import { timelineOf } from './timeline.ts';

const NAMESPACE = 'kubepkg-demo';
/** Of the time that the first install of all components took: enough for any of them that can get ready at all. */
const INSTALL_SHARE = 0.5;
const REASON = '.status.conditions[?(@.type=="Ready")].reason';
/** In the order that the package declares for them; `app` is the label of their pods. */
const COMPONENTS = [
  { name: 'widgets', app: 'widget-controller' },
  { name: 'store', app: 'store' },
  { name: 'app', app: 'app' },
  { name: 'front', app: 'front' },
] as const;

async function main(): Promise<void> {
  const root = findProjectRoot();
  const dir = await mkdtemp(join(tmpdir(), 'kubepkg-demo-'));
  const ends: (() => Promise<void>)[] = [() => rm(dir, { recursive: true, force: true })];
  const stop = new AbortController();
  const interrupted = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        stop.abort();
        reject(new DemoError('interrupted'));
      });
    }
  });
  const playing = play({ root, dir, signal: stop.signal }, ends);
  try {
    await Promise.race([interrupted, playing]);
  } finally {
    await Promise.allSettled([playing]);
    for (const end of ends.reverse()) await end();
  }
}

type Ground = Pick<Stage, 'root' | 'dir'> & { readonly signal: AbortSignal };

async function play({ root, dir, signal }: Ground, ends: (() => Promise<void>)[]): Promise<void> {
  const cluster = await openCluster(chooseCluster(process.env), { root, dir });
  ends.push(() => cluster.stop());
  const stage: Stage = { root, dir, cluster, tool: { file: cluster.kubectl, env: cluster.env, signal } };
  heading('kubepkg crds | kubectl apply, and the operator');
  await installCrds(stage);
  const operator = startOperator(stage);
  ends.push(() => operator.stop());
  if (cluster.borrowed) ends.push(() => leaveAsFound(stage));
  const [first] = await Promise.all([publish(stage, FIRST), untilEstablished(stage), operator.ready]);
  const watch = watchPods(stage.tool, NAMESPACE);
  ends.push(() => watch.stop());
  await showVersions(stage, watch, first);
}

/** An install, an upgrade with a hook, one that is undone, and one that must not be. */
async function showVersions(stage: Stage, watch: PodWatch, first: Published): Promise<void> {
  const begun = Date.now();
  const second = await install(stage, first, UPGRADE);
  const timeoutMs = Math.max(stage.cluster.timeoutMs, INSTALL_SHARE * (Date.now() - begun));
  await showTimeline(first, watch);
  watch.beginVersion();
  const third = await install(stage, second, UNDONE);
  await showTimeline(second, watch);
  await showHook(stage, 'shop-2');
  const fourth = await fail(stage, third, { timeoutMs, reason: 'UpgradeRolledBack', next: STOPPED });
  const fifth = await fail(stage, fourth, { timeoutMs, reason: 'UpgradeFailed', next: FIXED });
  announce(fifth);
  await kubepkg(stage, ['install', 'shop', '-f', fifth.file, '--yes'], { shown: true });
  heading('Every revision, and what became of it');
  await kubectl(stage.tool, ['get', 'packagerevisions.kubepkg.dev', '-o', 'wide'], { shown: true });
  heading('kubepkg list');
  await kubepkg(stage, ['list'], { shown: true });
}

/** Pushes the charts that come next meanwhile. */
async function install(stage: Stage, published: Published, next: DemoRelease): Promise<Published> {
  announce(published);
  const args = ['install', 'shop', '-f', published.file, '--yes'];
  const [pushed] = await Promise.all([publish(stage, next), kubepkg(stage, args, { shown: true })]);
  return pushed;
}

interface Failing {
  readonly timeoutMs: number;
  readonly reason: 'UpgradeRolledBack' | 'UpgradeFailed';
  readonly next: DemoRelease;
}

/** The command ends with exit code 1, as a script would see it. */
async function fail(stage: Stage, published: Published, { timeoutMs, reason, next }: Failing): Promise<Published> {
  announce(published);
  const timeout = `${(timeoutMs / 1000).toFixed(1)}s`;
  const args = ['install', 'shop', '-f', published.file, '--timeout', timeout, '--yes'];
  const [pushed] = await Promise.all([publish(stage, next), kubepkg(stage, args, { shown: true, exitCode: 1 })]);
  heading(`kubepkg status shop: ${reason}`);
  const reached = ['wait', 'package.kubepkg.dev/shop', `--for=jsonpath={${REASON}}=${reason}`, '--timeout=60s'];
  await Promise.all([kubectl(stage.tool, reached), kubepkg(stage, ['status', 'shop'], { shown: true })]);
  return pushed;
}

function announce({ release, reference }: Published): void {
  const { version, title } = release;
  heading(`kubepkg push: the charts of version ${version}, as one artifact`);
  say(reference);
  heading(
    `kubepkg install shop: ${release === FIRST ? `${title}, ${version}` : `the upgrade to ${version}, ${title}`}`,
  );
}

async function showTimeline({ release }: Published, watch: PodWatch): Promise<void> {
  heading(`What the API server told of the pods of ${release.version}, and as which change`);
  const { lines, violations } = timelineOf(await watch.momentsOf(COMPONENTS));
  for (const line of lines) say(line);
  if (violations.length > 0) throw new DemoError(`the order was not kept: ${violations.join('; ')}`);
  say('The first pod of each component was made after the one above it was ready.');
}

async function showHook({ tool }: Stage, revision: string): Promise<void> {
  heading('What the journal says of the hook');
  const { hook, from, to, ended, firstComponent } = await hookOf(tool, revision);
  say(`hook ${hook} was told: from ${from} to ${to}`);
  say(`it was done at ${ended}; the first component began at ${firstComponent}`);
  if (ended > firstComponent) throw new DemoError('a component began before the hook was done');
}

/** Takes the package, its namespace and the CRDs away again. */
async function leaveAsFound({ tool: used }: Stage): Promise<void> {
  heading('Leaving your cluster as it was');
  const tool = { ...used, signal: AbortSignal.timeout(120_000) };
  await kubectl(tool, [
    'delete',
    'package.kubepkg.dev/shop',
    'packagesource.kubepkg.dev/shop',
    '--ignore-not-found',
    '--wait',
  ]);
  await kubectl(tool, ['delete', 'namespace', NAMESPACE, '--ignore-not-found', '--wait=false']);
  await kubectl(tool, ['delete', 'crd/widgets.shop.example.org', '--ignore-not-found']);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = 1;
}

function describe(error: unknown): string {
  if (error instanceof DemoError) return `demo: ${error.message}`;
  if (error instanceof UserError) return `demo: ${error.message}`;
  return String(error instanceof Error ? error.stack : error);
}
