import { type ChartFiles, deploymentChart, jobChart } from './charts.ts';
import type { Ledger } from './ledger.ts';
import { imagesOf, inNamespace, publish as publishVersion } from './packages.ts';
import { condition, type OperatorWorld } from './world.ts';

/** What a version of the package is made of, besides `store`, `app` and `front`. */
export interface Version {
  readonly version: string;
  /** Also the tag of every image. */
  readonly tree: string;
  /** A fourth component, whose Job fails. */
  readonly failing?: boolean;
  /** A fourth component that works. */
  readonly extra?: boolean;
}

const CHAIN = ['store', 'app', 'front'] as const;

/** A tree of charts whose images have that tag. */
export function pushCharts(world: OperatorWorld, tag: string): Promise<string> {
  const app = taggedDeployment(tag);
  const charts: Record<string, ChartFiles> = { store: app, app, front: app, extra: app };
  const failing = { 'values.yaml': 'sim: {sim.kubepkg.dev/exit-code: "1"}\n' };
  return world.push(`kills/${tag}`, { ...charts, migrate: jobChart(), last: { ...jobChart(), ...failing } });
}

function taggedDeployment(tag: string): ChartFiles {
  const chart = deploymentChart();
  return { ...chart, 'values.yaml': (chart['values.yaml'] ?? '').replace('app:1.0.0', `app:${tag}`) };
}

/** Every version is safe to go back from. */
export async function publish(world: OperatorWorld, name: string, wanted: Version): Promise<void> {
  const { version, tree, failing = false, extra = false } = wanted;
  const component = inNamespace(name);
  const chain = CHAIN.map((path, index) =>
    component(path, { dependsOn: CHAIN.slice(Math.max(0, index - 1), index).map(String) }),
  );
  const components = [
    component('migrate', { phase: 'PreUpgrade' }),
    ...chain,
    ...(failing ? [component('last', { dependsOn: ['front'] })] : []),
    ...(extra ? [component('extra', { dependsOn: ['store'] })] : []),
  ];
  await publishVersion(world, name, { tree, version, safe: true, components });
}

export interface Outcome {
  readonly reason: string | undefined;
  readonly phases: readonly (string | undefined)[];
  readonly images: readonly unknown[];
  /** What neither is delivered nor failed, nor gone. */
  readonly pending: readonly string[];
  readonly deliveries: Readonly<Record<string, number>>;
  readonly repeated: readonly string[];
  readonly jobs: Readonly<Record<string, number>>;
}

/** How it stands with a package, in all that a kill must not change. */
export async function outcomeOf(world: OperatorWorld, name: string, ledger: Ledger): Promise<Outcome> {
  const pkg = await world.cluster.read({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', name });
  return {
    reason: pkg === undefined ? undefined : condition(pkg, 'Ready')?.reason,
    phases: (await world.revisions(name)).map(({ status }) => status?.phase),
    images: await imagesOf(world, name),
    pending: await world.backend.pendingIn(name),
    deliveries: ledger.deliveries(),
    repeated: ledger.repeated(),
    jobs: ledger.jobs(),
  };
}
