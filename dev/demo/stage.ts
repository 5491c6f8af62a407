import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoCluster } from './cluster.ts';
import type { Kubectl } from './kubectl.ts';
import { kubectl } from './kubectl.ts';
import { type DemoRelease, sourceText, writeTree } from './releases.ts';
import { type Background, runProgram, startProgram } from './run-program.ts';

/** Everything that a scene of the demo needs. */
export interface Stage {
  readonly root: string;
  readonly dir: string;
  readonly cluster: DemoCluster;
  readonly tool: Kubectl;
}

export interface Published {
  readonly release: DemoRelease;
  /** Of the PackageSource that pins the charts by digest. */
  readonly file: string;
  readonly reference: string;
}

interface Run {
  readonly shown?: boolean;
  readonly exitCode?: number;
}

export function kubepkg({ root, cluster, tool }: Stage, args: readonly string[], run: Run = {}): Promise<string> {
  const all = [join(root, 'dist', 'kubepkg.js'), ...args];
  return runProgram(process.execPath, all, { env: cluster.env, signal: tool.signal, ...run });
}

/** The definitions, and the namespace of the operator. */
export async function installCrds(stage: Stage): Promise<void> {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: kubepkg-system}\n---\n';
  const stdin = namespace + (await kubepkg(stage, ['crds']));
  await kubectl(stage.tool, ['apply', '--server-side', '-f', '-'], { stdin });
}

export async function untilEstablished(stage: Stage): Promise<void> {
  const names = ['packages', 'packagesources', 'packagerevisions'].map((name) => `crd/${name}.kubepkg.dev`);
  await kubectl(stage.tool, ['wait', '--for=condition=Established', '--timeout=30s', ...names]);
}

export function startOperator({ root, dir, cluster }: Stage): Background {
  const args = [join(root, 'dist', 'kubepkg.js'), 'operator', '--helm', cluster.helm];
  args.push('--cache-dir', join(dir, 'cache'), '--registry-ca-file', cluster.registry.caFile, '--log-format', 'json');
  args.push('--metrics-bind-address', '0', '--health-probe-bind-address', '0', ...cluster.operatorFlags);
  const command = { file: process.execPath, args, env: cluster.env };
  return startProgram(command, 'everything is read', join(dir, 'operator.log'));
}

/** Pushes the charts of a version as one artifact. */
export async function publish(stage: Stage, release: DemoRelease): Promise<Published> {
  const { root, dir, cluster } = stage;
  const tree = join(dir, `tree-${release.version}`);
  await writeTree(join(root, 'dev', 'demo', 'tree'), tree, release);
  const { host, caFile } = cluster.registry;
  const target = `oci://${host}/demo/shop:${release.version}`;
  const answer = await kubepkg(stage, ['push', tree, target, '--ca-file', caFile, '-o', 'json']);
  const { reference } = JSON.parse(answer) as { reference: string };
  const template = await readFile(join(root, 'dev', 'demo', 'package-source.yaml'), 'utf8');
  const file = join(dir, `shop-${release.version}.yaml`);
  await writeFile(file, sourceText(template, release, reference));
  return { release, file, reference };
}
