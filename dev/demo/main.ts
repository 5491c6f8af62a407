import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProjectRoot } from '../controlplane/project-root.ts';
import { chosenBackend } from './backend.ts';
import { openCluster, type DemoCluster } from './cluster.ts';
import { hookOf, kubectl, type Kubectl, momentOf } from './kubectl.ts';
import { type Background, runProgram, startProgram } from './run-program.ts';
import { DemoError, heading, say } from './terminal.ts';
import { timelineOf } from './timeline.ts';

const NAMESPACE = 'kubepkg-demo';
const REASON = '.status.conditions[?(@.type=="Ready")].reason';
/** In the order that the package declares for them; `app` is the label of their pods. */
const COMPONENTS = [
  { name: 'widgets', app: 'widget-controller' },
  { name: 'store', app: 'store' },
  { name: 'app', app: 'app' },
  { name: 'front', app: 'front' },
] as const;

interface Demo {
  readonly root: string;
  readonly dir: string;
  readonly cluster: DemoCluster;
  readonly tool: Kubectl;
}

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

interface Stage {
  readonly root: string;
  readonly dir: string;
  readonly signal: AbortSignal;
}

async function play({ root, dir, signal }: Stage, ends: (() => Promise<void>)[]): Promise<void> {
  const backend = chosenBackend(process.env.BACKEND);
  heading('A control plane: etcd, API server, controllers, scheduler, pretended nodes, a registry');
  const cluster = await openCluster(backend);
  ends.push(() => cluster.stop());
  const demo: Demo = { root, dir, cluster, tool: { file: cluster.kubectl, env: cluster.env, signal } };

  heading('kubepkg crds | kubectl apply, and the operator');
  await installCrds(demo);
  const operator = await startOperator(demo);
  ends.push(() => operator.stop());
  if (cluster.borrowed) ends.push(() => leaveAsFound(demo));

  for (const version of ['1.0.0', '1.1.0']) {
    const file = await publish(demo, { version });
    heading(`kubepkg install shop: ${version === '1.0.0' ? 'the first install' : 'the upgrade'} to ${version}`);
    await kubepkg(demo, ['install', 'shop', '-f', file, '--yes'], true);
    heading(`What the API server saw of ${version}`);
    await showTimeline(demo);
  }
  await showTransactions(demo);
  heading('kubepkg list');
  await kubepkg(demo, ['list'], true);
}

/** A hook, an upgrade that is undone, and one that must not be. */
async function showTransactions(demo: Demo): Promise<void> {
  await upgrade(demo, { version: '1.2.0', safe: true, hook: true }, 'with a hook that runs first');
  await showHook(demo, 'shop-3');
  await failingUpgrade(demo, { version: '1.3.0', safe: true, hook: true, broken: true }, 'UpgradeRolledBack');
  await failingUpgrade(demo, { version: '2.0.0', safe: false, hook: true, broken: true }, 'UpgradeFailed');
  await upgrade(demo, { version: '2.0.1', safe: false, hook: true }, 'that fixes it forward');
  heading('Every revision, and what became of it');
  await kubectl(demo.tool, ['get', 'packagerevisions.kubepkg.dev', '-o', 'wide'], { shown: true });
}

async function upgrade(demo: Demo, release: DemoRelease, what: string): Promise<void> {
  const file = await publish(demo, release);
  heading(`kubepkg install shop: the upgrade to ${release.version}, ${what}`);
  await kubepkg(demo, ['install', 'shop', '-f', file, '--yes'], true);
}

/** It ends with exit code 1, as a script would see it. */
async function failingUpgrade(
  demo: Demo,
  release: DemoRelease,
  reason: 'UpgradeRolledBack' | 'UpgradeFailed',
): Promise<void> {
  const file = await publish(demo, release);
  const fate = release.safe === true ? 'safe to go back from' : 'not safe to go back from';
  heading(`kubepkg install shop: the upgrade to ${release.version}, ${fate}, whose image cannot be pulled`);
  const { root, cluster, tool } = demo;
  const args = [join(root, 'dist', 'kubepkg.js'), 'install', 'shop', '-f', file, '--timeout', '15s', '--yes'];
  await runProgram(process.execPath, args, { env: cluster.env, shown: true, signal: tool.signal, exitCode: 1 });
  await kubectl(tool, ['wait', 'package.kubepkg.dev/shop', `--for=jsonpath={${REASON}}=${reason}`, '--timeout=60s']);
  heading(`kubepkg status shop: ${reason}`);
  await kubepkg(demo, ['status', 'shop'], true);
}

async function showHook({ tool }: Demo, revision: string): Promise<void> {
  heading('What the journal says of the hook');
  const { hook, from, to, ended, firstComponent } = await hookOf(tool, revision);
  say(`hook ${hook} was told: from ${from} to ${to}`);
  say(`it was done at ${ended}; the first component began at ${firstComponent}`);
  if (ended > firstComponent) throw new DemoError('a component began before the hook was done');
}

function kubepkg({ root, cluster, tool }: Demo, args: readonly string[], shown = false): Promise<string> {
  return runProgram(process.execPath, [join(root, 'dist', 'kubepkg.js'), ...args], {
    env: cluster.env,
    shown,
    signal: tool.signal,
  });
}

async function installCrds(demo: Demo): Promise<void> {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: kubepkg-system}\n';
  await kubectl(demo.tool, ['apply', '--server-side', '-f', '-'], { stdin: namespace });
  await kubectl(demo.tool, ['apply', '--server-side', '-f', '-'], { stdin: await kubepkg(demo, ['crds']) });
  await kubectl(demo.tool, [
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    'crd/packages.kubepkg.dev',
    'crd/packagesources.kubepkg.dev',
    'crd/packagerevisions.kubepkg.dev',
  ]);
}

function startOperator({ root, dir, cluster }: Demo): Promise<Background> {
  const args = [
    join(root, 'dist', 'kubepkg.js'),
    'operator',
    '--helm',
    cluster.helm,
    '--cache-dir',
    join(dir, 'cache'),
  ];
  args.push('--registry-ca-file', cluster.registry.caFile, '--log-format', 'json');
  args.push('--metrics-bind-address', '0', '--health-probe-bind-address', '0', ...cluster.operatorFlags);
  return startProgram(
    { file: process.execPath, args, env: cluster.env },
    'everything is read',
    join(dir, 'operator.log'),
  );
}

interface DemoRelease {
  readonly version: string;
  readonly safe?: boolean;
  readonly hook?: boolean;
  readonly broken?: boolean;
}

/** The charts at a version, pushed; gives the file of the PackageSource that pins them by digest. */
async function publish(demo: Demo, release: DemoRelease): Promise<string> {
  const { version } = release;
  heading(`kubepkg push: the charts of version ${version}, as one artifact`);
  const tree = join(demo.dir, `tree-${version}`);
  await cp(join(demo.root, 'dev', 'demo', 'tree'), tree, { recursive: true });
  await rewrite(tree, version);
  if (release.broken === true) await replaceIn(join(tree, 'front', 'values.yaml'), 'broken: false', 'broken: true');
  const reference = `oci://${demo.cluster.registry.host}/demo/shop:${version}`;
  const pushed = JSON.parse(
    await kubepkg(demo, ['push', tree, reference, '--ca-file', demo.cluster.registry.caFile, '-o', 'json']),
  ) as { reference: string };
  say(pushed.reference);
  const template = await readFile(join(demo.root, 'dev', 'demo', 'package-source.yaml'), 'utf8');
  const file = join(demo.dir, `shop-${version}.yaml`);
  await writeFile(file, sourceText(template, release, pushed.reference));
  return file;
}

function sourceText(template: string, { version, safe = false, hook = false }: DemoRelease, tree: string): string {
  const components = hook ? template : template.slice(0, template.indexOf('        - name: migrate'));
  return components
    .replace('TREE', tree)
    .replace('version: 1.0.0', `version: ${version}`)
    .replace('safe: false', `safe: ${String(safe)}`);
}

async function replaceIn(path: string, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from, to));
}

async function rewrite(folder: string, version: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await stat(path)).isDirectory()) await rewrite(path, version);
    else if (name === 'Chart.yaml') await replaceIn(path, '1.0.0', version);
  }
}

async function showTimeline({ tool }: Demo): Promise<void> {
  const moments = [];
  for (const component of COMPONENTS) moments.push(await momentOf(tool, NAMESPACE, component));
  const { lines, violations } = timelineOf(moments);
  for (const line of lines) say(line);
  if (violations.length > 0) throw new DemoError(`the order was not kept: ${violations.join('; ')}`);
  say('The first pod of each component was made no earlier than the one above it was ready.');
}

/** Takes the package, its namespace and the CRDs away again. */
async function leaveAsFound({ tool: used }: Demo): Promise<void> {
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
  process.stderr.write(
    `${error instanceof DemoError ? `demo: ${error.message}` : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exitCode = 1;
}
