import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProjectRoot } from '../controlplane/project-root.ts';
import { openCluster, type DemoCluster } from './cluster.ts';
import { kubectl, type Kubectl, momentOf } from './kubectl.ts';
import { type Background, runProgram, startProgram } from './run-program.ts';
import { DemoError, heading, say } from './terminal.ts';
import { timelineOf } from './timeline.ts';

const NAMESPACE = 'kubepkg-demo';
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
  heading('A control plane: etcd, API server, controllers, scheduler, pretended nodes, a registry');
  const cluster = await openCluster();
  ends.push(() => cluster.stop());
  const demo: Demo = { root, dir, cluster, tool: { file: cluster.kubectl, env: cluster.env, signal } };

  heading('kubepkg crds | kubectl apply, and the operator');
  await installCrds(demo);
  const operator = await startOperator(demo);
  ends.push(() => operator.stop());
  if (cluster.borrowed) ends.push(() => leaveAsFound(demo));

  for (const version of ['1.0.0', '1.1.0']) {
    heading(`kubepkg push: the charts of version ${version}, as one artifact`);
    const file = await publish(demo, version);
    heading(`kubepkg install shop: ${version === '1.0.0' ? 'the first install' : 'the upgrade'} to ${version}`);
    await kubepkg(demo, ['install', 'shop', '-f', file, '--yes'], true);
    heading(`What the API server saw of ${version}`);
    await showTimeline(demo);
  }
  heading('kubepkg status shop');
  await kubepkg(demo, ['status', 'shop'], true);
  heading('kubepkg list');
  await kubepkg(demo, ['list'], true);
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
  await kubectl(demo.tool, ['apply', '--server-side', '-f', '-'], namespace);
  await kubectl(demo.tool, ['apply', '--server-side', '-f', '-'], await kubepkg(demo, ['crds']));
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
  args.push('--metrics-bind-address', '0', '--health-probe-bind-address', '0');
  return startProgram(
    { file: process.execPath, args, env: cluster.env },
    'everything is read',
    join(dir, 'operator.log'),
  );
}

/** The charts at a version, pushed; gives the file of the PackageSource that pins them by digest. */
async function publish(demo: Demo, version: string): Promise<string> {
  const tree = join(demo.dir, `tree-${version}`);
  await cp(join(demo.root, 'dev', 'demo', 'tree'), tree, { recursive: true });
  await rewrite(tree, version);
  const reference = `oci://${demo.cluster.registry.host}/demo/shop:${version}`;
  const pushed = JSON.parse(
    await kubepkg(demo, ['push', tree, reference, '--ca-file', demo.cluster.registry.caFile, '-o', 'json']),
  ) as { reference: string };
  say(pushed.reference);
  const template = await readFile(join(demo.root, 'dev', 'demo', 'package-source.yaml'), 'utf8');
  const file = join(demo.dir, `shop-${version}.yaml`);
  await writeFile(file, template.replace('TREE', pushed.reference).replace('version: 1.0.0', `version: ${version}`));
  return file;
}

async function rewrite(folder: string, version: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await stat(path)).isDirectory()) await rewrite(path, version);
    else if (name === 'Chart.yaml') await writeFile(path, (await readFile(path, 'utf8')).replaceAll('1.0.0', version));
  }
}

async function showTimeline({ tool }: Demo): Promise<void> {
  const moments = [];
  for (const component of COMPONENTS) moments.push(await momentOf(tool, NAMESPACE, component));
  const { lines, violations } = timelineOf(moments);
  for (const line of lines) say(line);
  if (violations.length > 0) throw new DemoError(`the order was not kept: ${violations.join('; ')}`);
  say('Each component was first written no earlier than the one above it was ready.');
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
